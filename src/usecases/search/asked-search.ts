import type { estypes } from '@elastic/elasticsearch';
import { type Engine, findByText, type FoundByText, type TextSearch } from './find-by-text.js';
import type { Found } from '../../engine/pages.js';
import { partition } from '../../engine/queries/facets.js';
import { type Refinement, refinements } from '../../engine/queries/listings.js';
import { orderBy, type OrderContext } from '../../engine/queries/order.js';
import type { SearchParameters } from '../../schemas/search.js';
import { countsByToday, facetNames } from './facets.js';
import { narrowsByToday } from '../shared/filters.js';

/** A search as it was asked for. */
export interface Asked {
  text: string;
  match: TextSearch['match'];
  /** Whether the answer says which set of listings it lists. */
  tellsMatch: boolean;
  sort: estypes.Sort;
  /** Whether the most relevant come first. */
  byRelevance: boolean;
  facets: string[];
  /** Filters of all that is counted, and those of which a facet is free. */
  kept: estypes.QueryDslQueryContainer[];
  own: Refinement[];
  /** What needs an index of today's schema. */
  ofToday: string[];
  all: Refinement[];
}

/** @throws QueryError when price limits cross. */
export function readSearch(query: SearchParameters, order: OrderContext): Asked {
  const text = (query.q ?? '').trim();
  const { match = 'auto', sort = text === '' ? 'updated' : 'relevance', facets: asked = [] } = query;
  const tellsMatch = query.match !== undefined || query.explain === true;
  const facets = facetNames(asked);
  const today = [
    ...(narrowsByToday(query) ? ['a filter'] : []),
    ...(sort === 'rating' ? ['the order by rating'] : []),
    ...(query.group === undefined ? [] : ['group']),
    ...(countsByToday(facets) ? ['a facet'] : []),
  ];
  const all = refinements(query, order.now);
  return {
    text,
    match,
    tellsMatch,
    byRelevance: sort === 'relevance',
    sort: orderBy(sort, { ...order, includeFlagged: query.include_flagged }),
    facets,
    ...partition(facets, all),
    ofToday: today,
    all,
  };
}

/** Listings by text, or without it. */
export async function find<T, Page extends Found<T>>(
  { text, kept: filter, match, sort, byRelevance, all, tellsMatch }: Asked,
  engine: Engine<T, Page>,
): Promise<Page & FoundByText> {
  if (text === '')
    return {
      ...(await engine.read({ query: { bool: { filter } }, sort })),
      mode: 'all',
      unfiltered: { match_all: {} },
    };
  const isFiltered = all.length > 0;
  const order = byRelevance ? null : sort;
  return findByText(text, { filter, isFiltered, match, sort: order, tellsMatch }, engine);
}
