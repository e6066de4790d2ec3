import type { estypes } from '@elastic/elasticsearch';
import { gtinOf } from '../../listing/gtin.js';
import { normaliseIdentifier } from '../../listing/identify.js';
import { UNIT_WORDS } from '../../text/units.js';
import { GROUP_FIELD } from './groups.js';
import { identified } from './contained-words.js';
import { type AggregationRequests, COUNTS, type QueryClause } from './selection.js';
import { SEARCH_TUNING } from './tuning.js';

const MIN_MODEL_LENGTH = 4;
/** The maximum number of words of one identifier, such as "WH 1000 XM5". */
const MAX_PARTS = 4;
/** The maximum number of letters of a word without a digit in a model number, such as "WH". */
const MAX_LETTERS = 3;
/**
 * The maximum number of products that an identifier may find. A text that more products have is not an
 * identifier but, for example, a size.
 */
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

/**
 * Two query clauses: one for the listings that an identifier finds, and one for all linked offers of their
 * products.
 */
export interface LinkedOffers {
  /**
   * Matches the listings that have the text as SKU, GTIN or model number. If there are none, it matches those
   * with the model number in their name.
   */
  identified: QueryClause;
  /** Matches all linked offers of the products that the identified listings are linked to. */
  offers: QueryClause;
}

/** A clause for the listings with a model number in their names; null if the text is not a model number. */
function withModelInName(text: string): QueryClause | null {
  const model = normaliseIdentifier(text);
  return /\p{L}/u.test(model) ? { term: { 'name.codes': model } } : null;
}

/**
 * A request for the products of the listings that an identifier finds, and the function that reads its
 * response. The response has no listings, so that Elasticsearch can cache it.
 */
export function linkedOffers(text: string) {
  const stated = identified(text);
  const named = withModelInName(text);
  const linked: QueryClause = { exists: { field: 'internal.linked_at' } };
  const products = {
    linked: { filter: linked, aggs: { products: { terms: { field: GROUP_FIELD, size: MAX_PRODUCTS + 1 } } } },
  };
  const aggs: AggregationRequests = {
    stated: { filter: stated, aggs: products },
    ...(named && { named: { filter: named, aggs: products } }),
  };
  const request: estypes.SearchRequest = {
    ...COUNTS,
    query: { bool: { filter: [{ bool: { should: [stated, ...(named === null ? [] : [named])] } }] } },
    aggs,
  };
  const read = (aggregations: estypes.SearchResponse['aggregations']): LinkedOffers | null => {
    const counts = (aggregations ?? {}) as Record<string, ProductCounts | undefined>;
    const isStated = (counts['stated']?.doc_count ?? 0) > 0;
    const groups = counts[isStated ? 'stated' : 'named']?.linked.products.buckets.map(({ key }) => key) ?? [];
    if (groups.length === 0 || groups.length > MAX_PRODUCTS) return null;
    return {
      identified: isStated ? stated : (named ?? stated),
      offers: { bool: { filter: [{ terms: { [GROUP_FIELD]: groups } }, linked] } },
    };
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
