/** npm run ablate: switches off one rule of matching at a time, and measures what it costs; see --help. */
import { type Judged, readJudgedSets } from '../fitting/training.js';
import { command } from '../../scripts/shared/command.js';
import { needed, preset, text, wholeNumber } from '../../scripts/shared/options.js';
import { start } from '../../scripts/shared/start.js';
import { textTable } from '../../scripts/shared/terminal.js';
import { instrumentedCopy } from './instrumented.js';
import { type Decided, differences, POLICIES } from './policies.js';
import { type Rule, WHEN_OFF } from './rules.js';
import { Switchboard } from './switchboard.js';

export const main = command({
  name: 'ablate',
  about: `Switches off one rule of matching at a time, and prints the change of F1 over judged pairs of listings, with its 95 % interval:
of the pairs that match, and of the pairs that may be in one group. A rule is an operand of || or &&, a guard, a filter, a
pattern or a feature of the model, which is not fitted anew. The listings must be in the catalogue, as for fit:matching.`,
  operands: { show: 'SET...', missing: 'Name the sets of judgements' },
  options: {
    data: needed(text('FOLDER', 'where the judgements are')),
    most: preset(wholeNumber('the maximum number of listings of each set', { min: 1, max: 100_000 }), 300),
    cases: preset(
      wholeNumber('the maximum number of listings on which a rule with an effect is measured', {
        min: 1,
        max: 100_000,
      }),
      80,
    ),
    within: preset(text('TEXT', 'only rules in files whose paths contain TEXT'), ''),
  },
  notes: `${Object.entries(WHEN_OFF)
    .map(([kind, off]) => `${kind}: ${off}.`)
    .join('\n')}
Elasticsearch is the one of ELASTICSEARCH_URL; INDEX_PREFIX (catalog) must be that of the catalogue.`,
  async run({ options: { data, most, cases, within }, operands: sets }, env, { out }) {
    const judged: Judged[] = [];
    for await (const [, some] of readJudgedSets(sets, { folder: data, most, env })) judged.push(...some);
    const rows = await ablate(judged, cases, ({ file }) => file.includes(within));
    out.write(`${textTable([['rule', 'kind', 'text', 'listings', ...columnsOf(sets)], ...rows])}\n`);
  },
});

const columnsOf = (sets: readonly string[]): string[] =>
  POLICIES.flatMap((policy) => sets.map((set) => `${policy} ${set}`));

/** Measures each rule on the listings on which it has an effect, or on every n-th of them. @returns the changes of F1 of each rule. */
async function ablate(
  judged: readonly Judged[],
  most: number,
  isWanted: (rule: Rule) => boolean,
): Promise<string[][]> {
  const rules = new Switchboard();
  Object.assign(globalThis, { rules });
  const copy = instrumentedCopy();
  try {
    const { deciding } = await import('./policies.js');
    const decide = await deciding(copy.load);
    const effects: Set<number>[] = [];
    const before = judged.map((one): Decided => {
      let decided: Decided | undefined;
      effects.push(
        rules.effectsOf(() => {
          decided = decide(one);
        }),
      );
      return decided as Decided;
    });
    return copy.rules.filter(isWanted).map((rule) => {
      const all = judged.flatMap((_, at) => (effects[at]?.has(rule.id) === true ? [at] : []));
      const step = Math.max(1, all.length / most);
      const measured = all.filter((_, nth) => Math.floor(nth / step) > Math.floor((nth - 1) / step));
      const place = `${rule.file}:${rule.line} ${rule.within}`;
      const described = [place, rule.kind, rule.text, String(all.length)];
      rules.switchOff(rule.id);
      try {
        const after = new Map(measured.map((at) => [at, decide(judged[at] as Judged)]));
        return [...described, ...differences(judged, before, after, step)];
      } catch (error) {
        return [...described, `needed: ${String(error).slice(0, 60)}`];
      }
    });
  } finally {
    copy.remove();
  }
}

await start(import.meta.url, main);
