/** npm run rules: checks and publishes the merchandising rules of searches; see --help. */
import { readFile, stat } from 'node:fs/promises';
import { compileRules, periodOf } from '../src/published/compile-rules.js';
import { type MerchandisingRule, RULE_LIMITS, type RuleFile } from '../src/schemas/rules.js';
import { eventStream } from '../src/telemetry/events/streams.js';
import { formatCount } from '../src/text/quantities.js';
import { ruleFileOf, ruleVersions } from '../src/published/published-rules.js';
import { readRuleFile } from '../src/published/read-rule-file.js';
import { mean } from '../src/text/statistics.js';
import {
  type ComparedQuery,
  effectsOfRules,
  missingTargets,
  mostSearched,
  type QueryEffect,
} from '../src/usecases/search/rules-effect.js';
import { commands, subcommand } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError } from './shared/exit.js';
import { flag, several, text, time } from './shared/options.js';
import { readRatings } from './shared/ratings.js';
import { start } from './shared/start.js';
import { fileError, fromCaller, textTable } from './shared/terminal.js';

const FILE = { show: 'FILE', missing: 'State the file of rules, as in npm run rules -- check rules.yaml' };
const MAX_NAMED_QUERIES = 200;
const MAX_LOGGED_QUERIES = 100;

export const main = commands({
  name: 'rules',
  about: `Checks and publishes merchandising rules: for a query, listings that come first (pin), are left out (hide) or rank
higher or lower (boost), and synonyms. FILE is a YAML file with all rules (docs/rules.md). Publishing stores it as a new version
and activates it; a running service uses it within ten seconds. The versions are kept when the catalogue is reindexed.`,
  notes: `${ENGINE_HELP}.`,
  commands: {
    list: subcommand({
      about: 'list the published versions, and the rules of the active one',
      options: { json: flag('print JSON') },
      run: ({ options: { json } }, env, io) =>
        withEngine(env, async (engine) => {
          const stored = ruleVersions(engine.es, engine.indexPrefix);
          const { active, versions } = await stored.list();
          const { rules } = ruleFileOf(await stored.active());
          const now = new Date();
          const listed = rules.map((rule) => ({ ...rule, state: stateOf(rule, now) }));
          if (json) {
            io.out.write(`${JSON.stringify({ active, versions, rules: listed }, null, 2)}\n`);
            return;
          }
          const versionRows = versions.map(({ version, learned_at, counts }) => [
            String(version),
            learned_at,
            formatCount(counts['rules'] ?? 0),
            version === active ? 'active' : '',
          ]);
          const ruleRows = listed.map((rule) => [
            rule.name,
            effectsNamed(rule),
            rule.from ?? '',
            rule.until ?? '',
            rule.state,
          ]);
          io.out.write(`${textTable([['version', 'published', 'rules', ''], ...versionRows])}\n`);
          if (ruleRows.length > 0)
            io.out.write(`\n${textTable([['rule', 'effects', 'from', 'until', ''], ...ruleRows])}\n`);
        }),
    }),
    check: subcommand({
      about:
        'show what the rules of a file would change: the first ten results of the queries that the file names, of those ' +
        'that most developers searched for in the last 30 days, and of judged queries, with NDCG@10',
      operands: FILE,
      options: {
        judgements: several(
          text('CSV', 'a file with the columns query,source,sku,rating; may be given several times'),
        ),
        at: time('show the effect at this time'),
        json: flag('print JSON'),
      },
      async run({ options: { judgements, at, json }, operands: [file = ''] }, env, io) {
        const rules = await readRules(file);
        const judged = new Map((await Promise.all(judgements.map(readRatings))).flatMap((one) => [...one]));
        await withEngine(env, async (engine) => {
          const { es, indexPrefix, events } = engine;
          const context = {
            es,
            products: await catalogueOf(engine),
            now: at ?? new Date(),
            signal: io.signal,
          };
          const requests = events === null ? null : eventStream('requests', { indexPrefix, ...events }).name;
          const logged =
            requests === null
              ? []
              : await mostSearched(es, { ...context, requests, size: MAX_LOGGED_QUERIES });
          const before = await ruleVersions(es, indexPrefix).active();
          const versions = {
            before: compileRules(ruleFileOf(before), before?.version ?? null),
            after: compileRules(rules, null),
          };
          const [missing, effects] = [
            await missingTargets(context, rules),
            await effectsOfRules(context, versions, comparedQueries(rules, judged, logged)),
          ];
          if (json) io.out.write(`${JSON.stringify({ missing, effects: effects.map(asJson) }, null, 2)}\n`);
          else io.out.write(describeEffects(effects, missing));
        });
      },
    }),
    publish: subcommand({
      about: 'store the rules of a file as a new version, and activate it',
      operands: FILE,
      options: {},
      async run({ operands: [file = ''] }, env, io) {
        const rules = await readRules(file);
        await withEngine(env, async (engine) => {
          const products = await catalogueOf(engine);
          const stored = ruleVersions(engine.es, engine.indexPrefix);
          const active = await stored.active();
          if (active !== null && JSON.stringify(ruleFileOf(active)) === JSON.stringify(rules)) {
            io.out.write(`rules: version ${active.version} is active and has the same rules\n`);
            return;
          }
          for (const name of await missingTargets({ es: engine.es, products }, rules))
            io.err.write(`The catalogue has no listing of ${name}.\n`);
          const counts = { rules: rules.rules.length };
          const { version } = await stored.store(rules, { now: new Date(), counts, figures: {} });
          io.out.write(`rules: version ${version} with ${describeCount(rules)} is active\n`);
        });
      },
    }),
    rollback: subcommand({
      about: 'activate the version that was active before',
      options: {},
      run: (_given, env, io) =>
        withEngine(env, async ({ es, indexPrefix }) => {
          const version = await ruleVersions(es, indexPrefix).rollBack();
          io.out.write(
            version === null ? 'rules: none are active\n' : `rules: version ${version} is active\n`,
          );
        }),
    }),
  },
});

/** Reads a file of rules. @throws CommandError that lists each error with its line. */
async function readRules(file: string): Promise<RuleFile> {
  const path = fromCaller(file);
  const { size } = await stat(path).catch((error: unknown) => {
    throw fileError(file, error);
  });
  if (size > RULE_LIMITS.bytes)
    throw new CommandError(`${file} is larger than the maximum of ${formatCount(RULE_LIMITS.bytes)} bytes.`);
  const found = readRuleFile(
    await readFile(path, 'utf8').catch((error: unknown) => {
      throw fileError(file, error);
    }),
  );
  if ('file' in found) return found.file;
  const lines = found.errors.map(({ line, path: place, message }) =>
    [`${file}:${line}`, place, message].filter((part) => part !== '').join(': '),
  );
  throw new CommandError(lines.join('\n'));
}

const describeCount = ({ rules }: RuleFile): string =>
  rules.length === 1 ? '1 rule' : `${formatCount(rules.length)} rules`;

function stateOf(rule: MerchandisingRule, now: Date): 'active' | 'upcoming' | 'expired' {
  const { from, until } = periodOf(rule);
  if (now.getTime() < from) return 'upcoming';
  return now.getTime() < until ? 'active' : 'expired';
}

const effectsNamed = ({ pin, hide, boost, synonyms }: MerchandisingRule): string =>
  Object.entries({ pin, hide, boost, synonyms })
    .flatMap(([name, entries]) => (entries === undefined ? [] : [`${name} ${entries.length}`]))
    .join(', ');

/** The queries whose results are compared, each once: those that the rules name, that people judged and that were logged. */
function comparedQueries(
  { rules }: RuleFile,
  judged: ReadonlyMap<string, ReadonlyMap<string, number>>,
  logged: readonly { query: string; developers: number }[],
): ComparedQuery[] {
  const named = rules.flatMap(({ query, synonyms = [] }) => [
    ...(query?.exact ?? []),
    ...(query?.contains ?? []),
    ...synonyms.flatMap((line) => line.split(/,|=>/)[0]?.trim() ?? []),
  ]);
  const developers = new Map(logged.map((one) => [one.query, one.developers]));
  const queries = new Set([...named.slice(0, MAX_NAMED_QUERIES), ...judged.keys(), ...developers.keys()]);
  return [...queries].map((query) => ({
    query,
    ratings: judged.get(query) ?? null,
    developers: developers.get(query) ?? null,
  }));
}

const asJson = ({ ratings: _, ...effect }: QueryEffect) => effect;

function describeEffects(effects: readonly QueryEffect[], missing: readonly string[]): string {
  const changed = effects.filter(({ moves, total }) => moves.length > 0 || total.before !== total.after);
  const judged = effects.flatMap(({ ndcg }) => ndcg ?? []);
  const lines = [
    ...missing.map((name) => `The catalogue has no listing of ${name}.`),
    ...changed.flatMap(describeEffect),
    `${formatCount(changed.length)} of ${formatCount(effects.length)} queries change.`,
  ];
  if (judged.length > 0) {
    const [before, after] = [mean(judged.map((one) => one.before)), mean(judged.map((one) => one.after))];
    lines.push(
      `NDCG@10 of the ${formatCount(judged.length)} judged queries is ${before.toFixed(3)} and would be ${after.toFixed(3)}.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function describeEffect({ query, rules, total, ndcg, developers, moves }: QueryEffect): string[] {
  const facts = [
    rules.length === 0 ? 'no rules' : `rules: ${rules.join(', ')}`,
    total.before === total.after ? `${total.after} found` : `${total.before} → ${total.after} found`,
    ...(ndcg === null ? [] : [`NDCG@10 ${ndcg.before.toFixed(3)} → ${ndcg.after.toFixed(3)}`]),
    ...(developers === null ? [] : [`searched by ${developers} developers`]),
  ];
  const rows = moves.map(({ listing: { name, source, sku }, before, after }) => [
    `  ${after === null ? 'out' : String(after)}`,
    before === null ? 'new' : `was ${before}`,
    `${name} (${source} ${sku})`,
  ]);
  return [`"${query}": ${facts.join('; ')}`, ...(rows.length === 0 ? [] : [textTable(rows)]), ''];
}

await start(import.meta.url, main);
