import type { estypes } from '@elastic/elasticsearch';
import { findByText, type First } from '../../elasticsearch/find-by-text.js';
import { findOfKind, type Probe } from '../../elasticsearch/find-of-kind.js';
import type { Found } from '../../elasticsearch/pages.js';
import { partition } from '../../queries/facets.js';
import { type Refinement, refinements } from '../../queries/listings.js';
import { orderBy, type OrderContext } from '../../queries/order.js';
import type { Selection } from '../../queries/selection.js';
import type { SearchParameters } from '../../schemas/search.js';
import { countsByToday, facetNames } from './facets.js';
import { narrowsByToday } from './filters.js';

/** A search as it was asked for. */
export interface Asked {
  text: string;
  match: 'any' | 'all';
  sort: estypes.Sort;
  /** Whether the most relevant come first, so that a listing of that very name is looked for. */
  byRelevance: boolean;
  /** Whether what is found must be the thing that the text names. */
  ofKind: boolean;
  facets: string[];
  /** Filters of all that is counted, and those of which a facet is free. */
  kept: estypes.QueryDslQueryContainer[];
  own: Refinement[];
  /** What needs an index of today's schema. */
  ofToday: string[];
  all: Refinement[];
}

/**
 * @param ofKind whether words of the text gave the order.
 * @throws QueryError when price limits cross.
 */
export function readSearch(query: SearchParameters, order: OrderContext, ofKind: boolean): Asked {
  const text = (query.q ?? '').trim();
  const { match = 'any', sort = text === '' ? 'updated' : 'relevance', facets: asked = [] } = query;
  const facets = facetNames(asked);
  const today = [
    ...(narrowsByToday(query) ? ['a filter'] : []),
    ...(sort === 'rating' ? ['the order by rating'] : []),
    ...(query.group === undefined ? [] : ['group']),
    ...(countsByToday(facets) ? ['a facet'] : []),
  ];
  const all = refinements(query, order.now);
  return {
    ...{ text, match, ofKind, byRelevance: sort === 'relevance' },
    sort: orderBy(sort, { ...order, includeFlagged: query.include_flagged }),
    ...{ facets, ...partition(facets, all), ofToday: today, all },
  };
}

/** How the listings of a search are read. */
export interface Reading<T, Page> {
  /** Sends a selection to the engine and gives the part of the answer that is wanted. */
  read(selection: Selection): Promise<Page>;
  /** How the first listing of all is known. */
  first: First<T>;
  probe: Probe;
}

/** Listings by text, or without it. */
export function find<T, Page extends Found<T>>(
  { text, kept: filter, match, sort, byRelevance, ofKind, all }: Asked,
  { read, first, probe }: Reading<T, Page>,
): Promise<Page> {
  if (text === '') return read({ query: { bool: { filter } }, sort });
  if (!ofKind) return findByText(text, { filter, match, sort }, read, byRelevance ? first : undefined);
  const whole = all.map(({ clause }) => clause);
  return findOfKind(text, { filter, whole, match, sort }, { read, probe });
}
