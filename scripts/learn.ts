/** npm run learn: learns from the catalogue which listings are the same product; see --help. */
import { type LearnReport, learnToMatch } from '../src/usecases/learn/learn-to-match.js';
import {
  activateModel,
  listModels,
  type ModelRecord,
  modelsIndex,
  rollBackModel,
} from '../src/usecases/shared/matcher/matching-models.js';
import { readRates } from '../src/usecases/shared/read-rates.js';
import { formatCount } from '../src/text/quantities.js';
import type { Estimate } from '../src/text/statistics.js';
import { command, type Io } from './shared/command.js';
import { catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { UsageError } from './shared/exit.js';
import { flag, parsed, parseWholeNumber } from './shared/options.js';
import { start } from './shared/start.js';
import { showProgress, textTable } from './shared/terminal.js';

const SHIPPED = 'shipped';

export const main = command({
  name: 'learn',
  about: `Learns from the catalogue which listings are the same product. Listings of different sources with a common GTIN, or with
a common brand and model number, are examples of the same product; similar listings with other identifiers are examples of
different products; human decisions (npm run link -- --decisions) count most. Identifiers that different products share are set
aside. The learned model starts from the shipped one. It is stored and activated only if it is better than the active model,
beyond the 95 % interval, on products that neither was fitted on. A running service uses it within ten seconds; npm run link --
--all groups the listings with it.`,
  options: {
    dryRun: flag('measure the learned model, but do not store it'),
    list: flag('list the learned models, the latest first'),
    use: parsed(`VERSION|${SHIPPED}`, 'activate a learned model, or the shipped one', version),
    rollBack: flag('activate the model that was active before'),
    json: flag('print JSON'),
  },
  sections: { 'Learned models': ['list', 'use', 'rollBack'] },
  notes: `${ENGINE_HELP}, and so must EXCHANGE_RATES_FILE.`,
  async run({ options: { dryRun, list, use, rollBack, json } }, env, io) {
    if ([dryRun, list, use !== undefined, rollBack].filter(Boolean).length > 1)
      throw new UsageError('Choose one of --dry-run, --list, --use and --roll-back.');
    await withEngine(env, async (engine) => {
      await catalogueOf(engine);
      const index = modelsIndex(engine.indexPrefix);
      const print = (value: unknown, text: string) =>
        void io.out.write(`${json ? JSON.stringify(value, null, 2) : text}\n`);
      if (list) {
        const known = await listModels(engine.es, index);
        print(known, describeModels(known));
      } else if (use !== undefined || rollBack) {
        const active = use === undefined ? await rollBackModel(engine.es, index) : use.version;
        if (use !== undefined) await activateModel(engine.es, index, active);
        print(
          { active },
          `${describeVersion(active)} is active. npm run link -- --all groups the listings with it.`,
        );
      } else {
        const report = await learnFrom(engine, { dryRun }, io);
        print(report, describeReport(report));
      }
    });
  },
});

async function learnFrom(
  { es, indexPrefix, exchangeRatesFile }: CommandEngine,
  options: { dryRun: boolean },
  { err, signal }: Io,
): Promise<LearnReport> {
  const display = showProgress('learn', err);
  try {
    return await learnToMatch(
      {
        es,
        indexPrefix,
        rates: readRates(exchangeRatesFile),
        signal,
        now: () => new Date(),
        onProgress: display.update,
        report: display.line,
      },
      options,
    );
  } finally {
    display.stop();
  }
}

function version(given: string, option: string): { version: number | null } {
  return { version: given === SHIPPED ? null : parseWholeNumber(given, option, { min: 1, max: 1_000_000 }) };
}

const describeVersion = (active: number | null): string =>
  active === null ? 'The shipped model' : `Model ${active}`;

const estimate = ({ value, low, high }: Estimate): string =>
  `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

function describeModels({ active, models }: { active: number | null; models: ModelRecord[] }): string {
  const rows = models.map(({ version: number, learned_at, counts, figures }) => [
    String(number),
    learned_at,
    formatCount((counts['samePairs'] ?? 0) + (counts['differentPairs'] ?? 0)),
    figures['after'] === undefined ? '' : estimate(figures['after']),
    figures['change'] === undefined ? '' : estimate(figures['change']),
    number === active ? 'active' : '',
  ]);
  const shipped = [SHIPPED, '', '', '', '', active === null ? 'active' : ''];
  return textTable([['version', 'learned', 'pairs', 'pair F1', 'change', ''], ...rows, shipped]);
}

function describeReport({ counts, figures, outcome, version: stored }: LearnReport): string {
  const row = (number: number, label: string) => `${formatCount(number).padStart(12)}  ${label}`;
  const lines = [
    row(counts.identified, 'listings state a GTIN, or a brand and a model'),
    row(counts.products, 'products of several sources in the sample'),
    row(counts.setAside, 'identifiers set aside, because different products share them'),
    row(counts.samePairs, 'pairs of the same product'),
    row(counts.differentPairs, 'pairs of different products'),
    row(counts.decisions, 'human decisions'),
  ];
  if (figures !== null)
    lines.push(
      `pair F1 of the active model  ${estimate(figures.before)}`,
      `pair F1 of the learned model ${estimate(figures.after)}`,
      `change                       ${estimate(figures.change)}`,
    );
  const outcomes: Record<LearnReport['outcome'], string> = {
    activated: `learn: model ${stored} is active. npm run link -- --all groups the listings with it.`,
    'would be activated': 'learn: the model is better and would be activated',
    'not better': 'learn: the model is not better beyond chance; the active model stays',
    'too few pairs': 'learn: the catalogue has too few pairs with identifiers or decisions to learn from',
  };
  return [...lines, outcomes[outcome]].join('\n');
}

await start(import.meta.url, main);
