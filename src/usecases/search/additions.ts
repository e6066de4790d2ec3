import type { estypes } from '@elastic/elasticsearch';
import type { AdditionalRequest, Aggregations, Hit } from '../../engine/pages.js';
import type { Product } from '../../schemas/product.js';
import { type Links, toProduct } from '../../listing/to-product.js';

/** What the engine said of the page as a whole. */
export interface PageAnswer {
  total: number;
  /** What it said of words that no listing has, and what the text was corrected to. */
  suggest?: estypes.SearchResponse['suggest'];
  corrected?: string;
  /** Whether the listings have all of the words of the text, or any. */
  mode: 'any' | 'all';
  /** What finds the same listings without the filters of the request. */
  unfiltered: estypes.QueryDslQueryContainer;
  aggregations?: Aggregations;
  /** The listings of the page, where they are no plain bytes. */
  hits?: readonly Hit[];
  /** Counts more of the same listings. */
  count(aggs: NonNullable<estypes.SearchRequest['aggs']>): Promise<Aggregations>;
}

/** What a parameter of search adds to the request and to its answer. */
export interface Addition {
  /** Puts something into the query that finds and scores the same. */
  query?: (query: estypes.QueryDslQueryContainer) => estypes.QueryDslQueryContainer;
  /** Aggregations of several are put together. */
  request?: AdditionalRequest;
  /** Members of each item. */
  item?: (hit: Hit) => object;
  /** Members of the page; may ask for more. */
  page?: (answer: PageAnswer) => object | Promise<object>;
}

/** Whether items stay what they are stored as. */
export const leavesItems = ({ item, request }: Addition): boolean =>
  item === undefined && request?._source === undefined;

/** The query with what they put into it. */
export const queryOf = (
  additions: readonly Addition[],
  query: estypes.QueryDslQueryContainer,
): estypes.QueryDslQueryContainer => additions.reduce((one, addition) => addition.query?.(one) ?? one, query);

/** What all of them ask for. */
export function requestOf(additions: readonly Addition[]): AdditionalRequest {
  const requests = additions.flatMap(({ request }) => request ?? []);
  const aggs = Object.assign(
    {},
    ...requests.map((request) => request.aggs ?? {}),
  ) as (typeof requests)[0]['aggs'];
  const all = Object.assign({}, ...requests) as (typeof requests)[0];
  return aggs === undefined || Object.keys(aggs).length === 0 ? all : { ...all, aggs };
}

/** An item: the product, or some fields of it, with what is added. */
export function toItem(
  hit: Hit,
  additions: readonly Addition[],
  { links, fields }: { links: Links; fields: readonly (keyof Product)[] | null },
): object {
  const product = toProduct(hit._source as Product, links);
  const shown =
    fields === null ? product : Object.fromEntries(fields.map((field) => [field, product[field]] as const));
  return Object.assign(shown, ...additions.map(({ item }) => item?.(hit) ?? {})) as object;
}

/** What is added to the page. */
export async function pageMembers(additions: readonly Addition[], answer: PageAnswer): Promise<object> {
  const members = await Promise.all(additions.map(({ page }) => page?.(answer) ?? {}));
  return Object.assign({}, ...members) as object;
}
