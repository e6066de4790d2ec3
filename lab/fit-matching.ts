/** npm run fit:matching: fits the matching model of src/matching to judged listings; see --help. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fitSlope } from '../src/matching/learning/slope.js';
import { MODEL_FILE, type Model } from '../src/matching/model.js';
import { decimal } from './evaluation/report.js';
import type { Figure } from './evaluation/statistics.js';
import { casesOf, rememberProfiles, type Case } from './fitting/cases.js';
import { fitChoice, fitModel, unseenPairs, type Fitted } from './fitting/fit.js';
import { matchingFigures } from './fitting/quality.js';
import { learningCurves } from './fitting/learning-curves.js';
import { readJudgedSets } from './fitting/training.js';
import { command } from '../scripts/shared/command.js';
import { flag, needed, preset, text, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { withProgress } from '../scripts/shared/terminal.js';
import type { ProgressDisplay } from '../src/platform/progress.js';

const ROOT = path.join(import.meta.dirname, '..');

/** The content of `model.json`. */
interface ModelFile extends Model {
  fitted: string;
  sets: string[];
  /** For each data set, the quality metrics on it of a model that was fitted on all other data sets. */
  leftOut: Record<string, Record<string, string>>;
}

export const main = command({
  name: 'fit:matching',
  about: `Fits ${MODEL_FILE} on judged pairs of listings that are in the catalogue. For each SET the folder has SET_gold.csv
(a_source,a_sku,b_source,b_sku: every pair that is the same product) with SET_sources.csv (a_source,a_sku: every
listing that was judged), or SET_pairs.csv (labelled pairs: the columns of SET_gold.csv, and label 1 or 0), or all three; plain or .gz.

First, each set is left out in turn, and the model that was fitted on the others is measured on it (leave-one-out
cross-validation), which shows what to expect of unseen listings. Then the model is fitted on all sets and written, with these
figures.`,
  operands: { show: 'SET...', missing: 'Name the sets of judgements' },
  options: {
    data: needed(text('FOLDER', 'where the judgements are')),
    most: preset(
      wholeNumber('the maximum number of listings to use from each set', { min: 1, max: 1_000_000 }),
      1500,
    ),
    dryRun: flag('print the figures, write nothing'),
    learning: flag(
      'also measure what npm run learn gains: for each set, the model that was fitted without it learns from half of its products, and is measured on the other half',
    ),
  },
  notes:
    'Elasticsearch is the one of ELASTICSEARCH_URL; INDEX_PREFIX (catalog) must be that of the catalogue. Takes minutes.',
  run: ({ options, operands }, env, { err }) =>
    withProgress('fit', err, (display) => fit(operands, options, env, display)),
});

async function fit(
  names: readonly string[],
  { data, most, dryRun, learning }: { data: string; most: number; dryRun: boolean; learning: boolean },
  env: NodeJS.ProcessEnv,
  display: ProgressDisplay,
): Promise<void> {
  const sets = new Map<string, Case[]>();
  const judgedSets = readJudgedSets(names, { folder: data, most, env }, (share, note) =>
    display.update({ share: (READING * share) / STEPS(names.length), note }),
  );
  for await (const [set, judged] of judgedSets) {
    const read = rememberProfiles();
    sets.set(
      set,
      judged.flatMap((one) => casesOf(one, read)),
    );
  }
  const calibrated = calibrating(sets);
  const print = ({ name: figure, value, low, high, cases }: Figure) =>
    display.line(`  ${figure.padEnd(52)} ${decimal(value)}  ${decimal(low)} to ${decimal(high)}  (${cases})`);
  const leftOut: Record<string, Figure[]> = {};
  for (const [index, name] of names.entries()) {
    if (sets.size === 1) break;
    display.update({ share: (READING + index) / STEPS(sets.size), note: `without ${name}` });
    const model = calibrated(names.filter((other) => other !== name));
    leftOut[name] = matchingFigures(sets.get(name) ?? [], model);
    display.line(`${name}, left out; slope ${decimal(model.slope)}`);
    leftOut[name].forEach(print);
    if (learning) learningCurves(sets.get(name) ?? [], model).forEach(print);
  }
  display.update({ share: 1 - 1 / STEPS(sets.size), note: 'all' });
  const model = calibrated(names);
  display.line(`slope ${decimal(model.slope)}`);
  if (dryRun) return;
  const file: ModelFile = {
    fitted: new Date().toISOString().slice(0, 10),
    sets: [...names],
    leftOut: Object.fromEntries(
      Object.entries(leftOut).map(([name, figures]) => [name, Object.fromEntries(figures.map(described))]),
    ),
    ...model,
  };
  await writeFile(path.join(ROOT, MODEL_FILE), `${JSON.stringify(file, null, 1)}\n`);
}

/** Fits a model on some sets, calibrated by models that were fitted without each set, so that it does not depend on a set left out. */
function calibrating(sets: ReadonlyMap<string, readonly Case[]>): (names: readonly string[]) => Model {
  const known = new Map<string, Fitted>();
  const casesOf = (names: readonly string[]) => names.flatMap((name) => sets.get(name) ?? []);
  const fitted = (names: readonly string[]): Fitted => {
    const model = known.get(names.join()) ?? fitModel(casesOf(names));
    known.set(names.join(), model);
    return model;
  };
  return (names) => {
    if (names.length === 1) return { ...fitted(names), slope: fitSlope([]) };
    const unseen = names.map((name) => ({
      cases: casesOf([name]),
      model: fitted(names.filter((other) => other !== name)),
    }));
    const slope = fitSlope(unseen.flatMap(({ cases, model }) => unseenPairs(cases, model)));
    const choice = fitChoice(unseen.map(({ cases, model }) => ({ cases, model: { ...model, slope } })));
    return { ...fitted(names), slope, choice };
  };
}

/** The part of the progress bar for reading and comparing the data, as a multiple of the part of one fit. */
const READING = 2;
const STEPS = (sets: number): number => READING + sets + 1;

const described = ({ name, value, low, high }: Figure): [string, string] => [
  name,
  `${decimal(value)} (${decimal(low)} to ${decimal(high)})`,
];

await start(import.meta.url, main);
