import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import { indexedSuggestion } from '../../engine/queries/suggestions.js';
import { scanListings } from '../../engine/search-pages.js';
import type { Connections } from '../../listing/connections.js';
import { modelsOf, normaliseIdentifier } from '../../listing/identify.js';
import { ownerOf, ownerOfSource } from '../../listing/owner.js';
import { chunksOf } from '../../platform/chunks.js';
import type { StoredListing } from '../../listing/listing.js';
import type { StoredSuggestion } from '../../schemas/suggestion.js';
import { foldBrands } from '../../text/brand.js';
import { foldWords } from '../../text/fold.js';
import { memoize } from '../../text/memoize.js';
import { blockedBy, readBlocked } from './blocked.js';
import { suggestibleValues, VALUE_TYPES, valueKey, type ValueType } from './collect.js';

interface Where {
  es: Client;
  indexPrefix: string;
  products: string;
  /** The alias of the suggestions. If no index has it, nothing is counted. */
  suggestions: string;
  backoff: Backoff;
}

interface Spelling {
  listings: number;
  owners: Set<string>;
}

type Spellings = Map<string, Map<string, Spelling>>;

interface Existing {
  id: string;
  stored: StoredSuggestion;
}

const VALUES_PER_REQUEST = 500;
/** The maximum numbers of texts, of sources for each text, and of owners for each source in one answer. */
const MAX_TEXTS = 10_000;
const MAX_SOURCES = 1_000;
const MAX_OWNERS = 10;

/** Counts the values of up to a thousand written listings again, and changes their suggestions. @returns the number of changed ones. */
export async function recountValues(where: Where, written: readonly Connections[]): Promise<number> {
  const { es, indexPrefix, suggestions } = where;
  const fields = await fieldsOf(es, suggestions);
  if (fields === null) return 0;
  const isBlocked = blockedBy(await readBlocked(es, indexPrefix));
  const isAlone = aloneReader(where);
  const operations: unknown[] = [];
  for (const type of VALUE_TYPES) {
    const texts = new Set(written.flatMap((listing) => valuesOf(listing, type)));
    for (const some of chunksOf([...texts], VALUES_PER_REQUEST)) {
      const keys = new Set(some.flatMap((text) => [...suggestibleValues(type, [text]).keys()]));
      if (keys.size === 0) continue;
      const spellings = await COUNTERS[type](where, some);
      const existing = await readExisting(where, type, some);
      for (const key of keys) {
        const before = existing.get(key);
        const found = suggestionOf(type, spellings.get(key), before);
        const isWanted = found !== null && !isBlocked(found.text);
        const alone = isWanted && fields.has('alone') ? await isAlone(found.owners) : undefined;
        operations.push(
          ...updateOf(before?.id ?? `${type} ${key}`, isWanted ? { ...found, alone } : null, before),
        );
      }
    }
  }
  return send(es, suggestions, operations);
}

const valuesOf = ({ brand, category, models }: Connections, type: ValueType): readonly string[] =>
  type === 'model' ? models : [(type === 'brand' ? brand : category) ?? []].flat();

/** The fields of the index of suggestions; null if there is none. An index of an earlier version has fewer fields. */
async function fieldsOf(es: Client, alias: string): Promise<Set<string> | null> {
  const answer = await es.indices.getMapping({ index: alias }, { ignore: [404] });
  const [state] = Object.values(answer) as Partial<estypes.IndicesGetMappingIndexMappingRecord>[];
  return state?.mappings === undefined ? null : new Set(Object.keys(state.mappings.properties ?? {}));
}

/** Returns what is suggested for a value; null if no listing states it. The spelling is that of most owners. */
function suggestionOf(
  type: ValueType,
  spellings: ReadonlyMap<string, Spelling> = new Map(),
  existing?: Existing,
): (Pick<StoredSuggestion, 'type' | 'text' | 'count'> & { owners: ReadonlySet<string> }) | null {
  const all = [...spellings];
  if (all.length === 0) return null;
  const owners = new Set(all.flatMap(([, spelling]) => [...spelling.owners]));
  const weight = ({ listings, owners: by }: Spelling) => (owners.size === 1 ? listings : by.size);
  const total = all.reduce((sum, [, spelling]) => sum + weight(spelling), 0);
  const [most] = all.sort(([a, x], [b, y]) => weight(y) - weight(x) || (a < b ? -1 : 1));
  const isClear = most !== undefined && 2 * weight(most[1]) > total;
  return {
    type,
    text: (isClear ? null : existing?.stored.text) ?? most?.[0] ?? '',
    count: all.reduce((sum, [, { listings }]) => sum + listings, 0),
    owners,
  };
}

function updateOf(
  id: string,
  wanted: Pick<StoredSuggestion, 'type' | 'text' | 'count' | 'alone'> | null,
  existing?: Existing,
): unknown[] {
  if (wanted === null) return existing === undefined ? [] : [{ delete: { _id: id } }];
  const { type, text, count, alone } = wanted;
  const stored = existing?.stored;
  if (stored?.count === count && stored.text === text && stored.alone === alone) return [];
  return [{ index: { _id: id } }, indexedSuggestion({ type, text, count, alone })];
}

async function send(es: Client, index: string, operations: unknown[]): Promise<number> {
  if (operations.length === 0) return 0;
  const { items } = await es.bulk({ index, require_alias: true, refresh: true, operations });
  for (const item of items) {
    const { error, status } = item.index ?? item.delete ?? { status: 200 };
    // A build of all suggestions may have replaced the index in the meantime.
    if (error && status !== 404)
      throw new Error(`The engine refused a suggestion: ${error.type}: ${error.reason ?? ''}`);
  }
  return items.length;
}

/** A part of a stored listing; an index of an earlier schema has no owners. */
type OwnedListing = Pick<StoredListing, 'metadata' | 'source'> & { internal?: { owner?: string } };

/** For each type, a function that counts the listings with certain values. The result may contain other values as well. */
const COUNTERS: Record<ValueType, (where: Where, texts: readonly string[]) => Promise<Spellings>> = {
  brand: (where, texts) =>
    countTexts(where, 'brand', 'brand.written', [
      { terms: { 'internal.brand': foldBrands(texts) } },
      // Inferred brands are not counted.
      { exists: { field: 'brand.exact' } },
    ]),
  category: (where, texts) => {
    const similar = texts.map((query) => ({
      match: { 'internal.categories': { query, operator: 'and' as const } },
    }));
    return countTexts(where, 'category', 'category', [
      { bool: { should: [{ terms: { category: [...texts] } }, ...similar] } },
    ]);
  },
  model: async ({ es, products, backoff }, texts) => {
    const spellings: Spellings = new Map();
    const models = [...new Set(texts.map(normaliseIdentifier))];
    const query = { terms: { 'internal.models': models } };
    const fields = ['metadata', 'source', 'internal.owner'];
    for await (const page of scanListings<OwnedListing>(es, products, { query, fields, backoff }))
      for (const { metadata, source, internal = {} } of page)
        for (const [key, text] of suggestibleValues('model', modelsOf(metadata)))
          addTo(spellings, key, text, { listings: 1, owner: ownerOf({ source, internal }) });
    return spellings;
  },
};

interface TextBuckets {
  buckets: {
    key: string;
    sources: { buckets: { key: string; owners: { buckets: { key: string; doc_count: number }[] } }[] };
  }[];
}

async function countTexts(
  { es, products, backoff }: Where,
  type: ValueType,
  field: string,
  filter: estypes.QueryDslQueryContainer[],
): Promise<Spellings> {
  // An index of an earlier schema has no owners.
  const owners = { terms: { field: 'internal.owner', missing: '', size: MAX_OWNERS } };
  const sources = { terms: { field: 'source', size: MAX_SOURCES }, aggs: { owners } };
  const spellings: Spellings = new Map();
  const { aggregations } = await backoff.retry(() =>
    es.search<unknown, { texts: TextBuckets }>({
      index: products,
      size: 0,
      track_total_hits: false,
      allow_partial_search_results: false,
      query: { bool: { filter } },
      aggs: { texts: { terms: { field, size: MAX_TEXTS }, aggs: { sources } } },
    }),
  );
  for (const { key: written, sources: bySource } of aggregations?.texts.buckets ?? [])
    for (const [key, text] of suggestibleValues(type, [written]))
      for (const { key: source, owners: byOwner } of bySource.buckets)
        for (const { key: owner, doc_count: listings } of byOwner.buckets)
          addTo(spellings, key, text, { listings, owner: owner === '' ? ownerOfSource(source) : owner });
  return spellings;
}

function addTo(
  spellings: Spellings,
  key: string,
  text: string,
  { listings, owner }: { listings: number; owner: string },
): void {
  const texts = spellings.get(key) ?? new Map<string, Spelling>();
  spellings.set(key, texts);
  const spelling = texts.get(text) ?? { listings: 0, owners: new Set() };
  texts.set(text, spelling);
  spelling.listings += listings;
  spelling.owners.add(owner);
}

function aloneReader({ es, products, backoff }: Where): (owners: ReadonlySet<string>) => Promise<boolean> {
  const hasOthers = memoize(MAX_SOURCES, async (owner: string): Promise<boolean> => {
    const source = owner.startsWith(ownerOfSource('')) ? owner.slice(ownerOfSource('').length) : '';
    const must_not: estypes.QueryDslQueryContainer[] = [
      { term: { 'internal.owner': owner } },
      { bool: { filter: { term: { source } }, must_not: { exists: { field: 'internal.owner' } } } },
    ];
    const { count } = await backoff.retry(() =>
      es.count({ index: products, query: { bool: { must_not } }, terminate_after: 1 }),
    );
    return count > 0;
  });
  return async ([...owners]) => owners.length === 1 && hasOthers(owners[0] ?? '');
}

async function readExisting({ es, suggestions, backoff }: Where, type: ValueType, texts: readonly string[]) {
  const keys = [...new Set(texts.map(foldWords))];
  const { hits } = await backoff.retry(() =>
    es.search<StoredSuggestion>({
      index: suggestions,
      query: { bool: { filter: [{ term: { type } }, { terms: { key: keys } }] } },
      size: MAX_TEXTS,
      track_total_hits: false,
      allow_partial_search_results: false,
    }),
  );
  return new Map(
    hits.hits.flatMap(({ _id: id, _source: stored }) =>
      id === undefined || stored === undefined ? [] : [[valueKey(type, stored.text), { id, stored }]],
    ),
  );
}
