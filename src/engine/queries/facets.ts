import type { estypes } from '@elastic/elasticsearch';
import { foldValue } from '../../text/fold.js';
import { PRICE_EDGES } from '../../listing/price-steps.js';
import { ATTRIBUTE_FACETS, RATINGS } from '../../schemas/facets.js';
import type { Filters } from '../../schemas/filters.js';
import { attributeFields, attributeName, statedNames } from './attribute-names.js';
import { attributesOf, type Refinement } from './listings.js';

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

/** More names than are shown: some are asked for by themselves, and two may be spellings of one attribute. */
const ATTRIBUTE_NAMES = 3 * ATTRIBUTE_FACETS.most;

/**
 * Attributes that shops state and nobody narrows a search by: counters, and who sells it. `attributes` leaves them out;
 * `attr.NAME` does not.
 */
const COUNTERS: readonly string[] = [
  'review',
  'reviews',
  'review count',
  'review_count',
  'reviews_count',
  'number of reviews',
  'reviewcount',
  'rating count',
  'rating_count',
  'ratings',
  'ratings count',
  'ratings_count',
  'number of ratings',
  'sold',
  'units sold',
  'units_sold',
  'sold count',
  'sold_count',
  'historical_sold',
  'sales',
  'orders',
  'stock',
  'stock quantity',
  'stock_quantity',
  'in stock',
  'inventory',
  'likes',
  'liked_count',
  'views',
  'shop',
  'shop name',
  'shop_name',
  'store',
  'seller',
  'seller name',
  'seller_name',
  'merchant',
  'vendor',
];

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
  const subjects = names.map(subjectOf);
  const isOwn = ({ of }: Refinement) =>
    subjects.includes(of) || (of.startsWith('attr.') && names.includes('attributes'));
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
  groupedAggs(names, counting, (name) => {
    const [{ field }, second] = fieldsOf(name);
    // The union of two fields cannot be counted without their values.
    if (second !== undefined) return bothFields(field, second.field, DISTINCT_EXACTLY, 'distinct');
    return {
      distinct: {
        cardinality: {
          field,
          precision_threshold: DISTINCT_EXACTLY,
          // By global ordinals, its own choice, it fails where the field is one name of a flattened one.
          execution_hint: 'segment_ordinals',
        },
      },
    };
  });

/** The values of each of two fields. */
const bothFields = (first: string, second: string, size: number, part: string): Aggs => ({
  [part]: { terms: { field: first, size } },
  [`${part}_second`]: { terms: { field: second, size } },
});

function groupedAggs(names: readonly string[], { own }: Counting, counts: (name: string) => Aggs): Aggs {
  const groups = names.map((name, at): Aggs => {
    const others = own.filter(({ of }) => of !== subjectOf(name)).map(({ clause }) => clause);
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
      return { priced: PRICES };
    case 'rating':
      return { ratings: { range: { field: 'internal.rating', ranges: ratingRanges(filters) } } };
    case 'availability':
      return {
        values: { terms: { field: 'is_available' } },
        unknown: { missing: { field: 'is_available' } },
      };
    case 'attributes':
      return { names: { terms: { field: NAMES, size: ATTRIBUTE_NAMES, exclude: [...COUNTERS] } } };
    default:
      return valueCounts(
        name,
        selectedOf(name, filters).map(({ key }) => key),
        limit,
      );
  }
}

/** The fields in which a facet's values are compared, and where they stand as feeds write them, if that differs. */
export function fieldsOf(name: string): [FacetField, ...FacetField[]] {
  if (name === 'brand') return [{ field: 'internal.brand', written: 'brand.written' }];
  if (name === 'category') return [{ field: 'category.folded', written: 'category' }];
  const attribute = attributeOf(name);
  return attribute === null ? [{ field: name }] : (attributeFields(attribute) as [FacetField]);
}

interface FacetField {
  field: string;
  written?: string;
}

/** The attribute that a facet is of; null for other facets. */
export const attributeOf = (name: string): string | null =>
  name.startsWith('attr.') ? attributeName(name.slice('attr.'.length)) : null;

/** What a facet is of, as refinements name it: two spellings of an attribute are one. */
export function subjectOf(name: string): string {
  const attribute = attributeOf(name);
  return attribute === null ? name : `attr.${attribute}`;
}

const NAMES = 'internal.attribute_names';

function valueCounts(name: string, selected: readonly string[], limit: number): Aggs {
  const [{ field }, second] = fieldsOf(name);
  const attribute = attributeOf(name);
  const has = (value: string): Query => {
    const terms = fieldsOf(name).map((one): Query => ({
      term: { [one.field]: { value, case_insensitive: name === 'source' } },
    }));
    return terms.length === 1 ? (terms[0] ?? {}) : { bool: { should: terms } };
  };
  const size = Math.max(limit, ASKED);
  return {
    ...(second === undefined
      ? { values: { terms: { field, size } } }
      : {
          ...bothFields(field, second.field, size, 'values'),
          values_both: valuesOfBoth(field, second.field, size),
        }),
    ...(selected.length === 0 ? {} : { selected: { filters: { filters: selected.map(has) } } }),
    ...(attribute === null ? {} : { stated: { filter: { terms: { [NAMES]: statedNames(attribute) } } } }),
  };
}

/** For each value of one field, the listings that have it in another field too: in the sum of both they count twice. */
const valuesOfBoth = (
  first: string,
  second: string,
  size: number,
): estypes.AggregationsAggregationContainer => ({
  filter: { bool: { filter: [{ exists: { field: first } }, { exists: { field: second } }] } },
  aggs: { values: { terms: { field: first, size }, aggs: { same: { terms: { field: second, size } } } } },
});

/** A value that the request filters by. */
export interface SelectedValue {
  /** As it is compared. */
  key: string;
  /** As the request wrote it. */
  given: string;
}

/** The values of a facet that the request filters by; for a category it may be a part of its name. */
export function selectedOf(name: string, filters: Filters): SelectedValue[] {
  const { platform = [], source = [], brand = [], currency = [], category = '' } = filters;
  const attribute = attributeOf(name);
  switch (name) {
    case 'brand':
      return selectedBy(brand, foldValue);
    case 'source':
      return selectedBy(platform.length > 0 ? platform : source, foldValue);
    case 'currency':
      return selectedBy(
        currency.map((code) => code.toUpperCase()),
        (code) => code,
      );
    case 'category':
      return selectedBy(category === '' ? [] : [category], (part) => part.toLowerCase());
    case 'rating':
      return selectedBy(
        filters.min_rating === undefined ? [] : [String(Number(filters.min_rating))],
        (rating) => rating,
      );
    case 'availability':
      return selectedBy(
        filters.in_stock === undefined ? [] : [filters.in_stock ? 'in_stock' : 'out_of_stock'],
        (value) => value,
      );
    default:
      return selectedBy(attributesOf(filters).find(([one]) => one === attribute)?.[1] ?? [], foldValue);
  }
}

/** Each value once, by the first way of writing it. */
function selectedBy(values: readonly string[], keyOf: (value: string) => string): SelectedValue[] {
  const found = new Map<string, string>();
  for (const given of values) {
    const key = keyOf(given);
    if (!found.has(key)) found.set(key, given);
  }
  return [...found].map(([key, given]) => ({ key, given }));
}

function ratingRanges(filters: Filters): estypes.AggregationsAggregationRange[] {
  const ratings = [...new Set([...RATINGS, ...selectedOf('rating', filters).map(({ key }) => key)])];
  const lowest = Math.min(...ratings.map(Number));
  return [...ratings.map((rating) => ({ key: rating, from: Number(rating) })), { key: 'lower', to: lowest }];
}

/**
 * Counts at every step, which are merged into buckets once the prices are known. Listings without a price are left out
 * first, so that they do not decide which currencies are the commonest.
 */
const PRICES: estypes.AggregationsAggregationContainer = {
  filter: { exists: { field: 'internal.price_units' } },
  aggs: {
    currencies: {
      terms: { field: 'currency', size: CURRENCIES },
      aggs: {
        steps: { terms: { field: 'internal.price_step', size: PRICE_EDGES.length } },
        units: { stats: { field: 'internal.price_units' } },
      },
    },
  },
};
