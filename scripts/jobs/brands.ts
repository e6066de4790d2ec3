import {
  type BrandsContext,
  type BrandsReport,
  hasOutgrownBrands,
  type InferredCounts,
  learnBrands,
  updateInferredBrands,
} from '../../src/usecases/learn/learn-brands.js';
import { formatCount } from '../../src/text/quantities.js';
import type { Estimate } from '../../src/text/statistics.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
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

/** Learns the brand dictionary if the catalogue has grown much since the last time. */
export async function learnBrandsIfGrown(engine: CommandEngine, io: Io, share?: number): Promise<void> {
  if (!(await hasOutgrownBrands(engine))) return;
  const report = await withBrands(engine, io, (context) =>
    learnBrands({ ...context, share }, { dryRun: false }),
  );
  if (report.outcome === 'activated') io.out.write(`${describeOutcome(report)}\n`);
}

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
