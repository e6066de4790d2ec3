/** npm run fit:matching: fits the weights of src/matching on judged pairs; see --help. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { productsAlias } from '../src/catalogue/indices.js';
import { createElasticsearch } from '../src/clients.js';
import { readConfig } from '../src/config.js';
import { readRates } from '../src/rates/read-rates.js';
import { fitWeights } from './fitting/fit.js';
import { describeQuality, matchingQuality } from './fitting/quality.js';
import { readCases, type Case } from './fitting/training.js';
import { CommandError, fail } from './terminal.js';

const HELP = `npm run fit:matching -- NAME=GOLD,SOURCES…

Fits the weights of src/matching/weights.ts on judged pairs of listings that are in the catalogue: each NAME has a
CSV file of all pairs that are the same product (a_source,a_sku,b_source,b_sku) and one of all listings that were
judged (a_source,a_sku). Prints figures of cross-validation by listing, and of a fit on each data set alone tried
on the others; then fits on all of them and writes the file.

  --folds N    parts of the cross-validation (4)
  --dry-run    print the figures, write nothing
  --help

Elasticsearch is the one of ELASTICSEARCH_URL; INDEX_PREFIX (catalog) must be that of the catalogue.
`;

const WEIGHTS_FILE = path.join(import.meta.dirname, '../src/matching/weights.ts');

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      folds: { type: 'string', default: '4' },
      'dry-run': { type: 'boolean' },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const config = readConfig(process.env);
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 2 });
  const rates = readRates(config.exchangeRatesFile);
  const sets = new Map<string, Case[]>();
  for (const argument of positionals) {
    const [, name = '', gold = '', sources = ''] = /^([^=]+)=([^,]+),([^,]+)$/.exec(argument) ?? [];
    if (name === '') throw new CommandError(`not NAME=GOLD,SOURCES: ${argument}`);
    const judgements = { name, gold, sources };
    sets.set(name, (await readCases(es, productsAlias(config.indexPrefix), judgements, rates)).cases);
  }
  await es.close();

  const folds = Number(values.folds);
  const figures: Record<string, string> = {};
  const tested = new Map(
    [...sets.keys()].map((name): [string, ReturnType<typeof matchingQuality>[]] => [name, []]),
  );
  for (let fold = 0; fold < folds; fold += 1) {
    const inFold = ({ sought }: Case) => sought.id % folds === fold;
    const weights = fitWeights([...sets.values()].flat().filter((one) => !inFold(one)));
    for (const [name, cases] of sets) tested.get(name)?.push(matchingQuality(cases.filter(inFold), weights));
  }
  for (const [name, parts] of tested) figures[`${name}, cross-validated`] = describeQuality(parts.flat());
  if (sets.size > 1) {
    for (const [name, cases] of sets) {
      const weights = fitWeights(
        [...sets].filter(([other]) => other !== name).flatMap(([, others]) => others),
      );
      figures[`${name}, fitted on the others alone`] = describeQuality([matchingQuality(cases, weights)]);
    }
  }
  for (const [what, figure] of Object.entries(figures)) process.stdout.write(`${what}: ${figure}\n`);

  const weights = fitWeights([...sets.values()].flat());
  if (values['dry-run']) return;
  const rounded = JSON.stringify({ pair: weights.pair, context: weights.context }, roundNumbers, 2);
  const comment = [
    `Fitted by scripts/fit-matching.ts on ${new Date().toISOString().slice(0, 10)}, on ${[...sets.keys()].join(' and ')}.`,
    ...Object.entries(figures).map(([what, figure]) => `${what}: ${figure}.`),
  ];
  await writeFile(WEIGHTS_FILE, weightsFile(comment, rounded));
}

const roundNumbers = (_: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;

const weightsFile = (
  comment: string[],
  weights: string,
): string => `import type { FeatureName } from './features.js';
import type { ContextEvidence } from './match.js';

/** Log-odds of each piece of evidence. */
export interface Weights {
  pair: Readonly<Record<FeatureName, number>>;
  context: Readonly<Record<keyof ContextEvidence, number>>;
}

/**
${comment.map((line) => ` * ${line}`).join('\n')}
 * Of evidence that no public data set has (GTINs, stated models, capacities) the weight is a judgement, in
 * scripts/fitting/fit.ts.
 */
export const WEIGHTS: Weights = ${weights.replace(/"(\w+)":/g, '$1:')};
`;

main().catch(fail);
