import type { estypes } from '@elastic/elasticsearch';
import { gtinOf } from '../../listing/gtin.js';
import { normaliseIdentifier } from '../../listing/identify.js';
import { UNIT_WORDS } from '../../text/units.js';
import { GROUP_FIELD } from './groups.js';
import { identified as identifiedBy } from './contained-words.js';
import { type AggregationRequests, COUNTS, type QueryClause } from './selection.js';
import { SEARCH_TUNING } from './tuning.js';

const MIN_MODEL_LENGTH = 4;
/** The maximum number of words of one identifier, such as "WH 1000 XM5". */
const MAX_PARTS = 4;
/** The maximum number of letters of a word without a digit in a model number, such as "WH". */
const MAX_LETTERS = 3;
/** The maximum number of products that an identifier may find. A text that more of them have is, for example, a size. */
const MAX_PRODUCTS = 5;

const MEASURE = new RegExp(`^\\d+(?:[.,]\\d+)?\\s*${UNIT_WORDS}$`, 'iu');

/** Whether a query text as a whole may be an SKU, a GTIN or a model number. */
export function mayBeIdentifier(text: string): boolean {
  if (gtinOf(text) !== null) return true;
  const words = text.trim().split(/\s+/);
  return (
    words.length <= MAX_PARTS &&
    words.every((word) => /\p{N}/u.test(word) || word.length <= MAX_LETTERS) &&
    /\p{N}/u.test(text) &&
    normaliseIdentifier(text).length >= MIN_MODEL_LENGTH &&
    !MEASURE.test(text.trim())
  );
}

/** The minimum number of letters and digits of a part number of which a text may be the beginning. */
const MIN_BEGINNING = 5;

/** Two query clauses: one for the listings that an identifier finds, and one for all linked offers of their products. */
export interface LinkedOffers {
  /**
   * Matches the listings that have the text as SKU, GTIN or model number. If there are none, it matches those with the model
   * number in their name, and if none of these is linked, all with a model number that begins with it.
   */
  identified: QueryClause;
  /** Matches all linked offers of the products that the identified listings are linked to. */
  offers: QueryClause;
}

/** Clauses for listings with this model number in their names (`named`), or one that begins with it; none for another text. */
function withModelNumber(text: string): { named?: QueryClause; begun?: QueryClause } {
  const model = normaliseIdentifier(text);
  if (!/\p{L}/u.test(model)) return {};
  const named = { term: { 'name.codes': model } };
  if (model.length < MIN_BEGINNING) return { named };
  const fields = ['internal.identifiers', 'name.codes'];
  return { named, begun: { bool: { should: fields.map((field) => ({ prefix: { [field]: model } })) } } };
}

/**
 * A request for the products of the listings that an identifier finds, and the function that reads its
 * response. The response has no listings, so that Elasticsearch can cache it.
 */
export function linkedOffers(text: string) {
  const clauses: { stated: QueryClause; named?: QueryClause; begun?: QueryClause } = {
    stated: identifiedBy(text),
    ...withModelNumber(text),
  };
  const linked: QueryClause = { exists: { field: 'internal.linked_at' } };
  const products = {
    linked: { filter: linked, aggs: { products: { terms: { field: GROUP_FIELD, size: MAX_PRODUCTS + 1 } } } },
  };
  const aggs: AggregationRequests = Object.fromEntries(
    Object.entries(clauses).map(([name, filter]) => [name, { filter, aggs: products }]),
  );
  const request: estypes.SearchRequest = {
    ...COUNTS,
    query: { bool: { filter: [{ bool: { should: Object.values(clauses) } }] } },
    aggs,
  };
  const read = (aggregations: estypes.SearchResponse['aggregations']): LinkedOffers | null => {
    const counts = (aggregations ?? {}) as Record<string, ProductCounts | undefined>;
    const groupsOf = (name: string) => counts[name]?.linked.products.buckets.map(({ key }) => key) ?? [];
    const isFew = (groups: readonly number[]) => groups.length > 0 && groups.length <= MAX_PRODUCTS;
    // The words of the text find the listings that state the whole model number, so only their linked offers are missing.
    const isStated = (counts['stated']?.doc_count ?? 0) > 0;
    const name = isStated ? 'stated' : isFew(groupsOf('named')) ? 'named' : 'begun';
    const identified = clauses[name];
    const groups = isFew(groupsOf(name)) ? groupsOf(name) : [];
    if (identified === undefined || (groups.length === 0 && (isStated || counts[name]?.doc_count === 0)))
      return null;
    return { identified, offers: { bool: { filter: [{ terms: { [GROUP_FIELD]: groups } }, linked] } } };
  };
  return { request, read };
}

interface ProductCounts {
  doc_count: number;
  linked: { products: { buckets: { key: number }[] } };
}

/** Adds linked offers to a scoring clause: identified listings come first, then their linked offers. */
export const withLinkedOffers = (scored: QueryClause, linked: LinkedOffers): QueryClause => ({
  bool: {
    should: [
      scored,
      scoring(linked.identified, SEARCH_TUNING.identifier, 'identifier'),
      scoring(linked.offers, SEARCH_TUNING.linkedOffers, 'linked'),
    ],
  },
});

const scoring = (filter: QueryClause, boost: number, name: string): QueryClause => ({
  constant_score: { filter, boost, _name: name },
});
