import { Backoff } from '../../engine/backoff.js';
import { productsAlias } from '../../engine/indices.js';
import { unknownMarks } from '../../feeds/map/money.js';
import type { FeedItem } from '../../feeds/read/feed.js';
import { listingKey } from '../../listing/identify.js';
import type { MergeOutcome } from '../../listing/merge.js';
import { ownerOfSource, ownerReader } from '../../listing/owner.js';
import { readKey, reasonKind } from '../../listing/validate.js';
import { type BrandDictionary, makerReader, readBrands } from '../../published/brand-dictionary.js';
import { readShops } from '../../sources/source-states.js';
import {
  type BatchContext,
  type BatchOptions,
  isReplaceable,
  mergeBatch,
  RecordBatch,
} from './merge-batch.js';
import { checkItem, type FeedCheckOptions, unknownColumns } from './check.js';
import { describeRepeats, formatShare, GuardError, isAbove, repeatsTooOften } from './guards.js';
import { type BatchResponse, FIRST_PACE, GENTLE_PACE, type LoadPace, paceAfter } from './pace.js';
import { countNames, countRejected, emptySummary, type Summary } from './summary.js';
import { storedIndex } from '../../platform/stored.js';

export interface Reject {
  file?: string | undefined;
  line: number;
  reasons: string[];
  record: unknown;
}

export interface LoadOptions extends FeedCheckOptions, BatchOptions {
  indexPrefix: string;
  records: AsyncIterable<FeedItem>;
  now?: () => Date;
  /** Returns when listings without `last_checked` were observed; null: when loaded. Called after the first record. */
  observedAt?: (() => Date | null) | undefined;
  /** Called for each record that was loaded. `repeated`: a later record of the same listing was loaded in its place. */
  onOutcome?: (line: number, outcome: MergeOutcome | 'repeated') => void;
  onUnknown?: (line: number, names: readonly string[]) => void;
  onRepair?: (line: number, repairs: readonly string[]) => void;
  /** Called for each rejected record. The load waits for the returned promise. */
  onReject?: (reject: Reject) => void | Promise<void>;
  /** Called with the counts of the loaded records, and the number of records that were read but not loaded yet. */
  onProgress?: (summary: Readonly<Summary>, ahead: number) => void;
  onWait?: (note: string) => void;
  /** Called for each listing in the feed. `at`: when it was observed; null: the feed does not say; undefined: it was rejected. */
  onListing?: (source: string, sku: string, at: string | null | undefined) => void;
  /** Ends the load after the current batches; the summary then says that it was interrupted. */
  signal?: AbortSignal;
  /** For the key of each listing that occurs several times, the index of the last record, which alone is loaded. */
  repeats?: ReadonlyMap<string, number>;
  /** The percentage of rejected records above which the load stops, from a thousand records on. */
  maxRejected?: number | undefined;
  /** Whether to stop if, from a thousand records on, many repeat the listing of another record. */
  guardsRepeats?: boolean;
  /** Whether the load shares its process with requests: it sends one small batch at a time, and does not wait for the refresh. */
  gently?: boolean;
  /** The time in ms after which a load ends with an error if Elasticsearch accepts nothing. */
  giveUpAfterMs?: number;
  /** Returns the brand dictionary that is in use; by default it is read when the load begins. */
  brands?: () => Promise<BrandDictionary>;
  /** Returns the shops of sources that belong to one; by default they are read when the load begins. */
  shops?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  /** The sources of the load that are one owner, in addition to those of one shop. */
  together?: readonly string[] | undefined;
}

/** A load did not reach the end of its feed. What its summary counts was loaded; loading again is safe. */
export class LoadError extends Error {
  override name = 'LoadError';

  constructor(
    cause: unknown,
    readonly summary: Summary,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** From this number of records on, the share of repeated records is checked, and that of rejected ones, also at the end. */
const GUARDED_FROM_RECORDS = 1_000;

/**
 * Loads a feed: validates each record and applies it to the listing with its source and SKU. Searches then find all listings.
 * Loading is safe to repeat, to kill and to run concurrently, because writes are conditional and applying a record twice changes
 * nothing. Memory does not grow with the feed.
 * @throws LoadError if the feed is broken, Elasticsearch is not available, or a guard stops the load (its cause is a
 * `GuardError`). All records before the error were loaded.
 */
export async function loadRecords(options: LoadOptions): Promise<Summary> {
  return new Load(options).run();
}

class Load {
  #taken = 0;
  #hasSent = false;
  readonly #summary = emptySummary();
  readonly #alias: string;
  readonly #inFlight = new Map<RecordBatch, Promise<void>>();
  #batch = new RecordBatch();
  #failure: { error: unknown } | null = null;
  /** Whether most listings of the last batch were new; null until the first batch has been written. */
  #expectNew: boolean | null = null;
  #lastNow = 0;
  #pace: LoadPace;
  #makerOf: BatchContext['makerOf'];
  #ownerOf: BatchContext['ownerOf'] = ownerOfSource;

  constructor(private readonly options: LoadOptions) {
    this.#alias = productsAlias(options.indexPrefix);
    this.#pace = options.gently === true ? GENTLE_PACE : FIRST_PACE;
  }

  async run(): Promise<Summary> {
    const { es, indexPrefix, signal, together } = this.options;
    const { brands = () => readBrands(es, indexPrefix), shops = () => readShops(es, indexPrefix) } =
      this.options;
    let broken: { error: unknown } | null = null;
    try {
      this.#makerOf = makerReader(await this.#backoff().retry(brands));
      this.#ownerOf = ownerReader({ shops: await this.#backoff().retry(shops), together });
      for await (const item of this.options.records) {
        if (this.#failure !== null || signal?.aborted === true) break;
        await this.#take(item);
      }
      this.#guardRejected();
    } catch (error) {
      broken = { error };
    }
    // The records before a broken part of the feed are loaded, but none after a guard has stopped the load.
    if (signal?.aborted !== true && !(broken?.error instanceof GuardError)) await this.#send();
    await Promise.all(this.#inFlight.values());
    await this.#refresh();
    if (signal?.aborted === true) return { ...this.#summary, interrupted: true };
    const failure = this.#failure ?? broken;
    if (failure !== null) throw new LoadError(failure.error, this.#summary);
    return this.#summary;
  }

  async #take(item: FeedItem): Promise<void> {
    const index = this.#taken++;
    const { repairs } = item;
    if (repairs !== undefined) {
      countNames(this.#summary.repaired, repairs.map(reasonKind));
      this.options.onRepair?.(item.line, repairs);
    }
    const unknown = unknownColumns(item);
    countNames(this.#summary.unknown_columns, unknown);
    if (unknown.length > 0) this.options.onUnknown?.(item.line, unknown);
    const checked = checkItem(item, unknown, this.options, this.#now());
    if ('reasons' in checked) {
      const known = readKey(item.value);
      if (known === null) this.#summary.unidentified += 1;
      else this.options.onListing?.(known.source, known.sku, undefined);
      await this.#reject(item, checked.reasons);
      if (this.#taken >= GUARDED_FROM_RECORDS) this.#guardRejected();
      return;
    }
    const { record, dropped } = checked;
    countNames(this.#summary.dropped_fields, [...new Set([...(item.dropped ?? []), ...dropped])]);
    const isMapped = item.leftover !== undefined;
    if (isMapped && typeof record.price === 'string' && typeof record.currency !== 'string') {
      this.#summary.without_currency += 1;
      countNames(this.#summary.currency_marks, unknownMarks(item.raw, record.price));
    }
    this.options.onListing?.(record.source, record.sku, record.last_checked ?? null);
    const last = isReplaceable(record) ? this.options.repeats?.get(listingKey(record)) : undefined;
    if (last !== undefined && index < last) return this.#skip(item);
    const replaced = this.#batch.add(record, item);
    if (replaced !== null) this.#skip(replaced);
    if (this.#batch.isFull(this.#pace)) await this.#send();
  }

  #skip({ line }: FeedItem): void {
    this.options.onOutcome?.(line, 'repeated');
    this.#summary.read += 1;
    this.#summary.repeated += 1;
    const { repeated } = this.#summary;
    if (this.options.guardsRepeats !== true || this.#taken < GUARDED_FROM_RECORDS) return;
    if (repeatsTooOften(repeated, this.#taken))
      throw new GuardError('allow_repeats', describeRepeats(repeated, this.#taken, '', this.#hasSent));
  }

  async #reject(item: FeedItem, reasons: string[]): Promise<void> {
    this.#summary.read += 1;
    countRejected(this.#summary, reasons);
    this.#reportProgress();
    await this.options.onReject?.({ file: item.file, line: item.line, reasons, record: item.raw });
  }

  #guardRejected(): void {
    const { maxRejected } = this.options;
    const { rejected } = this.#summary;
    if (maxRejected === undefined || !isAbove(rejected, this.#taken, maxRejected)) return;
    const loaded = this.#hasSent ? '' : ' Nothing of it was loaded.';
    throw new GuardError(
      'max_rejected',
      `${rejected} of the ${this.#taken} records so far are rejected: ${formatShare(rejected, this.#taken)}, above the ${maxRejected} % of --max-rejected.${loaded}`,
    );
  }

  /** Sends the current batch as soon as the pace allows it and no batch in progress contains one of its listings. */
  async #send(): Promise<void> {
    const batch = this.#batch;
    if (batch.records === 0) return;
    this.#batch = new RecordBatch();
    this.#hasSent = true;
    // The first batch runs alone, because it shows whether most listings are new.
    const mayStart = () =>
      this.#inFlight.size === 0 || (this.#expectNew !== null && this.#inFlight.size < this.#pace.inFlight);
    while (!mayStart()) await Promise.race(this.#inFlight.values());
    const keys = [...batch.groups.keys()];
    const overlapping = [...this.#inFlight].filter(([other]) => keys.some((key) => other.groups.has(key)));
    await Promise.all(overlapping.map(([, done]) => done));
    if (this.#failure !== null) return;
    const done = this.#load(batch)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(batch));
    this.#inFlight.set(batch, done);
  }

  async #load(batch: RecordBatch): Promise<void> {
    const started = performance.now();
    const groups = [...batch.groups.values()];
    const results = await mergeBatch(groups, this.#batchContext());
    this.#adaptPace({ tookMs: performance.now() - started });
    let created = 0;
    for (const [index, { entries }] of groups.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if ('reason' in result) {
        for (const { item } of entries) await this.#reject(item, [result.reason]);
        continue;
      }
      for (const [at, outcome] of result.outcomes.entries()) {
        this.#summary[outcome] += 1;
        this.options.onOutcome?.(entries[at]?.item.line ?? 0, outcome);
      }
      this.#summary.read += result.outcomes.length;
      if (result.outcomes[0] === 'created') created += 1;
    }
    this.#expectNew = created > groups.length / 2;
    this.#reportProgress();
  }

  #batchContext(): BatchContext {
    const { indexPrefix, dryRun = false, observedAt } = this.options;
    // Each batch gets a later time than the one before, so that the last record of a listing in a feed is its latest observation.
    this.#lastNow = Math.max(this.#now().getTime(), this.#lastNow + 1);
    return {
      ...this.options,
      alias: this.#alias,
      makerOf: this.#makerOf,
      ownerOf: this.#ownerOf,
      now: new Date(this.#lastNow),
      observedAt: observedAt?.() ?? null,
      withdrawn: storedIndex(indexPrefix, 'withdrawn'),
      backoff: this.#backoff(),
      expectNew: !dryRun && this.#expectNew === true,
    };
  }

  #now(): Date {
    return this.options.now?.() ?? new Date();
  }

  #adaptPace(response: BatchResponse): void {
    if (this.options.gently !== true) this.#pace = paceAfter(this.#pace, response);
  }

  #reportProgress(): void {
    this.options.onProgress?.(this.#summary, this.#taken - this.#summary.read);
  }

  #backoff(): Backoff {
    const { giveUpAfterMs, signal } = this.options;
    const onWait = (note: string) => {
      this.#adaptPace('rejected');
      this.options.onWait?.(note);
    };
    return new Backoff({ giveUpAfterMs, onWait, signal });
  }

  async #refresh(): Promise<void> {
    const { es, dryRun = false, gently = false } = this.options;
    if (dryRun || gently) return;
    const refresh = () => es.indices.refresh({ index: this.#alias });
    try {
      // After a failure, the refresh is not repeated until it succeeds, because Elasticsearch itself refreshes the index later.
      await (this.#failure === null ? this.#backoff().retry(refresh) : refresh());
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
