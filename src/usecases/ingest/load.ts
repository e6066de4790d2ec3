import type { Client } from '@elastic/elasticsearch';
import type { AffiliateTemplates } from '../../listing/affiliate.js';
import { type BatchContext, settleBatch } from './batch.js';
import { type CheckOptions, checkItem } from './check.js';
import { unknownColumns } from './columns.js';
import type { FeedItem } from '../../feeds/read/feed.js';
import { Gathered, isUndated } from './gathered.js';
import { formatShare, GuardError, isAbove } from './guard.js';
import { productsAlias } from '../../engine/indices.js';
import { Backoff } from '../../engine/backoff.js';
import type { Outcome } from '../../listing/outcome.js';
import { type Answer, FIRST_PACE, GENTLE_PACE, type Pace, paceAfter } from './pace.js';
import { keyOf } from './repeats.js';
import { countColumns, countDropped, countRejected, emptySummary, type Summary } from './summary.js';
import { withdrawnIndex } from './withdraw.js';
import { readKey } from '../../listing/validate.js';

/** A record that did not land. */
export interface Reject {
  /** Of an archive: the file in it. */
  file?: string | undefined;
  line: number;
  reasons: string[];
  /** What the feed said. */
  record: unknown;
}

export interface LoadOptions extends CheckOptions {
  /** With a long request timeout, see `createElasticsearch`. */
  es: Client;
  indexPrefix: string;
  /** From `readFeed`. */
  records: AsyncIterable<FeedItem>;
  now?: () => Date;
  /** Told of each record that lands, by its line; `repeated`: a later one of the same listing did. */
  onOutcome?: (line: number, outcome: Outcome | 'repeated') => void;
  /** Called for each listing that was written. @param before null for a new one. */
  onWritten?: BatchContext['onWritten'];
  /** Called with the members of a record that a listing does not have, and its line; they are not loaded. */
  onUnknown?: (line: number, names: readonly string[]) => void;
  /** Whether searches know at the end what has landed; else in a second or so. True unless said otherwise. */
  refresh?: boolean;
  /** Told of each record that does not land; the load waits for it. */
  onReject?: (reject: Reject) => void | Promise<void>;
  /** Told what has landed so far, and how many records were read ahead of it. */
  onProgress?: (summary: Readonly<Summary>, ahead: number) => void;
  /** Told when the load has to wait for the engine. */
  onWait?: (note: string) => void;
  /**
   * Told of each listing that the feed knows, also if its record is rejected.
   * @param at when it was observed, ISO 8601 UTC; null: the record does not say; undefined: it was rejected.
   */
  onListing?: (source: string, sku: string, at: string | null | undefined) => void;
  /** Stops after the batches in flight; the summary says so. */
  signal?: AbortSignal;
  /** Only work out what would happen. A listing that comes up again in a later batch counts as if it had not. */
  dryRun?: boolean;
  /** Which record counts of a listing that comes up several times without a time, from `findRepeats`. */
  repeats?: ReadonlyMap<string, number>;
  /** Stops when more than so many percent of the records so far, of a thousand at least, were rejected. */
  maxRejected?: number | undefined;
  /** One small batch at a time, between which whoever else uses this process and the engine has a turn. */
  gently?: boolean;
  /** How long to try again while the engine takes nothing. */
  giveUpAfterMs?: number;
  /** The operator's `AFFILIATE_URLS`: their links in an export are not taken for the feed's. */
  affiliateTemplates?: AffiliateTemplates;
  /** Whether prices of the past are stored as declared, because the sender is not trusted: no statistic uses those. */
  declaredHistory?: boolean;
  /** How many ids there are; for tests of collisions. */
  ids?: bigint;
}

/** A load that did not reach the end of its feed. What the summary counts has landed; loading again is safe. */
export class LoadError extends Error {
  override name = 'LoadError';

  constructor(
    cause: unknown,
    readonly summary: Summary,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** So many records tell how many of a feed are bad. */
const JUDGED_RECORDS = 1_000;
const GIVE_UP_AFTER_MS = 10 * 60_000;

/**
 * Loads a feed: validates each record and brings it into its listing, found by (source, sku). Listings appear in
 * searches at the latest when the load is over. Safe to repeat, to kill and to run beside others: writes are conditional,
 * and the same record twice changes nothing. Memory does not grow with the feed.
 * @throws LoadError when the feed is broken, the engine stays away or a guard stops it (its cause is a `GuardError` then);
 * what came before it has landed.
 */
export async function loadFeed(options: LoadOptions): Promise<Summary> {
  const load = new Load(options);
  return load.run();
}

class Load {
  /** Records that were read. */
  #taken = 0;
  #sent = false;
  readonly #summary = emptySummary();
  readonly #alias: string;
  readonly #inFlight = new Map<Gathered, Promise<void>>();
  #batch = new Gathered();
  #failure: { error: unknown } | null = null;
  /** Whether most listings of the last batch were new; null: not known, the first batch finds out. */
  #expectNew: boolean | null = null;
  #lastNow = 0;
  #pace: Pace;

  constructor(private readonly options: LoadOptions) {
    this.#alias = productsAlias(options.indexPrefix);
    this.#pace = options.gently === true ? GENTLE_PACE : FIRST_PACE;
  }

  async run(): Promise<Summary> {
    const { signal } = this.options;
    let broken: { error: unknown } | null = null;
    try {
      for await (const item of this.options.records) {
        if (this.#failure !== null || signal?.aborted === true) break;
        await this.#take(item);
      }
      this.#guardRejected();
    } catch (error) {
      // A feed that breaks off takes nothing away from what came before; one that a guard stops lands no more.
      broken = { error };
    }
    if (signal?.aborted !== true && !(broken?.error instanceof GuardError)) await this.#send();
    await Promise.all(this.#inFlight.values());
    await this.#refresh();
    if (signal?.aborted === true) return { ...this.#summary, interrupted: true };
    const failure = this.#failure ?? broken;
    if (failure !== null) throw new LoadError(failure.error, this.#summary);
    return this.#summary;
  }

  async #take(item: FeedItem): Promise<void> {
    const position = this.#taken++;
    const unknown = unknownColumns(item);
    countColumns(this.#summary, unknown);
    if (unknown.length > 0) this.options.onUnknown?.(item.line, unknown);
    const validated = checkItem(item, unknown, this.options, this.#now());
    if ('reasons' in validated) {
      const known = readKey(item.value);
      if (known === null) this.#summary.unidentified += 1;
      else this.options.onListing?.(known.source, known.sku, undefined);
      await this.#reject(item, validated.reasons);
      if (this.#taken >= JUDGED_RECORDS) this.#guardRejected();
      return;
    }
    const { record, dropped } = validated;
    countDropped(this.#summary, dropped);
    const key = keyOf(record);
    this.options.onListing?.(record.source, record.sku, record.last_checked ?? null);
    const last = isUndated(record) ? this.options.repeats?.get(key) : undefined;
    if (last !== undefined && position < last) return this.#skip(item);
    const before = this.#batch.add(key, record, item);
    if (before !== null) this.#skip(before);
    if (this.#batch.isFull(this.#pace)) await this.#send();
  }

  #skip({ line }: FeedItem): void {
    this.options.onOutcome?.(line, 'repeated');
    this.#summary.read += 1;
    this.#summary.repeated += 1;
  }

  /** @throws GuardError */
  #guardRejected(): void {
    const { maxRejected } = this.options;
    const { rejected } = this.#summary;
    if (maxRejected === undefined || !isAbove(rejected, this.#taken, maxRejected)) return;
    const landed = this.#sent ? '' : ' Nothing of it was loaded.';
    throw new GuardError(
      `${rejected} of the ${this.#taken} records so far are rejected: ${formatShare(rejected, this.#taken)}, above the ${maxRejected} % of --max-rejected.${landed}`,
    );
  }

  #now(): Date {
    return this.options.now?.() ?? new Date();
  }

  async #reject(item: FeedItem, reasons: string[]): Promise<void> {
    this.#summary.read += 1;
    countRejected(this.#summary, reasons);
    this.#progress();
    await this.options.onReject?.({ file: item.file, line: item.line, reasons, record: item.raw });
  }

  /** Sends the batch off once there is room, and no batch before it holds one of its listings: the feed's order counts. */
  async #send(): Promise<void> {
    const batch = this.#batch;
    if (batch.records === 0) return;
    this.#batch = new Gathered();
    this.#sent = true;
    const mayGo = () =>
      this.#inFlight.size === 0 || (this.#expectNew !== null && this.#inFlight.size < this.#pace.inFlight);
    while (!mayGo()) await Promise.race(this.#inFlight.values());
    const keys = [...batch.groups.keys()];
    const overlapping = [...this.#inFlight].filter(([before]) => keys.some((key) => before.groups.has(key)));
    await Promise.all(overlapping.map(([, done]) => done));
    if (this.#failure !== null) return;
    const done = this.#settle(batch)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(batch));
    this.#inFlight.set(batch, done);
  }

  async #settle(batch: Gathered): Promise<void> {
    const groups = [...batch.groups.values()];
    const started = performance.now();
    const settled = await settleBatch(groups, await this.#context());
    this.#answered({ tookMs: performance.now() - started });
    let created = 0;
    for (const [index, group] of groups.entries()) {
      const result = settled[index];
      if (result === undefined) continue;
      if ('reason' in result) {
        for (const item of group.items) await this.#reject(item, [result.reason]);
        continue;
      }
      for (const [at, outcome] of result.outcomes.entries()) {
        this.#summary[outcome] += 1;
        this.options.onOutcome?.(group.items[at]?.line ?? 0, outcome);
      }
      this.#summary.read += result.outcomes.length;
      if (result.outcomes[0] === 'created') created += 1;
    }
    this.#expectNew = created > groups.length / 2;
    this.#progress();
  }

  #answered(answer: Answer): void {
    if (this.options.gently !== true) this.#pace = paceAfter(this.#pace, answer);
  }

  #progress(): void {
    this.options.onProgress?.(this.#summary, this.#taken - this.#summary.read);
  }

  async #context(): Promise<BatchContext> {
    const { es, dryRun = false, ids, affiliateTemplates, declaredHistory = false, onWritten } = this.options;
    // Strictly increasing, so that of two records the later one in the feed is the later observation.
    this.#lastNow = Math.max(this.#now().getTime(), this.#lastNow + 1);
    return {
      es,
      alias: this.#alias,
      dryRun,
      ids,
      affiliateTemplates,
      declaredHistory,
      onWritten,
      now: new Date(this.#lastNow),
      withdrawn: withdrawnIndex(this.options.indexPrefix),
      backoff: this.#backoff(),
      expectNew: !dryRun && this.#expectNew === true,
    };
  }

  #backoff(): Backoff {
    const { giveUpAfterMs = GIVE_UP_AFTER_MS, signal } = this.options;
    const onWait = (note: string) => {
      this.#answered('refused');
      this.options.onWait?.(note);
    };
    return new Backoff({ giveUpAfterMs, onWait, signal });
  }

  async #refresh(): Promise<void> {
    const { es, dryRun = false, refresh: wanted = true } = this.options;
    if (dryRun || !wanted) return;
    const refresh = () => es.indices.refresh({ index: this.#alias });
    try {
      // A load that has already failed keeps nobody waiting for what the engine does by itself a little later.
      await (this.#failure === null ? this.#backoff().retry(refresh) : refresh());
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
