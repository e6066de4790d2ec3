import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import { productsAlias } from '../../engine/indices.js';
import { searchPages } from '../../engine/search-pages.js';
import { listingId } from '../../listing/identify.js';
import type { FeedRecord } from '../../listing/listing.js';
import { formatCount } from '../../text/quantities.js';
import { formatShare, isAbove } from './guards.js';
import { ListingNumbers } from './listing-table.js';

/** The fields that no load may clear in many listings, each with the query for the stored listings that have it. */
const GUARDED = {
  price: { exists: { field: 'internal.price_units' } },
  currency: { exists: { field: 'currency' } },
  // Unavailable listings do not count, because the service itself marks listings that a complete feed lacks as unavailable.
  is_available: { term: { is_available: true } },
  buy_url: { exists: { field: 'internal.url' } },
  image_url: { term: { 'internal.has_image': true } },
  brand: { exists: { field: 'brand.exact' } },
  category: { exists: { field: 'category' } },
  // The list price itself is not indexed; this fact is stored exactly for the listings that have one.
  list_price: { exists: { field: 'internal.list_price_observed' } },
} satisfies Record<string, estypes.QueryDslQueryContainer>;
type GuardedField = keyof typeof GUARDED;
const FIELDS = Object.keys(GUARDED) as GuardedField[];

/** Any share of listings may lose these fields, because sales end. If no record has one, its column was probably renamed. */
const VARYING: ReadonlySet<GuardedField> = new Set(['list_price']);

/** The default of `max_cleared`, in percent. */
export const DEFAULT_MAX_CLEARED = 20;

/** A load may always clear a field of fewer listings than this, so that a source of three listings can lose a price. */
const MIN_CLEARED = 3;

const SOURCES_PER_SEARCH = 500;
const PAGE_SIZE = 10_000;

type Counted = Pick<estypes.AggregationsStringTermsBucket, 'doc_count'>;

interface FieldOfSource {
  source: string;
  field: GuardedField;
}

/** A field that a load would clear in more listings of a source than it may. */
export interface ClearedField extends FieldOfSource {
  cleared: number;
  /** The number of listings that have the field, without unavailable ones that the load does not contain. */
  of: number;
}

/** Finds out which stored fields a load would clear; its methods are called in the order of their declaration. */
export class ClearedFields {
  /** For each listing, the time of its last observation in the load, in seconds, and the fields that this observation lacks. */
  readonly #listings = new ListingNumbers();
  /** For each source and guarded field, how many records clear it, and how many have a value. */
  readonly #noted = new Map<string, { clearing: number; having: number }[]>();

  /** `maxCleared`: the highest percentage of the listings with a field that a load may clear. `allowed`: fields without this limit. */
  constructor(
    private readonly catalogue: { es: Client; indexPrefix: string; backoff: Backoff },
    private readonly options: { maxCleared: number; allowed?: readonly string[] },
  ) {}

  /** Whether the catalogue has listings of any of these sources; otherwise a load of them can clear nothing. */
  async areAnyStored(sources: readonly string[]): Promise<boolean> {
    if (sources.length === 0 || this.options.maxCleared === 100) return false;
    const { es, backoff } = this.catalogue;
    const where = { index: this.#index, ignore_unavailable: true };
    // Searches must find what was loaded just before.
    await backoff.retry(() => es.indices.refresh(where));
    const query = { terms: { source: [...sources] } };
    return (await backoff.retry(() => es.count({ ...where, query, terminate_after: 1 }))).count > 0;
  }

  /** @param seenAt when the record was observed if it does not state it, in ms. */
  note(record: FeedRecord, seenAt: number): void {
    const { source, sku } = record;
    const counts = this.#noted.get(source) ?? FIELDS.map(() => ({ clearing: 0, having: 0 }));
    this.#noted.set(source, counts);
    const id = listingId(source, sku, 0);
    const stored = this.#listings.get(id);
    const before = stored === undefined ? null : unpack(stored);
    const checked = record.times?.observed_at ?? record.last_checked;
    const second = Math.floor((typeof checked === 'string' ? Date.parse(checked) : seenAt) / 1_000);
    if (before !== null && second < before.second) return;
    let fields = 0;
    for (const [at, field] of FIELDS.entries()) {
      const state = stateOf(record, field);
      const count = counts[at];
      if (state === 'kept') fields |= (before?.fields ?? 0) & (1 << at);
      else if (state === 'cleared') fields |= 1 << at;
      if (state !== 'kept' && count !== undefined) count[state === 'cleared' ? 'clearing' : 'having'] += 1;
    }
    this.#listings.set(id, pack({ second, fields }));
  }

  /** Returns the fields that the noted records would clear in too many listings. */
  async excessive(): Promise<ClearedField[]> {
    const excessive: ClearedField[] = [];
    const sources = [...this.#noted.keys()].filter((source) => this.#doubtful(source).length > 0);
    for (let at = 0; at < sources.length; at += SOURCES_PER_SEARCH)
      for (const candidate of await this.#candidates(sources.slice(at, at + SOURCES_PER_SEARCH))) {
        const counted = await this.#count(candidate);
        if (this.#isTooMany(counted.cleared, counted.of)) excessive.push({ ...candidate, ...counted });
      }
    return excessive;
  }

  get #index(): string {
    return productsAlias(this.catalogue.indexPrefix);
  }

  #isTooMany(cleared: number, of: number): boolean {
    const { maxCleared } = this.options;
    return isAbove(cleared, of, maxCleared) && (cleared >= MIN_CLEARED || maxCleared === 0);
  }

  /** Returns the fields of a source that so many records clear that they may be too many, whatever is stored. */
  #doubtful(source: string): GuardedField[] {
    const { maxCleared, allowed = [] } = this.options;
    const atLeast = maxCleared === 0 ? 1 : MIN_CLEARED;
    return FIELDS.filter((field, at) => {
      const { clearing, having } = this.#noted.get(source)?.[at] ?? { clearing: 0, having: 0 };
      return clearing >= atLeast && !allowed.includes(field) && !(VARYING.has(field) && having > 0);
    });
  }

  /** Returns the fields that may be cleared too often. There are usually none, so that counting single listings is not needed. */
  async #candidates(sources: readonly string[]): Promise<FieldOfSource[]> {
    const { es, backoff } = this.catalogue;
    const fields = new Set(sources.flatMap((source) => this.#doubtful(source)));
    const filters = Object.fromEntries([...fields].map((field) => [field, GUARDED[field]]));
    const answer = await backoff.retry(() =>
      es.search<never, { sources: estypes.AggregationsStringTermsAggregate }>({
        index: this.#index,
        ignore_unavailable: true,
        size: 0,
        query: { terms: { source: [...sources] } },
        aggs: {
          sources: {
            terms: { field: 'source', size: sources.length },
            aggs: {
              fields: {
                filters: { filters },
                aggs: { unavailable: { filter: { term: { is_available: false } } } },
              },
            },
          },
        },
      }),
    );
    const stored = (answer.aggregations?.sources.buckets ?? []) as estypes.AggregationsStringTermsBucket[];
    return stored.flatMap((bucket) => {
      const source = String(bucket.key);
      const { buckets } = bucket['fields'] as {
        buckets: Record<GuardedField, Counted & { unavailable: Counted }>;
      };
      return this.#doubtful(source).flatMap((field) => {
        const { doc_count: having, unavailable } = buckets[field];
        const clearing = this.#noted.get(source)?.[FIELDS.indexOf(field)]?.clearing ?? 0;
        const isTooMany = this.#isTooMany(Math.min(clearing, having), having - unavailable.doc_count);
        return isTooMany ? [{ source, field }] : [];
      });
    });
  }

  async #count({ source, field }: FieldOfSource) {
    const { es, backoff } = this.catalogue;
    const counted = { cleared: 0, of: 0 };
    const bit = 1 << FIELDS.indexOf(field);
    const request = {
      index: this.#index,
      ignore_unavailable: true,
      query: { bool: { filter: [{ term: { source } }, GUARDED[field]] } },
      size: PAGE_SIZE,
      sort: [{ id: 'asc' as const }],
      _source: false,
      docvalue_fields: ['is_available', { field: 'internal.observed_at', format: 'epoch_second' }],
    };
    for await (const hits of searchPages(es, request, { backoff }))
      for (const { sort, fields: values } of hits) {
        const [isAvailable, observedAt] = ['is_available', 'internal.observed_at'].map(
          (name) => (values?.[name] as unknown[] | undefined)?.[0],
        );
        const noted = this.#listings.get(Number(sort?.[0]));
        if (noted === undefined && isAvailable === false) continue;
        counted.of += 1;
        if (noted === undefined) continue;
        const { second, fields } = unpack(noted);
        // A record older than the stored listing clears nothing, because it is only added to the price history.
        if ((fields & bit) !== 0 && second >= Math.floor(Number(observedAt))) counted.cleared += 1;
      }
    return counted;
  }
}

/** Packs the time of an observation, in seconds, and a set of guarded fields into one number, to save memory. */
const pack = ({ second, fields }: { second: number; fields: number }): number =>
  Math.max(second, 0) * 2 ** FIELDS.length + fields;
const unpack = (packed: number) => ({
  second: Math.floor(packed / 2 ** FIELDS.length),
  fields: packed % 2 ** FIELDS.length,
});

/** Whether a record states a value of a field, clears the stored value, or keeps it. */
function stateOf(record: FeedRecord, field: GuardedField): 'stated' | 'cleared' | 'kept' {
  // A record that states the category path states the category as well.
  const names = field === 'category' ? (['category', 'category_path'] as const) : [field];
  const values = names.map((name) => record[name]);
  if (values.some((value) => (Array.isArray(value) ? value.length > 0 : (value ?? null) !== null)))
    return 'stated';
  const isKept =
    field === 'list_price'
      ? record.list_price === undefined
      : record.stated !== undefined && !names.some((name) => record.stated?.includes(name));
  return isKept ? 'kept' : 'cleared';
}

/** Describes fields that a load would clear, one a line. */
export const describeCleared = (fields: readonly ClearedField[]): string[] =>
  fields.map(
    ({ source, field, cleared, of }) =>
      `${field} of ${formatCount(cleared)} of the ${formatCount(of)} listings of ${source} that have it (${formatShare(cleared, of)})`,
  );

/** The options of `npm run ingest` that allow a load to clear these fields. */
export function allowing(fields: readonly ClearedField[]): string {
  const shares = fields.flatMap(({ field, cleared, of }) =>
    VARYING.has(field) ? [] : [Math.ceil((100 * cleared) / of)],
  );
  const missing = [...VARYING].filter((one) => fields.some(({ field }) => field === one));
  return [
    ...(shares.length === 0 ? [] : [`--max-cleared ${Math.max(...shares)}`]),
    ...(missing.length === 0 ? [] : [`--allow-missing ${missing.join(',')}`]),
  ].join(' and ');
}
