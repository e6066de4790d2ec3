import { existsSync, readFileSync } from 'node:fs';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { parse } from 'yaml';
import { COMMANDS } from '../../scripts/shared/commands.js';
import { useApi } from '../support/api.js';
import { run } from '../support/command.js';
import { RECIPE_DOCUMENTS, recipesOf, wordsOf } from '../support/recipes.js';

/** What stands below each block: which test executes it, or why none does. */
const NOTE = /^_(?:Executed by `(?<test>test\/[\w./-]+\.test\.ts)`(?:, .+)?|Not tested: .+)\._$/;

/** A placeholder, and requests that need more than the Elasticsearch of the tests has: security, or three nodes. */
const ELSEWHERE = [/^\/PATH$/, /^\/_security\//, /wait_for_nodes=3/, /^\/_cluster\/settings$/];

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

describe('the recipes of the documents for operators', () => {
  const api = useApi();

  for (const document of RECIPE_DOCUMENTS) {
    it(`of ${document} each name the test that executes them, or say that none does`, () => {
      for (const { heading, commands, note } of recipesOf(document)) {
        const at = `${document}, ${heading}: ${commands[0]}`;
        const { test } = NOTE.exec(note)?.groups ?? assert.fail(`${at}: no note, but "${note}"`);
        if (test === undefined) continue;
        assert.isTrue(existsSync(test), `${at}: ${test}`);
        const isHere = test === 'test/project/recipes.test.ts' && requestsIn(commands.join('\n')).length > 0;
        // The test takes the commands from the document, by the heading.
        const calls = readFileSync(test, 'utf8').matchAll(/recipe\(\s*'([^']+)',\s*'([^']+)'/g);
        const reads = [...calls].some(([, of, below]) => of === document && below === heading);
        assert.isTrue(isHere || reads, `${at}: ${test} does not read it`);
      }
    });

    it(`of ${document} name commands, options, services and requests that exist`, async () => {
      const content = readFileSync(document, 'utf8');
      for (const command of commandsOf(document, content)) await checkCommand(command, document);
      for (const [path, options] of requestsIn(content)) {
        if (ELSEWHERE.some((one) => one.test(path))) continue;
        await request(api.es, [path, options], api.prefix);
      }
    });
  }
});

/** The commands in blocks and in the text. */
const commandsOf = (document: (typeof RECIPE_DOCUMENTS)[number], content: string): string[] =>
  [
    ...[...content.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
    ...recipesOf(document).flatMap(({ commands }) => commands),
  ].map((command) => command.replace(/ (?:\||&&|>>?|<) .*$/, ''));

/** Paths and options of `es PATH [CURL OPTION...]`. */
function requestsIn(content: string): [path: string, options: string[]][] {
  const calls = content
    .replaceAll(/\\\n\s*/g, '')
    .matchAll(/(?<=`|^)es ('\/[^']+'|\/[^\s`]+)((?: --\w+ (?:'[^']*'|\w+))*)/gm);
  return [...calls].map(([, path = '', options = '']) => [path.replaceAll("'", ''), wordsOf(options)]);
}

async function request(es: Client, [target, options]: [string, string[]], prefix: string): Promise<void> {
  const [path = '', search = ''] = target.replaceAll('catalog-', `${prefix}-`).split('?');
  // A backup repository exists in installations, and not here.
  if (path.startsWith('/_cat/snapshots/')) return;
  const option = (name: string) => options[options.indexOf(name) + 1];
  const body = options.includes('--data') ? (JSON.parse(option('--data') ?? '') as object) : undefined;
  await es.transport.request(
    {
      method: options.includes('--request') ? (option('--request') ?? '') : 'GET',
      path,
      querystring: search,
      ...(body === undefined ? {} : { body }),
    },
    // Elasticsearch explains the allocation of a shard only if one is not allocated.
    { ignore: path === '/_cluster/allocation/explain' ? [400] : [] },
  );
}

/** Services of the compose files, which are merged as `COMPOSE_FILE` names them. */
function composeServices(): Set<string> {
  const files = ['', '.monitoring', '.cluster', '.cluster-monitoring'].map(
    (name) => `docker-compose${name}.yml`,
  );
  return new Set(
    files.flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(/!(?:reset|override)\b/g, '');
      return Object.keys((parse(text) as { services: object }).services);
    }),
  );
}

const SERVICES = composeServices();
const WITHOUT_VALUE = /^--(?:detach|wait|force-recreate|no-deps|all|rm|build|pretty|quiet)$|^-T$/;

async function checkCommand(command: string, document: string): Promise<void> {
  const npm = /^npm run (?:--silent )?([a-z][\w:-]*)/.exec(command)?.[1];
  if (npm !== undefined) {
    assert.property(manifest.scripts, npm, `${document}: ${command}`);
    await checkOptions(npm, command);
  }
  const docker = /^(?:\w+=\S+ )*docker compose (run|up|logs|ps|exec|restart) (.*)$/.exec(command);
  if (docker === null) return;
  const [, action = '', rest = ''] = docker;
  const words = wordsOf(rest);
  const named: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (WITHOUT_VALUE.test(word)) continue;
    if (word.startsWith('-')) at += 1;
    else named.push(word);
  }
  const services = action === 'run' || action === 'exec' ? named.slice(0, 1) : named;
  for (const service of services) assert.isTrue(SERVICES.has(service), `${document}: ${command}: ${service}`);
  if (action === 'run' && named[0] === 'command' && named[1] !== undefined) {
    assert.property(COMMANDS, named[1], `${document}: ${command}`);
    await checkOptions(named[1], rest.slice(rest.indexOf(` ${named[1]}`)));
  }
}

/** Checks that the help of a command knows its options. */
async function checkOptions(name: string, command: string): Promise<void> {
  const listed = COMMANDS[name];
  if (listed === undefined) return;
  const { main } = await listed.load();
  const subcommand = wordsOf(command).find(
    (word, at, words) => words[at - 1] === name && /^[a-z]/.test(word),
  );
  const help = await run(main, ['--help']);
  const ofSubcommand = subcommand === undefined ? null : await run(main, [subcommand, '--help']);
  const text = `${help.out}${ofSubcommand?.out ?? ''}`;
  for (const [, option = ''] of command.matchAll(/\s(--[a-z][\w-]+)/g))
    assert.include(text, option, `${name}: ${command}`);
}
