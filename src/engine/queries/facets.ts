import type { estypes } from '@elastic/elasticsearch';
import { GROUPS_SCHEMA } from '../../listing/derived.js';
import { PRICE_EDGES } from '../../listing/price.js';
import { ATTRIBUTE_FACETS, RATINGS } from '../../schemas/facets.js';
import { attributeFields, attributeName, statedNames } from './filter-clauses.js';
import { type Filters, type Refinement, selectedValues } from './filters.js';
import { type AggregationRequests, CACHED_COUNTS, type QueryClause } from './selection.js';

/**
 * The number of currencies in which the facet `price` counts price ranges; the most frequent ones are used.
 */
const CURRENCIES = 5;

/**
 * The minimum number of values that a facet requests. Most facets have fewer values, so their number is known
 * without a cardinality aggregation, which would cost as much as the search.
 */
const MIN_VALUES = 200;

/**
 * Up to this number of different values of a facet, Elasticsearch counts them exactly
 * (`precision_threshold`).
 */
const DISTINCT_EXACTLY = 10_000;

/**
 * The number of attribute names to request from Elasticsearch. It is a multiple of the number that is
 * answered, because several names may stand for the same attribute.
 */
const ATTRIBUTE_NAMES = 3 * ATTRIBUTE_FACETS.most;

/**
 * Attributes that nobody filters by, such as the number of reviews. The facet `attributes` leaves them out;
 * only a facet that names one (`attr.NAME`) counts its values.
 */
const COUNTERS: readonly string[] = (
  'review|reviews|review count|review_count|reviews_count|number of reviews|reviewcount|rating count|rating_count|ratings|' +
  'ratings count|ratings_count|number of ratings|sold|units sold|units_sold|sold count|sold_count|historical_sold|sales|' +
  'orders|stock|stock quantity|stock_quantity|in stock|inventory|likes|liked_count|views|shop|shop name|shop_name|store|' +
  'seller|seller name|seller_name|merchant|vendor'
).split('|');

/**
 * The minimum schema version of the index that the requested facets need; 0 if every version is sufficient.
 */
export const schemaOfFacets = (names: readonly string[]): number =>
  names.some(
    (name) => ['brand', 'rating', 'price', 'attributes'].includes(name) || attributeOf(name) !== null,
  )
    ? GROUPS_SCHEMA
    : 0;

/** The facets of a request, and the listings in which their values are counted. */
export interface FacetScope {
  /** Query clauses that narrow the listings in which the values of every facet are counted. */
  shared: QueryClause[];
  /**
   * The filters of the request that each belong to one of the facets. They apply to the hits after the facets
   * are counted.
   */
  ofFacets: readonly Refinement[];
  filters: Filters;
  limit: number;
}

/**
 * Separates the filters of a request into those that narrow every facet and those that belong to one of the
 * facets.
 * @param names the names of the facets, such as `brand` or `attr.colour`.
 */
export function partitionByFacet(names: readonly string[], refinements: readonly Refinement[]) {
  const facets = names.map(canonicalFacet);
  const isOfFacet = ({ facet }: Refinement) =>
    facet !== null && (facets.includes(facet) || (facet.startsWith('attr.') && names.includes('attributes')));
  return {
    shared: refinements.filter((one) => !isOfFacet(one)).map(({ clause }) => clause),
    ofFacets: refinements.filter(isOfFacet),
  };
}

/** The part of a search request that applies the filters of facets to the hits, but not to the counts. */
export const postFilter = (ofFacets: readonly Refinement[]): { post_filter?: QueryClause } =>
  ofFacets.length === 0 ? {} : { post_filter: { bool: { filter: ofFacets.map(({ clause }) => clause) } } };

/** The name of an aggregation. Facets are numbered, because names of attributes may contain any character. */
export const aggregationName = (facet: number, part?: string): string =>
  part === undefined ? `${facet}` : `${facet}:${part}`;

/** The aggregations that count the values of each facet, with the filters of the other facets. */
export const facetAggs = (names: readonly string[], scope: FacetScope): AggregationRequests =>
  groupedAggs(names, scope, (name) => aggsOf(name, scope.filters, scope.limit));

/** The aggregations that count how many different values each facet has. */
export const distinctAggs = (names: readonly string[], scope: FacetScope): AggregationRequests =>
  groupedAggs(names, scope, (name) => {
    const [{ field }, second] = fieldsOfFacet(name);
    // The different values are counted from lists of both fields, because a cardinality aggregation cannot
    // count those of two fields together.
    if (second !== undefined) return valuesOfTwo(field, second.field, DISTINCT_EXACTLY, 'distinct');
    return {
      distinct: {
        cardinality: {
          field,
          precision_threshold: DISTINCT_EXACTLY,
          // This hint is stated because the default one (global ordinals) fails for a key of a flattened
          // field.
          execution_hint: 'segment_ordinals',
        },
      },
    };
  });

const valuesOfTwo = (first: string, second: string, size: number, part: string): AggregationRequests => ({
  [part]: { terms: { field: first, size } },
  [`${part}_second`]: { terms: { field: second, size } },
});

function groupedAggs(
  names: readonly string[],
  { ofFacets }: FacetScope,
  aggs: (name: string) => AggregationRequests,
): AggregationRequests {
  const groups = names.map((name, at): AggregationRequests => {
    const others = ofFacets.filter(({ facet }) => facet !== canonicalFacet(name)).map(({ clause }) => clause);
    const parts = Object.entries(aggs(name));
    const named = Object.fromEntries(parts.map(([part, agg]) => [aggregationName(at, part), agg]));
    // A filter aggregation is added only if there is a filter, because Elasticsearch would evaluate an empty
    // one for every listing.
    if (ofFacets.length === 0) return named;
    const filter: QueryClause = others.length === 0 ? { match_all: {} } : { bool: { filter: others } };
    return { [aggregationName(at)]: { filter, aggs: named } };
  });
  return Object.assign({}, ...groups) as AggregationRequests;
}

function aggsOf(name: string, filters: Filters, limit: number): AggregationRequests {
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
      return {
        names: { terms: { field: ATTRIBUTE_NAME_FIELD, size: ATTRIBUTE_NAMES, exclude: [...COUNTERS] } },
      };
    default: {
      const selected = selectedValues(canonicalFacet(name), filters).map(({ key }) => key);
      return valueAggs(name, selected, limit);
    }
  }
}

interface FacetField {
  field: string;
  /**
   * The index field that contains the values of a facet as feeds write them, if it differs from the field
   * that is compared.
   */
  written?: string;
}

/**
 * The fields with the values of a facet. There are two if the facet is an attribute with a British and an
 * American name.
 */
export function fieldsOfFacet(name: string): [FacetField, ...FacetField[]] {
  if (name === 'brand') return [{ field: 'internal.brand', written: 'brand.written' }];
  if (name === 'category') return [{ field: 'category.folded', written: 'category' }];
  const attribute = attributeOf(name);
  return attribute === null ? [{ field: name }] : (attributeFields(attribute) as [FacetField]);
}

/** The attribute name in a facet name `attr.NAME`; null for other facets. */
export const attributeOf = (name: string): string | null =>
  name.startsWith('attr.') ? attributeName(name.slice('attr.'.length)) : null;

/** The canonical name of a facet, which `attr.color` and `attr.colour` share. */
export function canonicalFacet(name: string): string {
  const attribute = attributeOf(name);
  return attribute === null ? name : `attr.${attribute}`;
}

const ATTRIBUTE_NAME_FIELD = 'internal.attribute_names';

function valueAggs(name: string, selected: readonly string[], limit: number): AggregationRequests {
  const [{ field }, second] = fieldsOfFacet(name);
  const attribute = attributeOf(name);
  const withValue = (value: string): QueryClause => {
    const terms = fieldsOfFacet(name).map((one): QueryClause => ({
      term: { [one.field]: { value, case_insensitive: name === 'source' } },
    }));
    return terms.length === 1 ? (terms[0] ?? {}) : { bool: { should: terms } };
  };
  const size = Math.max(limit, MIN_VALUES);
  return {
    ...(second === undefined
      ? { values: { terms: { field, size } } }
      : {
          ...valuesOfTwo(field, second.field, size, 'values'),
          values_both: valuesOfBoth(field, second.field, size),
        }),
    ...(selected.length === 0 ? {} : { selected: { filters: { filters: selected.map(withValue) } } }),
    ...(attribute === null
      ? {}
      : { stated: { filter: { terms: { [ATTRIBUTE_NAME_FIELD]: statedNames(attribute) } } } }),
  };
}

/**
 * An aggregation that counts the listings with the same value under the British and the American name of an
 * attribute. The sum of both fields counts these listings twice.
 */
const valuesOfBoth = (first: string, second: string, size: number): AggregationRequests[string] => ({
  filter: { bool: { filter: [{ exists: { field: first } }, { exists: { field: second } }] } },
  aggs: { values: { terms: { field: first, size }, aggs: { same: { terms: { field: second, size } } } } },
});

function ratingRanges(filters: Filters): estypes.AggregationsAggregationRange[] {
  const ratings = [...new Set([...RATINGS, ...selectedValues('rating', filters).map(({ key }) => key)])];
  const lowest = Math.min(...ratings.map(Number));
  return [...ratings.map((rating) => ({ key: rating, from: Number(rating) })), { key: 'lower', to: lowest }];
}

/**
 * Aggregations for the facet `price`, which count the listings at each price step. Listings without a price
 * do not affect the choice of currencies.
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

/**
 * A field with facet values, for which the written form is to be looked up: the field that is compared
 * (`field`), the field as feeds write it (`written`), and the values in compared form.
 */
export interface LabelledField {
  field: string;
  written: string;
  values: readonly string[];
}

/**
 * The number of written forms requested for a facet value. More than one is needed, because listings with
 * several values also contribute the forms of their other values.
 */
const WRITTEN_FORMS = 10;

/** A request for the most frequent written forms of facet values, separately for each field. */
export function valueLabelsRequest(fields: readonly LabelledField[]): estypes.SearchRequest {
  return {
    ...CACHED_COUNTS,
    query: { bool: { should: fields.map(({ field, values }) => ({ terms: { [field]: [...values] } })) } },
    aggs: Object.fromEntries(
      fields.map(({ field, written, values }, at) => [
        at,
        {
          terms: { field, include: [...values], size: values.length },
          aggs: { written: { terms: { field: written, size: WRITTEN_FORMS } } },
        },
      ]),
    ),
  };
}
