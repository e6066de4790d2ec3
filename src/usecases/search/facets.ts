import { attributeName } from '../../engine/queries/filter-clauses.js';
import {
  aggregationName,
  attributeOf,
  canonicalFacet,
  distinctAggs,
  facetAggs,
  type FacetScope,
  fieldsOfFacet,
  textInValues,
} from '../../engine/queries/facets.js';
import { filteredAttributes, selectedValues } from '../../engine/queries/refinements.js';
import type { SearchTarget } from '../../engine/queries/selection.js';
import { type Aggregations, countMatches, type FoundListings } from '../../engine/search-listings.js';
import { ATTRIBUTE_FACETS } from '../../schemas/facets.js';
import { foldValue, plainApostrophes } from '../../text/fold.js';
import type { Context } from '../context.js';
import { displayedValues, type FacetAggregations, toFacets } from './facet-counts.js';

/** Returns the names of the requested facets, each once. The name of an attribute is folded. */
export function facetNames(requested: readonly string[]): string[] {
  const names = requested.map((name) =>
    attributeOf(name) === null ? name : `attr.${foldValue(name.slice('attr.'.length))}`,
  );
  const facets = names.map(canonicalFacet);
  return names.filter((name, at) => facets.indexOf(canonicalFacet(name)) === at);
}

/**
 * Returns the facets of a search from the results of its aggregations (`facetAggs`). Further requests count the
 * attributes that `attributes` stands for, and the number of different values of facets with many values.
 */
export async function facetsOf(
  context: Context,
  { aggregations, total, selection }: FoundListings,
  target: SearchTarget,
  names: readonly string[],
  scope: FacetScope,
): Promise<object[]> {
  const counts = names.map((name, at) => countsOf(name, aggregations, at, total));
  const at = names.indexOf('attributes');
  const attributes = counts[at] === undefined ? [] : displayedAttributes(names, scope, counts[at]);
  if (at >= 0) {
    const counted =
      attributes.length === 0
        ? undefined
        : await countMatches(context.es, target, selection, facetAggs(attributes, scope));
    counts.splice(at, 1, ...attributes.map((name, place) => countsOf(name, counted, place, total)));
  }
  const large = counts.filter(hasFurtherValues);
  if (large.length > 0) {
    const aggs = distinctAggs(
      large.map(({ name }) => name),
      scope,
    );
    const distinct = await countMatches(context.es, target, selection, aggs);
    for (const [place, facet] of large.entries()) {
      const { aggregations: known } = facet;
      const { aggregations: further } = countsOf(facet.name, distinct, place, total);
      facet.aggregations = (part) => known(part) ?? further(part);
    }
  }
  return withLabels(context, counts, scope);
}

type FacetCounts = ReturnType<typeof countsOf>;

function countsOf(name: string, aggregations: Aggregations, at: number, matching: number) {
  type Counts = Record<string, ReturnType<FacetAggregations>> & { doc_count?: number };
  const filtered = aggregations?.[aggregationName(at)] as Counts | undefined;
  const counts = (filtered ?? aggregations ?? {}) as Counts;
  return {
    name,
    aggregations: (part: string) => counts[aggregationName(at, part)],
    /** The number of listings in which values were counted: those that pass all filters except the facet's own. */
    total: filtered?.doc_count ?? matching,
  };
}

const hasFurtherValues = ({ aggregations }: FacetCounts): boolean =>
  ['values', 'values_second'].some((part) => (aggregations(part)?.sum_other_doc_count ?? 0) > 0);

/** Returns the facets with each value in the form in which most listings write it. */
async function withLabels(
  { es, products, valueLabels }: Context,
  counts: readonly FacetCounts[],
  scope: FacetScope,
): Promise<object[]> {
  const folded = (value: string) => plainApostrophes(foldValue(value));
  const facets = counts.map((facet) => {
    const selected = selectedValues(canonicalFacet(facet.name), scope.filters);
    const text = textInValues(scope, facet.name);
    return {
      ...facet,
      limit: scope.limit,
      selected: selected.map((one) => ({
        ...one,
        isHidden: text !== null && !folded(one.key).includes(folded(text)),
      })),
    };
  });
  const labelled = facets.flatMap((facet) =>
    fieldsOfFacet(facet.name).flatMap(({ field, written }) =>
      written === undefined ? [] : [{ field, written, values: displayedValues(facet) }],
    ),
  );
  const formsIn = await valueLabels.of(es, products, labelled);
  return facets.flatMap((facet) => {
    const writtenForms = (value: string) =>
      fieldsOfFacet(facet.name).flatMap(({ field }) => formsIn(field, value));
    return toFacets({ ...facet, writtenForms });
  });
}

/** Returns the attributes to display as facets: those that the request filters by, then those that most listings state. */
function displayedAttributes(
  names: readonly string[],
  { filters }: FacetScope,
  { aggregations, total }: FacetCounts,
): string[] {
  const filtered = filteredAttributes(filters).flatMap(([name, values]) => (values.length > 0 ? [name] : []));
  const counts = new Map<string, number>();
  for (const { key, doc_count } of aggregations('names')?.buckets ?? [])
    counts.set(attributeName(key), (counts.get(attributeName(key)) ?? 0) + doc_count);
  const common = [...counts]
    .filter(([, count]) => count >= ATTRIBUTE_FACETS.coverage * total)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const requested = names.map(canonicalFacet);
  return [...new Set([...filtered, ...common])]
    .map((name) => `attr.${name}`)
    .filter((name) => !requested.includes(name))
    .slice(0, ATTRIBUTE_FACETS.most);
}
