import type { estypes } from '@elastic/elasticsearch';
import { foldValue } from '../listing/fold.js';
import { PRICE_EDGES } from '../listing/price-steps.js';
import { ATTRIBUTE_FACETS, RATINGS } from '../schemas/facets.js';
import type { Filters } from '../schemas/filters.js';
import { ATTRIBUTES, attributesOf, type Refinement } from './listings.js';

type Query = estypes.QueryDslQueryContainer;
type Aggs = Record<string, estypes.AggregationsAggregationContainer>;

/** Currencies that prices are counted in, the commonest. */
const CURRENCIES = 5;

/**
 * Values that are asked for at least, so that their number is known too: to count different values by themselves costs as
 * much as the search.
 */
const ASKED = 200;

/** Where there are more, up to so many different ones are counted exactly. */
const DISTINCT_EXACTLY = 10_000;

/** Beside those that are shown some are asked for by themselves. */
const ATTRIBUTE_NAMES = 2 * ATTRIBUTE_FACETS.most;

/** What is counted, and which filters of it narrow what. */
export interface Counting {
  /** Filters of all that is counted. */
  kept: Query[];
  /** Filters of which a facet is free: they narrow the answer after all is counted. */
  own: readonly Refinement[];
  filters: Filters;
  /** Values of each facet. */
  limit: number;
}

/**
 * Which filters narrow all that is counted, and which some facet is free of.
 * @param names of the facets: `brand`, `attr.colour`.
 */
export function partition(names: readonly string[], refinements: readonly Refinement[]) {
  const isOwn = ({ of }: Refinement) =>
    names.includes(of) || (of.startsWith('attr.') && names.includes('attributes'));
  const kept = refinements.filter((one) => !isOwn(one)).map(({ clause }) => clause);
  return { kept, own: refinements.filter(isOwn) };
}

/** What narrows the answer after all is counted. */
export const postFilter = (own: readonly Refinement[]): { post_filter?: Query } =>
  own.length === 0 ? {} : { post_filter: { bool: { filter: own.map(({ clause }) => clause) } } };

/** The name of an aggregation; those of the engine may not have all characters that those of attributes have. */
export const aggregationOf = (facet: number, part?: string): string =>
  part === undefined ? `${facet}` : `${facet}:${part}`;

/** One group of aggregations for each facet, under the filters of the others. */
export const facetAggs = (names: readonly string[], counting: Counting): Aggs =>
  groupedAggs(names, counting, (name) => countsOf(name, counting.filters, counting.limit));

/** The same for how many different values there are, of facets that have more than are asked for. */
export const distinctAggs = (names: readonly string[], counting: Counting): Aggs =>
  groupedAggs(names, counting, (name) => ({
    distinct: {
      cardinality: {
        field: fieldsOf(name).field,
        precision_threshold: DISTINCT_EXACTLY,
        // By global ordinals, its own choice, it fails where the field is one name of a flattened one.
        execution_hint: 'segment_ordinals',
      },
    },
  }));

function groupedAggs(names: readonly string[], { own }: Counting, counts: (name: string) => Aggs): Aggs {
  const groups = names.map((name, at): Aggs => {
    const others = own.filter(({ of }) => of !== name).map(({ clause }) => clause);
    const parts = Object.entries(counts(name));
    const aggs = Object.fromEntries(parts.map(([part, agg]) => [aggregationOf(at, part), agg]));
    // Without own filters all that matches is counted, and a filter that lets all pass would still cost.
    if (own.length === 0) return aggs;
    const filter: Query = others.length === 0 ? { match_all: {} } : { bool: { filter: others } };
    return { [aggregationOf(at)]: { filter, aggs } };
  });
  return Object.assign({}, ...groups) as Aggs;
}

function countsOf(name: string, filters: Filters, limit: number): Aggs {
  switch (name) {
    case 'price':
      return { currencies: PRICES };
    case 'rating':
      return { ratings: { range: { field: 'internal.rating', ranges: ratingRanges(filters) } } };
    case 'availability':
      return {
        values: { terms: { field: 'is_available' } },
        unknown: { missing: { field: 'is_available' } },
      };
    case 'attributes':
      return { names: { terms: { field: 'internal.attribute_names', size: ATTRIBUTE_NAMES } } };
    default:
      return valueCounts(name, selectedOf(name, filters), limit);
  }
}

/** Where the values of a facet are compared, and where they stand as written, if they differ. */
export function fieldsOf(name: string): { field: string; written?: string } {
  if (name === 'brand') return { field: 'internal.brand', written: 'brand.written' };
  if (name === 'category') return { field: 'category.folded', written: 'category' };
  const attribute = attributeOf(name);
  if (attribute === null) return { field: name };
  return { field: `${ATTRIBUTES}.${attribute}`, written: `internal.attribute_spellings.${attribute}` };
}

/** The attribute that a facet is of; null: it is another one. */
export const attributeOf = (name: string): string | null =>
  name.startsWith('attr.') ? name.slice('attr.'.length) : null;

function valueCounts(name: string, selected: readonly string[], limit: number): Aggs {
  const { field } = fieldsOf(name);
  const attribute = attributeOf(name);
  const has = (value: string): Query => ({
    term: { [field]: { value, case_insensitive: name === 'source' } },
  });
  const stated: Query = { term: { 'internal.attribute_names': attribute ?? '' } };
  return {
    values: { terms: { field, size: Math.max(limit, ASKED) } },
    ...(selected.length === 0 ? {} : { selected: { filters: { filters: selected.map(has) } } }),
    ...(attribute === null ? {} : { stated: { filter: stated } }),
  };
}

/** The values of a facet that the request filters by, as they are compared; of a category it may be a part of one. */
export function selectedOf(name: string, filters: Filters): string[] {
  const { platform = [], source = [], brand = [], currency = [], category = '' } = filters;
  switch (name) {
    case 'brand':
      return unique(brand.map(foldValue));
    case 'source':
      return unique((platform.length > 0 ? platform : source).map(foldValue));
    case 'currency':
      return unique(currency.map((code) => code.toUpperCase()));
    case 'category':
      return category === '' ? [] : [category.toLowerCase()];
    case 'rating':
      return filters.min_rating === undefined ? [] : [String(Number(filters.min_rating))];
    case 'availability':
      return filters.in_stock === undefined ? [] : [filters.in_stock ? 'in_stock' : 'out_of_stock'];
    default:
      return unique(
        attributesOf(filters)
          .filter(([attribute]) => attribute === attributeOf(name))
          .flatMap(([, values]) => values.map(foldValue)),
      );
  }
}

const unique = (values: string[]): string[] => [...new Set(values)];

function ratingRanges(filters: Filters): estypes.AggregationsAggregationRange[] {
  const ratings = unique([...RATINGS, ...selectedOf('rating', filters)]);
  const lowest = Math.min(...ratings.map(Number));
  return [...ratings.map((rating) => ({ key: rating, from: Number(rating) })), { key: 'lower', to: lowest }];
}

/** Counts at every step: which are shown as one is seen when the prices are known. */
const PRICES: estypes.AggregationsAggregationContainer = {
  terms: { field: 'currency', size: CURRENCIES },
  aggs: {
    steps: { terms: { field: 'internal.price_step', size: PRICE_EDGES.length } },
    units: { stats: { field: 'internal.price_units' } },
  },
};
