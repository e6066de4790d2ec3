import { apiFacet, type ApiRequest } from './request.js';
import type {
  ApiFacet,
  ApiItem,
  ApiPage,
  FacetValues,
  Highlighted,
  Hit,
  Query,
  QueryParameters,
  Result,
} from './types.js';

/** The largest offset that the API accepts, and the largest with `group=product`. */
const REACH = { listings: 1_000_000, products: 9_999 };

const LEVEL_SEPARATOR = ' > ';

/** Translates a page of the API to the result of a query. */
export function toResult(query: Query, request: ApiRequest, page: ApiPage, milliseconds: number): Result {
  const { params = {} } = query;
  const { items, facets = [], ...members } = page;
  const { hitsPerPage } = request;
  const nbHits = page.total_groups ?? page.total;
  const reach = page.total_groups === undefined ? REACH.listings : REACH.products;
  const isExact = facets.every(({ exact }) => exact !== false);
  return {
    index: query.indexName,
    query: params.query ?? '',
    params: '',
    page: request.page,
    hitsPerPage,
    nbHits,
    nbPages: hitsPerPage === 0 ? 0 : Math.ceil(Math.min(nbHits, reach) / hitsPerPage),
    hits: hitsPerPage === 0 ? [] : items.map((item) => toHit(item, params)),
    facets: Object.assign({}, ...facets.map((facet) => facetCounts(facet, params))) as Result['facets'],
    facets_stats: Object.assign({}, ...facets.toReversed().map(facetStats)) as Result['facets_stats'],
    exhaustive: { nbHits: true, facetsCount: isExact },
    exhaustiveNbHits: true,
    exhaustiveFacetsCount: isExact,
    processingTimeMS: Math.round(milliseconds),
    renderingContent: { facetOrdering: { facets: { order: facets.map(({ name }) => attributeOf(name)) } } },
    catalogue: { ...members, prices: facets.filter(({ name }) => name === 'price') },
  };
}

const attributeOf = (facet: string): string => (facet === 'category_path' ? 'category_path.lvl0' : facet);

/** Whether a page has all facets that a query asks for, so that it can answer the query. */
export const hasFacets = ({ facets = [] }: ApiPage, query: Query): boolean =>
  [query.params?.facets ?? []].flat().every((name) => facets.some((facet) => facet.name === apiFacet(name)));

function facetCounts(
  { name, values, exact: _, ...range }: ApiFacet,
  { maxValuesPerFacet = 10 }: QueryParameters,
) {
  if (values === undefined)
    return { [name]: range.count === undefined ? {} : { [range.max ?? '']: range.count } };
  if (name === 'category_path') return levels(values);
  if (name === 'rating') return { rating: exactly(values) };
  const shown = values.filter(({ selected }, at) => at < maxValuesPerFacet || selected);
  return { [name]: Object.fromEntries(shown.map(({ value, count }) => [value, count])) };
}

/** The counts of category paths by their level: `category_path.lvl0`, `category_path.lvl1` and so on. */
function levels(values: NonNullable<ApiFacet['values']>): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = { 'category_path.lvl0': {} };
  for (const { value, count } of values) {
    const level = (counts[`category_path.lvl${value.split(LEVEL_SEPARATOR).length - 1}`] ??= {});
    level[value] = count;
  }
  return counts;
}

/** The counts of ratings between one step and the next, because InstantSearch adds up those of higher ratings. */
function exactly(values: NonNullable<ApiFacet['values']>): Record<string, number> {
  const counts = values.map(({ value, count }, at) => [value, count - (values[at - 1]?.count ?? 0)]);
  return Object.fromEntries(counts) as Record<string, number>;
}

/** The limits of the facet `price`. If there are several currencies, those of the most frequent one. */
function facetStats({ name, type, min, max }: ApiFacet): Result['facets_stats'] {
  if (type !== 'range') return {};
  const [least, most] = [Number(min), Number(max)];
  return { [name]: { min: least, max: most, avg: (least + most) / 2, sum: 0 } };
}

function toHit(item: ApiItem, params: QueryParameters): Hit {
  const { highlight, ...members } = item;
  const texts = Object.entries(members).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const plain = texts.map(([name, value]): [string, Highlighted] => [name, highlighted(value, value)]);
  const marked = Object.entries(highlight ?? {}).flatMap(([name, html]): [string, Highlighted][] =>
    typeof html === 'string' ? [[name, highlighted(withTags(html, params), String(item[name] ?? ''))]] : [],
  );
  return {
    ...members,
    objectID: String(item.id),
    _highlightResult: Object.fromEntries([...plain, ...marked]),
  } as Hit;
}

const highlighted = (value: string, plain: string): Highlighted => ({
  value,
  matchLevel: value === plain ? 'none' : 'full',
  matchedWords: [],
});

const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#x27': "'",
  '#39': "'",
  '#x2F': '/',
};

/**
 * Replaces the markup of a highlight by the tags of the query. The text is unescaped, because InstantSearch
 * escapes it.
 */
function withTags(
  html: string,
  { highlightPreTag = '<em>', highlightPostTag = '</em>' }: QueryParameters,
): string {
  return html
    .split(/(<\/?em>)/)
    .map((part) => {
      if (part === '<em>') return highlightPreTag;
      if (part === '</em>') return highlightPostTag;
      return part.replaceAll(/&(\w+|#\w+);/g, (entity, name: string) => CHARACTERS[name] ?? entity);
    })
    .join('');
}

/** Translates a facet of the API to the result of a search for facet values. */
export function toFacetValues(
  { facets = [] }: ApiPage,
  params: QueryParameters,
  milliseconds: number,
): FacetValues {
  const { facetName = '', facetQuery = '', maxFacetHits = 10 } = params;
  const level = /^category_path\.lvl(\d+)$/.exec(facetName)?.[1];
  const facet = facets.find(({ name }) => name === apiFacet(facetName));
  const values = (facet?.values ?? []).filter(
    ({ value }) => level === undefined || value.split(LEVEL_SEPARATOR).length - 1 === Number(level),
  );
  return {
    facetHits: values
      .slice(0, maxFacetHits)
      .map(({ value, count }) => ({ value, highlighted: markedText(value, facetQuery, params), count })),
    exhaustiveFacetsCount: facet?.exact !== false,
    processingTimeMS: Math.round(milliseconds),
  };
}

function markedText(
  value: string,
  text: string,
  { highlightPreTag = '<em>', highlightPostTag = '</em>' }: QueryParameters,
): string {
  const at = value.toLowerCase().indexOf(text.trim().toLowerCase());
  const { length } = text.trim();
  if (at < 0 || length === 0) return value;
  return `${value.slice(0, at)}${highlightPreTag}${value.slice(at, at + length)}${highlightPostTag}${value.slice(at + length)}`;
}
