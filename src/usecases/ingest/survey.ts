import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import type { RecordOptions } from '../../feeds/map/records.js';
import { FeedError, type FeedItem } from '../../feeds/read/feed.js';
import { listingKey } from '../../listing/identify.js';
import { isDated, readKey, validateRecord } from '../../listing/validate.js';
import { checkItem, type FeedCheckOptions, unknownColumns } from './check.js';
import { allowing, ClearedFields, describeCleared } from './cleared-fields.js';
import { type FeedSource, timeOf, withRecords } from './feed-source.js';
import { type FeedBeginning, GuardError, quoteNames, readBeginning } from './guards.js';
import { SeenListings } from './listing-table.js';

interface SurveyOptions extends FeedCheckOptions, RecordOptions {
  es: Client;
  indexPrefix: string;
  /** The maximum percentage of a source's listings with a field that a load may clear in it. */
  maxCleared: number;
  allowMissing: readonly string[];
  /** When records without a time were observed; undefined: as the feed states. */
  observedAt?: Date | undefined;
  signal: AbortSignal;
  now?: (() => Date) | undefined;
  giveUpAfterMs?: number;
  onWait?: (note: string) => void;
}

export interface FeedSurvey {
  /** For the key of each listing that occurs several times, the index of its last record. */
  repeats: ReadonlyMap<string, number>;
  /** Whether the records behind the beginning were read, so that the feed has to be opened again. */
  wasRead: boolean;
}

/** Reads feeds before a load writes anything, as far as needed to find fields that it would clear, and repeated listings. */
export class Survey {
  readonly #known = new Map<FeedSource, ReadonlyMap<string, number>>();
  readonly #cleared: ClearedFields;
  readonly #unknownColumns = new Set<string>();

  constructor(
    private readonly feeds: readonly FeedSource[],
    private readonly options: SurveyOptions,
  ) {
    const { es, indexPrefix, maxCleared, allowMissing } = options;
    this.#cleared = new ClearedFields(
      { es, indexPrefix, backoff: new Backoff(options) },
      { maxCleared, allowed: allowMissing },
    );
  }

  /** Reads and checks all feeds at the first call. @throws GuardError if the load would clear a field of too many listings. */
  async of(feed: FeedSource, beginning: FeedBeginning): Promise<FeedSurvey> {
    const known = this.#known.get(feed);
    if (known !== undefined) return { repeats: known, wasRead: false };
    const survey = await this.#survey(feed, beginning);
    for (const other of this.feeds) {
      if (this.#known.has(other)) continue;
      const read = async (records: AsyncGenerator<FeedItem>) =>
        this.#survey(other, await readBeginning(records));
      await withRecords(other, this.options, read);
    }
    if (!this.options.signal.aborted) await this.#guardFields();
    return survey;
  }

  async #survey(feed: FeedSource, { head, whole, records }: FeedBeginning): Promise<FeedSurvey> {
    const { patch = false, source, signal, observedAt } = this.options;
    const sources = source === undefined ? sourcesOf(head) : [source.trim()];
    const mayClear = !signal.aborted && head.length > 0 && (await this.#cleared.areAnyStored(sources));
    // A feed that fits into one batch is not searched for repeated listings, because the batch itself finds them.
    const mayRepeat = !whole && !patch && feed.size !== null && head.some(isUndated);
    const wasRead = !whole && (mayClear || mayRepeat);
    if (mayClear) for (const name of head.flatMap(unknownColumns)) this.#unknownColumns.add(name);
    const repeats =
      mayClear || wasRead
        ? await surveyRecords(whole ? head : records, {
            ...this.options,
            cleared: mayClear ? this.#cleared : null,
            findsRepeats: wasRead && !patch,
            seenAt: () => observedAt ?? feed.observedAt() ?? timeOf(this.options),
          })
        : new Map<string, number>();
    this.#known.set(feed, repeats);
    return { repeats, wasRead };
  }

  async #guardFields(): Promise<void> {
    const excessive = await this.#cleared.excessive();
    if (excessive.length === 0) return;
    const lines = describeCleared(excessive).map((line) => `  ${line}`);
    const unknown = [...this.#unknownColumns];
    const hint = unknown.length === 0 ? '' : ` The columns ${quoteNames(unknown)} are not loaded.`;
    throw new GuardError(
      'max_cleared',
      `The load would clear fields in more listings than the ${this.options.maxCleared} % of --max-cleared:\n${lines.join('\n')}\nNothing was loaded. Has a column been renamed or removed?${hint} If this is intended, use ${allowing(excessive)}.`,
    );
  }
}

const isUndated = ({ value, error }: FeedItem): boolean => error === undefined && !isDated(value);

const sourcesOf = (head: readonly FeedItem[]): string[] => [
  ...new Set(head.flatMap(({ value }) => readKey(value)?.source ?? [])),
];

/**
 * Reads the records of a feed before it is loaded. Only the last one of a listing without a time counts: if all were applied,
 * each load would change its price to the first one and back. @param options.cleared notes the valid records; null: nothing is
 * noted.
 * @returns for the key of each listing that occurs several times, the index of its last record.
 */
export async function surveyRecords(
  records: AsyncIterable<FeedItem> | Iterable<FeedItem>,
  {
    cleared,
    findsRepeats,
    seenAt,
    signal,
    now,
    ...checks
  }: FeedCheckOptions & {
    cleared: ClearedFields | null;
    findsRepeats: boolean;
    seenAt: () => Date;
    signal?: AbortSignal;
    now?: (() => Date) | undefined;
  },
): Promise<Map<string, number>> {
  const seen = new SeenListings();
  const last = new Map<string, number>();
  let index = -1;
  try {
    for await (const item of records) {
      if (signal?.aborted === true) break;
      index += 1;
      const { value, error, reasons } = item;
      const time = timeOf({ now });
      if (cleared !== null) {
        const checked = checkItem(item, unknownColumns(item), checks, time);
        if ('record' in checked) cleared.note(checked.record, seenAt().getTime());
      }
      const key = findsRepeats && error === undefined && reasons === undefined ? readKey(value) : null;
      if (key === null || isDated(value) || seen.add(key.source, key.sku)) continue;
      if ('record' in validateRecord(value, { now: time })) last.set(listingKey(key), index);
    }
  } catch (error) {
    // An error of reading the feed is not reported here, because the load reads the feed again and reports it.
    if (!(error instanceof FeedError) && signal?.aborted !== true) throw error;
  }
  return last;
}
