/** npm run learn: learns from the catalogue which makers there are and which listings are the same product; see --help. */
import { type LearnReport, learnToMatch } from '../src/usecases/learn/learn-to-match.js';
import { learnBrands } from '../src/usecases/learn/learn-brands.js';
import { brandVersions, readBrands } from '../src/published/brand-dictionary.js';
import type { LearnedVersions, VersionRecord } from '../src/published/learned-versions.js';
import { matchingModels } from '../src/published/matching-models.js';
import { readRates } from '../src/products/read-rates.js';
import { formatCount } from '../src/text/quantities.js';
import { OperationError } from '../src/platform/operation-errors.js';
import {
  describeBrandsReport,
  describeInferred,
  formatEstimate,
  inferAgain,
  withBrands,
} from './jobs/brands.js';
import { command, type Io } from './shared/command.js';
import { catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { UsageError } from './shared/exit.js';
import { flag, parsed, parseWholeNumber } from './shared/options.js';
import { start } from './shared/start.js';
import { countRow, textTable, withProgress } from './shared/terminal.js';

const SHIPPED = 'shipped';

type LearnedPart = 'brands' | 'matcher';

export const main = command({
  name: 'learn',
  about: `Learns from the catalogue which makers there are (--brands) and which listings are the same product (--matcher); without
either, both. What was learned is stored with a version, and activated only if it is better than the active version on listings
that neither has seen. A running service uses it within ten seconds.

Brands: the brands that feeds state and the way names begin show which makers there are, so that listings without a brand get
an inferred one. The brands of one name in five are hidden to compare the dictionaries. npm run brands shows and edits the dictionary.

Matcher: listings of different sources with a common GTIN, or with a common brand and model number, are examples of the same
product; similar listings with other identifiers are examples of different products; human decisions (npm run link --
--decisions) count most. Identifiers that different products share are set aside. The learned model starts from the shipped
one, and is activated only if it is significantly better (95 % confidence interval). npm run link -- --all groups the listings with it.`,
  options: {
    brands: flag('only the brand dictionary'),
    matcher: flag('only the matching model'),
    dryRun: flag('measure what would be learned, but do not store it'),
    status: flag('show the learned versions, the latest first, and which is active'),
    rollback: flag('activate the version that was active before'),
    use: parsed(
      `VERSION|${SHIPPED}`,
      'activate this version, or the shipped state without learned data; with --brands or --matcher',
      version,
    ),
    json: flag('print JSON'),
  },
  sections: { 'Learned versions': ['status', 'rollback', 'use'] },
  notes: `${ENGINE_HELP}, and so must EXCHANGE_RATES_FILE.`,
  async run({ options: { brands, matcher, dryRun, status, rollback, use, json } }, env, io) {
    if ([dryRun, status, use !== undefined, rollback].filter(Boolean).length > 1)
      throw new UsageError('Choose one of --dry-run, --status, --rollback and --use.');
    const parts = (['brands', 'matcher'] as const).filter(
      (part) => brands === matcher || (part === 'brands' ? brands : matcher),
    );
    if (use !== undefined && parts.length !== 1)
      throw new UsageError('--use needs --brands or --matcher, because each has versions of its own.');
    await withEngine(env, async (engine) => {
      await catalogueOf(engine);
      const results: Partial<Record<LearnedPart, unknown>> = {};
      const print = (part: LearnedPart, value: unknown, text: string) => {
        results[part] = value;
        if (!json) io.out.write(`${text}\n`);
      };
      if (status) {
        for (const part of parts) print(part, ...(await describeStatus(engine, part)));
      } else if (rollback || use !== undefined) {
        for (const [part, active] of await activate(engine, parts, use))
          print(part, { active }, await describeActivation(engine, part, active, io));
      } else {
        for (const part of parts) print(part, ...(await learn(engine, part, { dryRun }, io)));
      }
      if (json) io.out.write(`${JSON.stringify(results, null, 2)}\n`);
    });
  },
});

const versionsOf = ({ es, indexPrefix }: CommandEngine, part: LearnedPart): LearnedVersions =>
  part === 'brands' ? brandVersions(es, indexPrefix) : matchingModels(es, indexPrefix);

/** Activates the given version, or rolls back each part that has an earlier one. */
async function activate(
  engine: CommandEngine,
  parts: readonly LearnedPart[],
  use: { version: number | null } | undefined,
): Promise<[LearnedPart, number | null][]> {
  const done: [LearnedPart, number | null][] = [];
  let failure: unknown = null;
  for (const part of parts) {
    const versions = versionsOf(engine, part);
    try {
      if (use !== undefined) await versions.activate(use.version);
      done.push([part, use === undefined ? await versions.rollBack() : use.version]);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      failure = error;
    }
  }
  if (done.length === 0) throw failure;
  return done;
}

async function describeActivation(
  engine: CommandEngine,
  part: LearnedPart,
  active: number | null,
  io: Io,
): Promise<string> {
  if (part === 'matcher')
    return `${active === null ? 'The shipped model' : `Model ${active}`} is active. npm run link -- --all groups the listings with it.`;
  const name = active === null ? 'No learned brand dictionary' : `Brand dictionary ${active}`;
  return `${name} is active; ${describeInferred(await inferAgain(engine, io))}`;
}

async function learn(
  engine: CommandEngine,
  part: LearnedPart,
  options: { dryRun: boolean },
  io: Io,
): Promise<[unknown, string]> {
  if (part === 'brands') {
    const report = await withBrands(engine, io, (context) => learnBrands(context, options));
    return [report, describeBrandsReport(report)];
  }
  const { es, indexPrefix, exchangeRatesFile } = engine;
  const report = await withProgress('learn', io.err, ({ update, line }) =>
    learnToMatch(
      {
        es,
        indexPrefix,
        rates: readRates(exchangeRatesFile),
        signal: io.signal,
        now: () => new Date(),
        onProgress: update,
        report: line,
      },
      options,
    ),
  );
  return [report, describeReport(report)];
}

function version(given: string, option: string): { version: number | null } {
  return { version: given === SHIPPED ? null : parseWholeNumber(given, option, { min: 1, max: 1_000_000 }) };
}

async function describeStatus(engine: CommandEngine, part: LearnedPart): Promise<[unknown, string]> {
  const { active, versions } = await versionsOf(engine, part).list();
  const isActive = (number: number | null) => (number === active ? 'active' : '');
  /** The rows of the versions. `names`: the names of two figures. `countOf`: how many items a version was learned from. */
  const rowsOf = (
    titles: readonly string[],
    countOf: (counts: VersionRecord['counts']) => number,
    names: readonly string[],
  ): string[][] => [
    [part, 'learned', ...titles, ''],
    ...versions.map(({ version: number, learned_at, counts, figures }) => [
      String(number),
      learned_at,
      formatCount(countOf(counts)),
      ...names.map((name) => (figures[name] === undefined ? '' : formatEstimate(figures[name]))),
      isActive(number),
    ]),
  ];
  if (part === 'matcher') {
    const pairs = ({ samePairs = 0, differentPairs = 0 }: VersionRecord['counts']) =>
      samePairs + differentPairs;
    const rows = rowsOf(['pairs', 'pair F1', 'change'], pairs, ['after', 'change']);
    return [{ active, versions }, textTable([...rows, [SHIPPED, '', '', '', '', isActive(null)]])];
  }
  const { settings, makers } = await readBrands(engine.es, engine.indexPrefix);
  const rows = rowsOf(['entries', 'precision', 'recall'], ({ makers = 0 }) => makers, [
    'precision',
    'recall',
  ]);
  const { added, removed, in_filters } = settings;
  const edits = { added: Object.keys(added).length, removed: removed.length };
  const summary = `${formatCount(makers.size)} entries are in use, ${edits.added} of them added by the operator, who removed ${edits.removed}; filters and facets ${in_filters ? 'include' : 'do not include'} inferred brands`;
  return [{ active, in_filters, entries: makers.size, ...edits, versions }, `${textTable(rows)}\n${summary}`];
}

function describeReport({ counts, figures, outcome, version: stored }: LearnReport): string {
  const lines = [
    countRow(counts.identified, 'listings state a GTIN, or a brand and a model'),
    countRow(counts.products, 'products of several sources in the sample'),
    countRow(counts.setAside, 'identifiers set aside, because different products share them'),
    countRow(counts.samePairs, 'pairs of the same product'),
    countRow(counts.differentPairs, 'pairs of different products'),
    countRow(counts.decisions, 'human decisions'),
  ];
  if (figures !== null)
    lines.push(
      `pair F1 of the active model  ${formatEstimate(figures.before)}`,
      `pair F1 of the learned model ${formatEstimate(figures.after)}`,
      `change                       ${formatEstimate(figures.change)}`,
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
