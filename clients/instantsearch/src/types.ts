/** The parameters of a query that InstantSearch sends, as far as this package reads them. */
export interface QueryParameters {
  query?: string;
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  maxValuesPerFacet?: number;
  /** A text, or a list whose members all apply; each is a text, or a list of alternatives. */
  facetFilters?: unknown;
  /** As `facetFilters`. */
  numericFilters?: unknown;
  highlightPreTag?: string;
  highlightPostTag?: string;
  facetName?: string;
  facetQuery?: string;
  maxFacetHits?: number;
  [name: string]: unknown;
}

/** A query of InstantSearch: `indexName` is `products`, or `products:SORT` with a sort order of the API. */
export interface Query {
  indexName: string;
  params?: QueryParameters;
}

/** A facet in a response of the API. */
export interface ApiFacet {
  name: string;
  type: 'values' | 'range';
  values?: { value: string; count: number; selected: boolean }[];
  exact?: boolean;
  min?: string;
  max?: string;
  count?: number;
  currency?: string;
}

/** A listing in a response of the API, with the members that its parameters add. */
export interface ApiItem {
  id: number;
  highlight?: { name?: string | null; description?: string | null };
  [member: string]: unknown;
}

/** A page of `GET /v1/search`. */
export interface ApiPage {
  total: number;
  total_groups?: number;
  items: ApiItem[];
  facets?: ApiFacet[];
  [member: string]: unknown;
}

/** A text with the matching parts between the tags that the query asks for. */
export interface Highlighted {
  value: string;
  matchLevel: 'none' | 'full';
  matchedWords: string[];
}

/** A listing as InstantSearch shows it. */
export interface Hit extends ApiItem {
  objectID: string;
  _highlightResult: Record<string, Highlighted>;
}

/** The result of one query, in the form that InstantSearch reads. */
export interface Result {
  index: string;
  query: string;
  params: string;
  page: number;
  hitsPerPage: number;
  nbHits: number;
  nbPages: number;
  hits: Hit[];
  facets: Record<string, Record<string, number>>;
  facets_stats: Record<string, { min: number; max: number; avg: number; sum: number }>;
  exhaustive: { nbHits: boolean; facetsCount: boolean };
  exhaustiveNbHits: boolean;
  exhaustiveFacetsCount: boolean;
  processingTimeMS: number;
  renderingContent: { facetOrdering: { facets: { order: string[] } } };
  /**
   * The members of the page besides its items and facets, such as `empty` and `explanation`, and in `prices`
   * the facet `price` of each currency.
   */
  catalogue: Record<string, unknown>;
}

/** The values of one facet that contain a text. */
export interface FacetValues {
  facetHits: { value: string; highlighted: string; count: number }[];
  exhaustiveFacetsCount: boolean;
  processingTimeMS: number;
}
