import type { UiState } from 'instantsearch.js';
import type { Query } from '../../../clients/instantsearch/src/index.js';

/** The name of the index for the default order. Other orders are `products:price_asc` and so on. */
export const INDEX = 'products';

/** The attributes whose values can be selected. Those of listings (`attr.colour`) are added as they are found. */
const VALUE_FACETS = ['brand', 'source', 'condition', 'category'];

/** The parameters that every search of a page of products has. The marks are around matching words; names of listings never contain them. */
export const PAGE_PARAMETERS = { hitsPerPage: 24, highlightPreTag: '\u0001', highlightPostTag: '\u0002' };

/** The address of the search without words and filters. The one without parameters is that of the home. */
export const ALL_PRODUCTS = '/explore?q=';

const PATH = 'category_path.lvl0';

/** The parameters of the search view's address: those of `GET /v1/search`; `page` begins with 1. */
export function toUrl(uiState: UiState): string {
  const {
    query,
    page,
    refinementList = {},
    hierarchicalMenu = {},
    range = {},
    ratingMenu = {},
    toggle = {},
    sortBy,
  } = uiState[INDEX] ?? {};
  const parameters = new URLSearchParams();
  if (query) parameters.set('q', query);
  for (const [name, values] of Object.entries(refinementList))
    for (const value of values) parameters.append(name, value);
  const path = hierarchicalMenu[PATH];
  if (path !== undefined && path.length > 0) parameters.set('category_path', path.join(' > '));
  const [min, max] = (range['price'] ?? '').split(':');
  if (min) parameters.set('min_price', min);
  if (max) parameters.set('max_price', max);
  const { rating } = ratingMenu;
  if (rating) parameters.set('min_rating', String(rating));
  if (toggle['availability']) parameters.set('in_stock', 'true');
  const [, sort] = (sortBy ?? '').split(':');
  if (sort) parameters.set('sort', sort);
  if (page !== undefined && page > 1) parameters.set('page', String(page));
  const text = parameters.toString();
  return text === '' ? ALL_PRODUCTS : `/explore?${text}`;
}

/** The state of the widgets that an address stands for. */
function fromUrl(parameters: URLSearchParams): UiState {
  const one = (name: string) => parameters.get(name) ?? '';
  const names = [...new Set(parameters.keys())].filter(
    (name) => VALUE_FACETS.includes(name) || name.startsWith('attr.'),
  );
  const path = one('category_path');
  return {
    [INDEX]: {
      ...(one('q') && { query: one('q') }),
      ...(names.length > 0 && {
        refinementList: Object.fromEntries(names.map((name) => [name, parameters.getAll(name)])),
      }),
      ...(path && { hierarchicalMenu: { [PATH]: path.split(' > ') } }),
      ...((one('min_price') || one('max_price')) && {
        range: { price: `${one('min_price')}:${one('max_price')}` },
      }),
      ...(one('min_rating') && { ratingMenu: { rating: Number(one('min_rating')) } }),
      ...(one('in_stock') === 'true' && { toggle: { availability: true } }),
      ...(one('sort') && { sortBy: `${INDEX}:${one('sort')}` }),
      ...(Number(one('page')) > 1 && { page: Number(one('page')) }),
    },
  };
}

/** Whether the address is that of the search. */
export const isSearch = (): boolean =>
  location.pathname.replace(/\/$/, '') === '/explore' && new URLSearchParams(location.search).size > 0;

/** The state of the widgets that the current address stands for. */
export const stateOfAddress = (): UiState => fromUrl(new URLSearchParams(location.search));

/** The query that InstantSearch sends in a state, so that its answer can be shown before InstantSearch is started. */
export function queryOf(uiState: UiState): Query {
  const { query, page, refinementList, hierarchicalMenu, range, ratingMenu, toggle, sortBy } =
    uiState[INDEX] ?? {};
  const path = hierarchicalMenu?.[PATH] ?? [];
  const [min, max] = (range?.['price'] ?? '').split(':');
  const rating = ratingMenu?.['rating'];
  return {
    indexName: sortBy ?? INDEX,
    params: {
      ...PAGE_PARAMETERS,
      facets: ['*'],
      ...(query !== undefined && { query }),
      ...(page !== undefined && { page: page - 1 }),
      facetFilters: [
        ...Object.entries(refinementList ?? {}).map(([name, values]) =>
          values.map((value) => `${name}:${value.replace(/^-/, '\\-')}`),
        ),
        ...(toggle?.['availability'] ? [['availability:in_stock']] : []),
        ...(path.length > 0 ? [[`category_path.lvl${path.length - 1}:${path.join(' > ')}`]] : []),
      ],
      numericFilters: [
        ...(min ? [`price>=${min}`] : []),
        ...(max ? [`price<=${max}`] : []),
        ...(rating === undefined ? [] : [`rating>=${rating}`]),
      ],
    },
  };
}
