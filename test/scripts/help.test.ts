import { readdirSync, readFileSync } from 'node:fs';
import { assert } from 'chai';
import { main as catalogue } from '../../scripts/catalogue.js';
import type { Main } from '../../scripts/shared/command.js';
import { COMMANDS } from '../../scripts/shared/commands.js';
import { run } from '../support/command.js';

const WIDTH = 100;

/** The commands for developers. `COMMANDS` contains those that ship. */
const TOOLS: Record<string, () => Promise<{ main: Main }>> = {
  'alert-delay': () => import('../../tools/alert-delay.js'),
  bench: () => import('../../tools/bench.js'),
  clients: () => import('../../tools/clients.js'),
  demo: () => import('../../tools/demo.js'),
  dependencies: () => import('../../tools/dependencies.js'),
  evaluate: () => import('../../lab/evaluate.js'),
  'expensive-requests': () => import('../../tools/expensive-requests.js'),
  'first-view': () => import('../../tools/first-view.js'),
  'fit-matching': () => import('../../lab/fit-matching.js'),
  fuzz: () => import('../../tools/fuzz.js'),
  grafana: () => import('../../tools/grafana.js'),
  names: () => import('../../lab/names.js'),
  sample: () => import('../../tools/sample.js'),
  services: () => import('../../tools/services.js'),
  soak: () => import('../../tools/soak.js'),
  test: () => import('../../tools/test.js'),
  yardstick: () => import('../../lab/yardstick/yardstick.js'),
};

/** The names of the subcommands in a help text. */
const subcommandsIn = (help: string): string[] =>
  (/^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? '').match(/^ {2}\S+/gm)?.map((name) => name.trim()) ??
  [];

describe('the help text of a command', () => {
  const check = async (main: Main, args: string[], why: string): Promise<string> => {
    const { code, out, err } = await run(main, [...args, '--help']);
    assert.deepEqual({ why, code, err }, { why, code: 0, err: '' });
    for (const line of out.split('\n')) assert.isAtMost(line.length, WIDTH, `${why}: ${line}`);
    // A list that is indented must not be wrapped, because the rest of a line would begin at the margin.
    assert.notMatch(out, /^ .*\n\S/m, why);
    const columns = out.match(/^ {2}-.*? {2,}(?=\S)/gm)?.map((start) => start.length) ?? [];
    assert.isAtMost(
      Math.max(...columns, 0),
      40,
      `${why}: the descriptions of options begin too far to the right`,
    );
    return out;
  };

  it(`fits ${WIDTH} columns, for all commands and subcommands`, async () => {
    const tools = ['tools', 'lab'].flatMap((folder) =>
      readdirSync(folder)
        .filter(
          (file) =>
            file.endsWith('.ts') && readFileSync(`${folder}/${file}`, 'utf8').includes('const main ='),
        )
        .map((file) => file.replace(/\.ts$/, '')),
    );
    assert.includeMembers(Object.keys(TOOLS), tools);
    const loaders = [
      ...Object.entries(COMMANDS).map(([name, { load }]) => [name, load] as const),
      ...Object.entries(TOOLS),
    ];
    let subcommands = 0;
    for (const [name, load] of loaders) {
      const { main } = await load();
      const help = await check(main, [], name);
      for (const subcommand of subcommandsIn(help)) {
        await check(main, [subcommand], `${name} ${subcommand}`);
        subcommands += 1;
      }
    }
    assert.isAbove(subcommands, 20);
    await check(catalogue, [], 'catalogue');
  });
});
