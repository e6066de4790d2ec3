import {
  type BrandsContext,
  type BrandsReport,
  hasOutgrownBrands,
  learnBrands,
  updateInferredBrands,
} from '../../src/usecases/learn/learn-brands.js';
import type { InferredCounts } from '../../src/usecases/shared/brands/infer-brands.js';
import { formatCount } from '../../src/text/quantities.js';
import type { Estimate } from '../../src/text/statistics.js';
import type { Summary } from '../../src/usecases/ingest/summary.js';
import type { Io } from '../shared/command.js';
import { afterLoad, type CommandEngine } from '../shared/engine.js';
import { countRow, withProgress } from '../shared/terminal.js';

/** Runs work on the brand dictionary, with a progress bar. */
export const withBrands = <T>(
  { es, indexPrefix }: CommandEngine,
  { err, signal }: Pick<Io, 'err' | 'signal'>,
  work: (context: BrandsContext) => Promise<T>,
): Promise<T> =>
  withProgress('brands', err, ({ update, line }) =>
    work({ es, indexPrefix, signal, now: () => new Date(), onProgress: update, report: line }),
  );

/** Infers the makers of all listings again, after the dictionary was changed. */
export const inferAgain = (engine: CommandEngine, io: Io): Promise<InferredCounts> =>
  withBrands(engine, io, updateInferredBrands);

/** Learns the brand dictionary after a load, if the catalogue has grown much since the last time. */
export const learnBrandsAfterLoad = async (
  { created }: Summary,
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<void> => {
  if (created === 0) return;
  await afterLoad(
    env,
    io,
    async (engine) => {
      if (!(await hasOutgrownBrands(engine))) return;
      const report = await withBrands(engine, io, (context) => learnBrands(context, { dryRun: false }));
      if (report.outcome === 'activated') io.out.write(`${describeOutcome(report)}\n`);
    },
    (reason) =>
      `The brand dictionary is as it was before the load (${reason}); npm run learn -- --brands updates it.`,
  );
};

export const formatEstimate = ({ value, low, high }: Estimate): string =>
  Number.isNaN(value) ? 'unknown' : `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

export function describeBrandsReport(report: BrandsReport): string {
  const { counts, figures } = report;
  const lines = [
    countRow(counts.listings, 'listings read'),
    countRow(counts.stated, 'listings state a brand'),
    countRow(counts.hidden, 'listings whose brand was hidden, to compare the dictionaries'),
    countRow(counts.makers, 'entries learned'),
  ];
  if (figures !== null)
    for (const [name, { precision, recall }] of [
      ['active dictionary', figures.before],
      ['learned dictionary', figures.after],
    ] as const)
      lines.push(
        `${name.padEnd(18)} precision ${formatEstimate(precision)}, recall ${formatEstimate(recall)}`,
      );
  return [...lines, describeOutcome(report)].join('\n');
}

function describeOutcome({ outcome, version, counts, inferred }: BrandsReport): string {
  const outcomes: Record<BrandsReport['outcome'], string> = {
    activated: `brands: dictionary ${version} with ${formatCount(counts.makers)} entries is active`,
    'would be activated': 'brands: the dictionary would be activated',
    'not better': 'brands: the dictionary is not better, or the same; the active one stays',
    'nothing learned': 'brands: nothing was learned, because too few listings name a maker',
  };
  return `${outcomes[outcome]}${inferred === null ? '' : `; ${describeInferred(inferred)}`}`;
}

export function describeInferred({ listings, inferred, changed, left }: InferredCounts): string {
  const rest = left === 0 ? '' : `, ${formatCount(left)} are left for the next run`;
  return `${formatCount(inferred)} of ${formatCount(listings)} listings without a brand have a maker, ${formatCount(changed)} were changed${rest}`;
}
