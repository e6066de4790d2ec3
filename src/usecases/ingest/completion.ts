import type { Client } from '@elastic/elasticsearch';
import { compareInstants, formatInstant } from '../../listing/instant.js';
import { type AbsentCounts, countAbsent, countAvailable, markAbsent } from './complete.js';
import { formatShare, isAbove } from './guards.js';
import { formatCount } from '../../text/quantities.js';
import { SeenListings } from './repeats.js';
import type { Summary } from './summary.js';

interface TrackedSource {
  seen: SeenListings;
  available: number;
  /** The time of the latest observation in the feed file that is being read. */
  latest: string | null;
  /** When the feed was made; for several files, the earliest time. */
  asOf: string | null;
}

export interface CompletedSource extends AbsentCounts {
  source: string;
  available: number;
  marked: number;
  /** A sentence for the operator that describes the result. */
  message: string;
  /** Whether a guard prevented the listings from being marked as unavailable. */
  stopped: boolean;
}

interface LoadedCatalogue {
  es: Client;
  indexPrefix: string;
  signal: AbortSignal;
}

const GIVE_UP_AFTER_MS = 600_000;

interface CompletionOptions {
  dryRun: boolean;
  /** The maximum percentage of a source's available listings that may be marked as unavailable. */
  maxVanished: number;
  allowEmpty: boolean;
}

/**
 * Marks listings as unavailable that complete feeds no longer contain. The methods for files and listings must be
 * called while the files are read.
 */
export class Completion {
  readonly #sources = new Map<string, TrackedSource>();
  #earliestFile: string | null = null;
  #fileTime = '';

  private constructor() {}

  /** Counts the available listings of each source. It must be called before the load. */
  static async start(sources: readonly string[], catalogue: LoadedCatalogue): Promise<Completion> {
    const completion = new Completion();
    for (const source of sources) {
      const available = await countAvailable(source, catalogue);
      completion.#sources.set(source, { seen: new SeenListings(), available, latest: null, asOf: null });
    }
    return completion;
  }

  /** Must be called before each feed file. @param modified when the file was written; null if unknown. */
  beginFile(modified: Date | null, now: Date): void {
    this.#fileTime = formatInstant((modified ?? now).getTime());
    this.#earliestFile = earlier(this.#earliestFile, this.#fileTime);
    for (const tracked of this.#sources.values()) tracked.latest = null;
  }

  listing(source: string, sku: string, at: string | null | undefined): void {
    const tracked = this.#sources.get(source);
    if (tracked === undefined) return;
    tracked.seen.add(source, sku);
    if (at === undefined) return;
    const observed = at ?? this.#fileTime;
    if (tracked.latest === null || compareInstants(tracked.latest, observed) < 0) tracked.latest = observed;
  }

  endFile(): void {
    for (const tracked of this.#sources.values()) {
      if (tracked.latest !== null) tracked.asOf = earlier(tracked.asOf, tracked.latest);
    }
  }

  /**
   * Marks the missing listings of each source as unavailable, unless a guard prevents it.
   * @param total the summary of all files.
   * @returns a result for each source that was completed before the signal was aborted.
   */
  async *finish(
    total: Summary,
    options: CompletionOptions,
    catalogue: LoadedCatalogue,
    onWait: (note: string) => void,
  ): AsyncGenerator<CompletedSource> {
    for (const [source, { seen, available, asOf }] of this.#sources) {
      const work = {
        ...catalogue,
        source,
        seen,
        onWait,
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        dryRun: options.dryRun,
        asOf: asOf ?? this.#earliestFile ?? this.#fileTime,
        now: () => new Date(),
      };
      const absent = await unlessAborted(catalogue.signal, () => countAbsent(work));
      if (absent === null || catalogue.signal.aborted) return;
      const counts = { source, available: Math.max(available, absent.vanished + absent.newer), ...absent };
      const refusal = refusalOf(counts, work.asOf, seen.empty, total, options);
      if (refusal !== null) {
        const message = `${refusal} Nothing of ${source} was marked unavailable.`;
        yield { ...counts, marked: 0, stopped: true, message };
        continue;
      }
      const marked = options.dryRun ? absent.vanished : await markAbsent(work);
      const would = options.dryRun ? 'would be ' : '';
      const message = `${formatCount(marked)} listings of ${source} are not in the feed: ${would}marked unavailable`;
      yield { ...counts, marked, stopped: false, message: `${message}${describeNewer(absent, work.asOf)}` };
      if (catalogue.signal.aborted) return;
    }
  }
}

/** Returns why no listing of a source may be marked as unavailable; null if marking is allowed. */
function refusalOf(
  { source, available, vanished, newer }: AbsentCounts & { source: string; available: number },
  asOf: string,
  nothingSeen: boolean,
  { unidentified }: Summary,
  { maxVanished, allowEmpty }: CompletionOptions,
): string | null {
  const absent = vanished + newer;
  const of = (count: number) =>
    `${formatCount(count)} of the ${formatCount(available)} available listings of ${source}`;
  if (nothingSeen && !allowEmpty) {
    return `The feed holds no listing of ${source}, so it is not taken for complete: ${of(vanished)} would have become unavailable.`;
  }
  if (vanished > 0 && unidentified > 0) {
    return `${formatCount(unidentified)} of the rejected records tell not which listing they are of, which may be one of these: ${of(vanished)} would have become unavailable. Mend those records and load again.`;
  }
  // If many listings are newer than the feed, it is outdated or incomplete, so they count as missing too.
  if (!isAbove(absent, available, maxVanished)) return null;
  const share = formatShare(absent, available);
  const enough = Math.ceil((100 * absent) / available);
  return `${of(absent)} are not in the feed: ${share}, above the ${maxVanished} % of --max-vanished. ${formatCount(vanished)} would have become unavailable${describeNewer({ newer }, asOf)}. If they are gone: --max-vanished ${enough}.`;
}

const describeNewer = ({ newer }: Pick<AbsentCounts, 'newer'>, asOf: string): string =>
  newer === 0 ? '' : `; ${formatCount(newer)} more stay, observed after the feed was made (${asOf})`;

const earlier = (a: string | null, b: string): string => (a === null || compareInstants(b, a) < 0 ? b : a);

async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
