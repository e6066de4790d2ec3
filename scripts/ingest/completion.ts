import type { Client } from '@elastic/elasticsearch';
import { type Absent, countAbsent, countAvailable, markAbsent } from '../../src/usecases/ingest/complete.js';
import { formatShare, isAbove } from '../../src/usecases/ingest/guard.js';
import { compareInstants, formatInstant } from '../../src/listing/instant.js';
import { SeenListings } from '../../src/usecases/ingest/seen.js';
import type { Summary } from '../../src/usecases/ingest/summary.js';
import { formatCount } from '../shared/terminal.js';
import type { Options } from './options.js';

interface Tracked {
  seen: SeenListings;
  /** How many available listings it had before the load. */
  available: number;
  /** The latest observation in the file that is being read. */
  latest: string | null;
  /** When the feed was made: of several files the earliest counts. */
  asOf: string | null;
}

/** What became of a source's listings that are not in its complete feed. */
export interface Completed extends Absent {
  source: string;
  available: number;
  marked: number;
  /** For people. */
  said: string;
  /** Whether a guard kept them from being marked. */
  stopped: boolean;
}

export interface Where {
  es: Client;
  indexPrefix: string;
  signal: AbortSignal;
}

const GIVE_UP_AFTER_MS = 600_000;

/** What `--complete` has to know of each source, gathered while the files are read. */
export class Completion {
  readonly #sources = new Map<string, Tracked>();
  #earliestFile: string | null = null;
  #fileTime = '';

  private constructor() {}

  /** To be called before the load: it counts what there is. */
  static async start(sources: readonly string[], where: Where): Promise<Completion> {
    const completion = new Completion();
    for (const source of sources) {
      const available = await countAvailable(source, where);
      completion.#sources.set(source, { seen: new SeenListings(), available, latest: null, asOf: null });
    }
    return completion;
  }

  /** A file is to be read. @param modified when it was written; null: nobody knows. */
  beginFile(modified: Date | null, now: Date): void {
    this.#fileTime = formatInstant((modified ?? now).getTime());
    this.#earliestFile = earlier(this.#earliestFile, this.#fileTime);
    for (const tracked of this.#sources.values()) tracked.latest = null;
  }

  /** See `LoadOptions.onListing`. */
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
   * Marks what is absent, source by source, unless a guard speaks against it.
   * @param total of all files.
   * @returns one for each source; fewer when the signal ended it.
   */
  async *finish(
    total: Summary,
    options: Pick<Options, 'dryRun' | 'maxVanished' | 'allowEmpty'>,
    where: Where,
    onWait: (note: string) => void,
  ): AsyncGenerator<Completed> {
    for (const [source, { seen, available, asOf }] of this.#sources) {
      const work = {
        ...where,
        source,
        seen,
        onWait,
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        dryRun: options.dryRun,
        asOf: asOf ?? this.#earliestFile ?? this.#fileTime,
        now: () => new Date(),
      };
      const absent = await unlessAborted(where.signal, () => countAbsent(work));
      if (absent === null || where.signal.aborted) return;
      const found = { source, available: Math.max(available, absent.vanished + absent.newer), ...absent };
      const refusal = refusalOf(found, work.asOf, seen.empty, total, options);
      if (refusal !== null) {
        const said = `${refusal} Nothing of ${source} was marked unavailable.`;
        yield { ...found, marked: 0, stopped: true, said };
        continue;
      }
      const marked = options.dryRun ? absent.vanished : await markAbsent(work);
      const would = options.dryRun ? 'would be ' : '';
      const said = `${formatCount(marked)} listings of ${source} are not in the feed: ${would}marked unavailable`;
      yield { ...found, marked, stopped: false, said: `${said}${describeNewer(absent, work.asOf)}` };
      if (where.signal.aborted) return;
    }
  }
}

/** Why nothing may be marked, and what would have been; null: it may. */
function refusalOf(
  { source, available, vanished, newer }: Absent & { source: string; available: number },
  asOf: string,
  nothingSeen: boolean,
  { unidentified }: Summary,
  { maxVanished, allowEmpty }: Pick<Options, 'maxVanished' | 'allowEmpty'>,
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
  // Also where they would stay for being newer: then it is an old feed, or not all of one.
  if (!isAbove(absent, available, maxVanished)) return null;
  const share = formatShare(absent, available);
  const enough = Math.ceil((100 * absent) / available);
  return `${of(absent)} are not in the feed: ${share}, above the ${maxVanished} % of --max-vanished. ${formatCount(vanished)} would have become unavailable${describeNewer({ newer }, asOf)}. If they are gone: --max-vanished ${enough}.`;
}

const describeNewer = ({ newer }: Pick<Absent, 'newer'>, asOf: string): string =>
  newer === 0 ? '' : `; ${formatCount(newer)} more stay, observed after the feed was made (${asOf})`;

const earlier = (a: string | null, b: string): string => (a === null || compareInstants(b, a) < 0 ? b : a);

/** @returns null when the signal ended it. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
