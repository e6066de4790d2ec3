/** npm run fit:matching: fits the model of src/matching on judged pairs; see --help. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { productsAlias } from '../src/catalogue/indices.js';
import { createElasticsearch } from '../src/elasticsearch/client.js';
import { readConfig } from '../src/config.js';
import { readRates } from '../src/rates/read-rates.js';
import type { Model } from '../src/matching/match.js';
import { fitModel } from './fitting/fit.js';
import { seededRandom } from '../scripts/evaluate/statistics.js';
import { describeQuality, matchingQuality } from './fitting/quality.js';
import { readCases, type Case } from './fitting/training.js';
import { command, type Io } from '../scripts/shared/command.js';
import { UsageError } from '../scripts/shared/exit.js';
import { flag, preset, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';

/** Ways to divide the cases that are tried: with one alone, chance moves the figures by a hundredth. */
const DIVISIONS = 3;

const MATCHING = path.join(import.meta.dirname, '../src/matching');

export const main = command({
  name: 'fit:matching',
  about: `Fits src/matching/weights.ts and src/matching/trees.ts on judged pairs of listings that are in the catalogue: each NAME has a
CSV file of all pairs that are the same product (a_source,a_sku,b_source,b_sku) and one of all listings that were
judged (a_source,a_sku). Prints figures of cross-validation by listing, and of a fit on each data set alone tried
on the others; then fits on all of them and writes the files.`,
  operands: { show: 'NAME=GOLD,SOURCES…', missing: 'Name a data set and its files' },
  options: {
    folds: preset(
      wholeNumber('parts of the cross-validation (4), which is done for three ways to divide the cases', {
        min: 2,
        max: 100,
      }),
      4,
    ),
    'dry-run': flag('print the figures, write nothing'),
  },
  notes:
    'Elasticsearch is the one of ELASTICSEARCH_URL; INDEX_PREFIX (catalog) must be that of the catalogue.',
  run: ({ options, operands }, env, io) =>
    fit(operands.map(judgementsOf), options.folds, options['dry-run'], env, io),
});

function judgementsOf(argument: string): { name: string; gold: string; sources: string } {
  const [, name = '', gold = '', sources = ''] = /^([^=]+)=([^,]+),([^,]+)$/.exec(argument) ?? [];
  if (name === '') throw new UsageError(`not NAME=GOLD,SOURCES: ${argument}`);
  return { name, gold, sources };
}

async function fit(
  dataSets: ReturnType<typeof judgementsOf>[],
  folds: number,
  dryRun: boolean,
  env: NodeJS.ProcessEnv,
  { out }: Io,
): Promise<void> {
  const config = readConfig(env);
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 2 });
  const rates = readRates(config.exchangeRatesFile);
  const sets = new Map<string, Case[]>();
  for (const judgements of dataSets) {
    sets.set(
      judgements.name,
      (await readCases(es, productsAlias(config.indexPrefix), judgements, rates)).cases,
    );
  }
  await es.close();

  const figures: Record<string, string> = {};
  const tested = new Map(
    [...sets.keys()].map((name): [string, ReturnType<typeof matchingQuality>[]] => [name, []]),
  );
  for (let part = 0; part < DIVISIONS * folds; part += 1) {
    const division = Math.floor(part / folds);
    const heldOut = ({ id }: Case) => Math.floor(seededRandom(id + division)() * folds) === part % folds;
    const model = fitModel([...sets.values()].flat().filter((one) => !heldOut(one)));
    for (const [name, cases] of sets) tested.get(name)?.push(matchingQuality(cases.filter(heldOut), model));
  }
  for (const [name, parts] of tested) figures[`${name}, cross-validated`] = describeQuality(parts.flat());
  if (sets.size > 1) {
    for (const [name, cases] of sets) {
      const model = fitModel([...sets].filter(([other]) => other !== name).flatMap(([, others]) => others));
      figures[`${name}, fitted on the others alone`] = describeQuality([matchingQuality(cases, model)]);
    }
  }
  for (const [what, figure] of Object.entries(figures)) out.write(`${what}: ${figure}\n`);

  const model = fitModel([...sets.values()].flat());
  if (dryRun) return;
  const comment = [
    `Fitted by tools/fit-matching.ts on ${new Date().toISOString().slice(0, 10)}, on ${[...sets.keys()].join(' and ')}.`,
    ...Object.entries(figures).map(([what, figure]) => `${what}: ${figure}.`),
  ];
  await writeFile(path.join(MATCHING, 'weights.ts'), weightsFile(comment, model));
  await writeFile(path.join(MATCHING, 'trees.ts'), treesFile(model));
}

const weightsFile = (
  comment: string[],
  { pair }: Model,
): string => `import type { FeatureName } from './features.js';

/** Log-odds of each piece of evidence. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/**
${comment.map((line) => ` * ${line}`).join('\n')}
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * tools/fitting/fit.ts.
 */
export const PAIR_WEIGHTS: PairWeights = ${JSON.stringify(pair, null, 2)
  .replace(/"(\w+)":/g, '$1:')
  .replace(/\n}$/, ',\n}')};
`;

/** A line for each list of numbers. */
const treesFile = ({
  trees: { inputs, base, trees },
}: Model): string => `import type { Forest } from './forest.js';

/** Fitted by tools/fit-matching.ts together with the weights: see weights.ts. */
// prettier-ignore
export const TREES: Forest = {
  inputs: [
${inputs.map((name) => `    '${name}',`).join('\n')}
  ],
  base: ${Number(base.toPrecision(5))},
  trees: [
${trees
  .map(
    ({ inputs: nodes, thresholds, values }) => `    {
      inputs: [${nodes.join(', ')}],
      thresholds: [${thresholds.join(', ')}],
      values: [${values.join(', ')}],
    },`,
  )
  .join('\n')}
  ],
};
`;

await start(import.meta.url, main);
