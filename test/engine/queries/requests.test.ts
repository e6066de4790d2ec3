import { assert } from 'chai';
import { CURRENT_SCHEMA } from '../../../src/listing/schema-versions.js';
import { productSearch } from '../../../src/engine/queries/best-price.js';
import { soughtBy } from '../../../src/usecases/best-price/find-product.js';
import { endpoints } from '../../../src/http/routes/index.js';
import { bodyCheck, parameterCheck } from '../../../src/http/validation.js';
import { readRequestedProduct } from '../../../src/matching/requested/requested-product.js';
import { textClauses, type TextFilter, textSelection } from '../../../src/engine/queries/search.js';
import {
  CANDIDATE_SOURCE,
  candidatesSearch,
  comparisonSearches,
  furtherSearches,
  type ListingToMatch,
} from '../../../src/engine/queries/candidates.js';
import { categoriesRequest } from '../../../src/engine/queries/categories.js';
import { dealsSelection } from '../../../src/engine/queries/deals.js';
import {
  distinctAggs,
  facetAggs,
  partitionByFacet,
  postFilter,
  readFacetText,
} from '../../../src/engine/queries/facets.js';
import { valueLabelsRequest } from '../../../src/engine/queries/value-labels.js';
import { byProduct, groupsSearch, productField } from '../../../src/engine/queries/groups.js';
import { groupsAndDecisionsSearch } from '../../../src/engine/queries/known-matches.js';
import { BY_UPDATE, byStockAndPrice, SORT_NAMES, sortBy } from '../../../src/engine/queries/sorts.js';
import type { Filters } from '../../../src/engine/queries/filters.js';
import { filterClauses, refinements } from '../../../src/engine/queries/refinements.js';
import { latestSelection, trendingSelections } from '../../../src/engine/queries/trending.js';
import { type Identifier, readIdentifier } from '../../../src/engine/queries/lookup.js';
import {
  exportSelection,
  firstListingsRequest,
  hopRequest,
  nextExportRequest,
  pageRequest,
  PARTNER_SOURCE,
  PUBLIC_SOURCE,
  type QueryClause,
  type Selection,
  storedPageRequest,
} from '../../../src/engine/queries/selection.js';
import { flaggedSelection, qualityRequest } from '../../../src/engine/queries/quality.js';
import type { ExchangeRates } from '../../../src/listing/rates.js';
import { fieldsOfWords } from '../../../src/engine/queries/contained-words.js';
import { textCounts, unknownWordsRequest } from '../../../src/engine/queries/text-counts.js';
import { parseQueryText, withSpelling } from '../../../src/engine/queries/query-text.js';
import { suggestionsRequest } from '../../../src/engine/queries/suggestions.js';
import { actingRules, NO_ACTING_RULES, withSynonyms } from '../../../src/engine/queries/rules.js';
import { compileRules } from '../../../src/published/compile-rules.js';
import { SUGGESTION_TYPES } from '../../../src/schemas/suggestion.js';
import { snapshotTests } from './snapshots.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');

const RATES: ExchangeRates = {
  base: 'USD',
  date: '2026-03-01',
  perBase: new Map([
    ['USD', 1_000n],
    ['SGD', 1_250n],
  ]),
};

const HEADPHONES: ListingToMatch = {
  id: 7,
  source: 'shopee_sg',
  name: 'Sony WH-1000XM5 Wireless Headphones',
  brand: 'Sony',
  internal: { gtins: ['04548736132610'], models: ['wh1000xm5'] },
};
const KETTLE: ListingToMatch = {
  id: 8,
  source: 'lazada_sg',
  name: 'Electric kettle 1.7 L',
  brand: null,
  internal: { gtins: [], models: [] },
};

/** Returns the parameters that the handler of an endpoint receives after validation. */
function validated<T>(method: 'get' | 'post', url: string, body?: unknown): T {
  const [path = '', parameters = ''] = url.split('?');
  const endpoint = endpoints.find((one) => one.method === method && one.path === path);
  if (endpoint === undefined) throw new Error(`no endpoint ${method} ${path}`);
  const query = parameterCheck(endpoint.query, 'query')(Object.fromEntries(new URLSearchParams(parameters)));
  const checked = endpoint.body === null ? query : bodyCheck(endpoint.body)(body);
  assert.deepEqual([...query.issues, ...checked.issues], [], url);
  return checked.value as T;
}

type Slice = { limit: number; offset: number };

const pageOf = (selection: Selection, { limit, offset }: Slice) =>
  pageRequest(selection, { from: offset }, limit);

/** Returns a case for each URL: `build` turns its validated parameters into requests. */
const fromUrls = <T>(urls: readonly string[], build: (parameters: T) => unknown) =>
  Object.fromEntries(urls.map((url) => [url, () => build(validated<T>('get', url))]));

type SearchParameters = Filters & Slice & { q?: string; match?: 'any' | 'all' };

/** With the order by relevance, the first request of `match=auto` finds the listings that have all words. */
const textOf = (
  { q = '', match = 'all', ...filters }: SearchParameters,
  more: Partial<TextFilter> = {},
  wording = parseQueryText(q, CURRENT_SCHEMA),
) => textSelection(wording, { filter: filterClauses(filters, NOW), match, ...more });

const LAPTOP_CHARGER = parseQueryText('laptop charger "usb c"', CURRENT_SCHEMA);
const COUNTS_OF_TEXT = textCounts(LAPTOP_CHARGER).request;

/** The snapshot of searches, with names of what most requests of a search by words have in common. */
const SEARCH = {
  name: 'search',
  names: {
    EARLIER_FIELDS: fieldsOfWords(0),
    FIELDS: fieldsOfWords(CURRENT_SCHEMA),
    KINDS: COUNTS_OF_TEXT.aggs.all.aggs,
  },
};

snapshotTests(
  'filters',
  fromUrls<SearchParameters>(
    [
      '/v1/search?category=Audio*',
      '/v1/search?min_price=10.005&max_price=99.99999',
      '/v1/search?max_price=50',
      '/v1/search?min_price=10.00001&max_price=50&price_currency=myr',
      '/v1/search?has_price=true',
      '/v1/search?has_price=false',
      '/v1/search?max_unit_price=4.99999&unit_per=l',
      '/v1/search?max_unit_price=5&unit_per=piece&currency=sgd',
      '/v1/search?platform=shopee_sg&source=lazada_sg',
      '/v1/search?source=lazada_sg',
      '/v1/search?in_stock=true',
      '/v1/search?in_stock=false',
      '/v1/search?condition=used|refurbished',
      '/v1/search?brand=Sony|Nescaf%C3%A9&source=a|B&currency=sgd&attr.Colour=Black|red&min_rating=4.50',
      '/v1/search?category_path=Electronics%20>%20TVs|Home&category=Audio%20>%20TV*&max_age_s=60&has_image=true',
    ],
    (query) => latestSelection(query, NOW, RATES).query,
  ),
);

snapshotTests(SEARCH, {
  ...fromUrls<SearchParameters>(
    [
      '/v1/search',
      '/v1/search?limit=10&offset=40',
      '/v1/products?category=Audio&min_price=1&platform=shopee_sg&in_stock=yes&limit=5',
    ],
    (query) => pageOf(latestSelection(query, NOW, RATES), query),
  ),
  ...fromUrls<SearchParameters>(
    [
      '/v1/search?q=wireless+headphones',
      '/v1/search?q=wi-fi+router+AX3000&match=all',
      '/v1/search?q=耳机收纳包',
      '/v1/search?q=04548736132610',
      '/v1/search?q=headphones&category=Audio&min_price=20&platform=shopee_sg&in_stock=1&limit=5&offset=15',
    ],
    (query) => pageOf(textOf(query), query),
  ),
  ...fromUrls<SearchParameters & { facets: string[]; facet_limit: number; facet_q?: string }>(
    [
      '/v1/search?facets=brand,category,source,currency',
      '/v1/search?facets=availability,rating,price,attributes&facet_limit=5',
      '/v1/search?facets=category_path,brand&facet_q=brand:s.o',
      '/v1/search?facets=brand,attr.colour,rating&brand=Sony|Bose&attr.colour=red&min_rating=4.5&has_image=true',
    ],
    ({ facets, facet_limit: limit, facet_q = '', ...query }) => {
      const { shared, ofFacets } = partitionByFacet(facets, refinements(query, NOW));
      const selection = { query: { bool: { filter: shared } }, sort: BY_UPDATE, ...postFilter(ofFacets) };
      const aggs = facetAggs(facets, {
        shared,
        ofFacets,
        filters: query,
        limit,
        containing: readFacetText(facet_q) ?? undefined,
      });
      return { ...pageOf(selection, query), aggs };
    },
  ),
  ...Object.fromEntries(
    Object.entries<Partial<TextFilter> & { q: string; unknown?: string[]; isNamed?: true }>({
      'any of the words': { q: 'wi-fi router AX3000', match: 'any' },
      'a size, which is searched for in other units': { q: '15 inch laptop' },
      'words that may be written as one': { q: 'wx 250 m2 sound bar' },
      'a phrase in quotes': { q: 'blue "glass kettle"' },
      'a word that no listing has': { q: 'kettle zzqx', unknown: ['zzqx'] },
      'with the names of clauses, for an explanation': { q: 'red kettle', isNamed: true },
      'a pinned listing, and hidden and boosted ones': {
        q: 'kettle',
        rules: {
          ...NO_ACTING_RULES,
          pins: [{ id: 7 }],
          hidden: [{ source: 'shop_b' }],
          boosts: [{ brand: 'Ombrello', by: 2 }],
        },
      },
      'an index of an earlier schema': { q: 'sound bar' },
    }).map(([what, { q, unknown = [], isNamed, ...more }]) => [
      what,
      () => {
        const wording = { ...parseQueryText(q, what.includes('earlier') ? 0 : CURRENT_SCHEMA), unknown };
        return textOf(
          { q } as SearchParameters,
          { ...more, clauses: textClauses(wording, isNamed) },
          wording,
        );
      },
    ]),
  ),
  'synonyms that rules state': () => {
    const synonyms = compileRules(
      { rules: [{ name: 'a', synonyms: ['sofa, couch, day bed', 'air fryer => cooker'] }] },
      1,
    );
    const wording = parseQueryText('blue sofas air fryer', CURRENT_SCHEMA);
    const acting = actingRules(synonyms, wording.plain, { now: NOW, byRelevance: true });
    return textSelection(withSynonyms(wording, acting), { filter: [], match: 'all' });
  },
  'which words are unknown, and how they are spelt': () => unknownWordsRequest(LAPTOP_CHARGER).request,
  ...Object.fromEntries(
    SORT_NAMES.map(
      (sort) => [`sort=${sort}`, () => sortBy(sort, { rates: RATES, now: NOW, unitPer: 'l' })] as const,
    ),
  ),
  'how many values there are': () => {
    const { shared, ofFacets } = partitionByFacet(['brand'], refinements({ brand: ['Sony'] }, NOW));
    return distinctAggs(['brand', 'attr.colour'], { shared, ofFacets, filters: {}, limit: 20 });
  },
  'how values are written': () =>
    valueLabelsRequest([
      { field: 'internal.brand', written: 'brand.written', values: ['sony', 'bose'] },
      {
        field: 'internal.attribute_values.colour',
        written: 'internal.attribute_spellings.colour',
        values: ['red'],
      },
    ]),
  'the name of a listing: other shops first': () => {
    const query = validated<SearchParameters>('get', '/v1/search?q=kettle&match=all');
    return pageOf(textOf(query, { named: KETTLE }), query);
  },
  'a misspelt word: what was typed and what was meant': () => {
    const query = validated<SearchParameters>('get', '/v1/search?q=hedphones&in_stock=true&match=all');
    return pageOf(
      textOf(query, {}, withSpelling(parseQueryText(query.q ?? '', CURRENT_SCHEMA), 'headphones')),
      query,
    );
  },
  'counts of a text without filters: all words and kinds': () => COUNTS_OF_TEXT,
  'a deep page: the first hop, the next and the page': () => {
    const selection = latestSelection({}, NOW);
    return [
      hopRequest(selection, 50_000, { from: 100_000 }),
      hopRequest(selection, 49_980, { search_after: [1_764_547_200_000, 41] }),
      pageRequest(selection, { search_after: [1_764_460_800_000, 99] }, 20),
    ];
  },
});

snapshotTests(
  'trending',
  fromUrls<Filters & { limit: number }>(
    ['/v1/products/trending', '/v1/products/trending?category=Audio&limit=3'],
    (query) => pageOf(latestSelection(query, NOW), { limit: query.limit, offset: 0 }),
  ),
);

snapshotTests(
  'trending-movement',
  fromUrls<Filters & { limit: number }>(
    ['/v1/products/trending?basis=movement&category=Audio&limit=3'],
    (query) => {
      const moving = [
        { id: 7, score: 4 },
        { id: 3, score: 2.5 },
      ];
      const selections = trendingSelections(query, moving, NOW);
      const page = { limit: query.limit, offset: 0 };
      return [pageOf(selections.moving, page), pageOf(selections.others, page)];
    },
  ),
);

snapshotTests('export', {
  ...fromUrls<Filters & Slice>(
    [
      '/v1/products/export',
      '/v1/products/export?category=Audio&min_price=1&max_price=2&source=lazada_sg&limit=50&offset=10',
    ],
    (query) => pageOf(exportSelection({ bool: { filter: filterClauses(query, NOW) } }), query),
  ),
  'the next page of a feed for others': () =>
    nextExportRequest({ bool: { filter: [] } }, { after: 4711, size: 900, source: PARTNER_SOURCE }),
  'the next page': () =>
    nextExportRequest({ bool: { filter: [] } }, { after: 4711, size: 900, source: PUBLIC_SOURCE }),
});

snapshotTests(
  'deals',
  fromUrls<Filters & Slice & { min_discount_pct: string }>(
    ['/v1/deals', '/v1/deals?category=Audio&min_discount_pct=33.3333333333&limit=5&offset=5'],
    ({ min_discount_pct: minDiscountPct, limit, offset, ...filters }) =>
      storedPageRequest(dealsSelection(filters, { minDiscountPct }, NOW), { from: offset }, limit),
  ),
);

const QUALITY = { name: 'quality', names: { FIGURES: qualityRequest({}, NOW).aggs?.['all']?.aggs } };

snapshotTests(QUALITY, {
  ...fromUrls<Filters>(['/v1/quality', '/v1/quality?source=lazada_sg|shopee_sg'], (query) =>
    qualityRequest(query, NOW),
  ),
  'what was not checked for long': () =>
    storedPageRequest(flaggedSelection('stale', { source: ['shopee_sg'] }, NOW), { from: 0 }, 20),
  'another flag': () => storedPageRequest(flaggedSelection('duplicate', {}, NOW), { from: 20 }, 20),
  'deals of one kind, with words, flagged ones too': () =>
    dealsSelection(
      {},
      {
        minDiscountPct: '10',
        priceBasis: 'declared',
        text: 'air fryer',
        includeFlagged: true,
        outOfStockLast: true,
      },
      NOW,
    ),
});

snapshotTests('categories', {
  ...fromUrls<{ include?: string[] }>(['/v1/categories', '/v1/categories?include=prices'], ({ include }) =>
    categoriesRequest(include?.includes('prices') === true),
  ),
});

const soughtAs = (q: string, filter: QueryClause[] = []) =>
  soughtBy({ query: readRequestedProduct(q), filter });

const BEST_PRICE = {
  name: 'best-price',
  names: {
    EARLIER_FIELDS: fieldsOfWords(0),
    TELLING_FIELDS: ['name', 'brand', 'internal.categories', 'internal.attributes'],
    NAMING_FIELDS: ['name', 'brand', 'internal.categories'],
    LISTING_FIELDS: CANDIDATE_SOURCE,
  },
};

snapshotTests(BEST_PRICE, {
  ...fromUrls<{ q: string; category?: string }>(
    [
      '/v1/products/best-price?q=Sony+WH-1000XM5',
      '/v1/products/best-price?q=iphone+15&category=Phones',
      '/v1/products/best-price?q=4006381333931&limit=3',
    ],
    ({ q, category }) =>
      productSearch([soughtAs(q)], {
        filter: filterClauses(category === undefined ? {} : { category }, NOW),
        suggestFor: q,
      }),
  ),
  'the cheapest listings of an accessory': () => productSearch([soughtAs('iphone case')], { filter: [] }),
  'two wordings': () =>
    productSearch(
      [soughtAs('tv under 500'), soughtAs('tv', [{ range: { 'internal.price_units': { gte: 1 } } }])],
      { filter: [] },
    ),
  'listings with some of the words': () =>
    productSearch([soughtAs('case for iphone')], { filter: [], someWordsIn: CURRENT_SCHEMA }),
  'listings with some of the words in an index of an earlier schema': () =>
    productSearch([soughtAs('case for iphone')], { filter: [], someWordsIn: 0 }),
});

type LookupParameters = Slice &
  Partial<Record<Identifier['type'], string>> &
  Omit<Identifier, 'type' | 'value'>;

const queryFor = (identifier: Identifier) => {
  const read = readIdentifier(identifier);
  if ('wrong' in read) throw new Error(read.wrong);
  return read.query;
};

const LOOKUP = { name: 'lookup', names: { BY_STOCK_AND_PRICE: byStockAndPrice(RATES) } };

snapshotTests(LOOKUP, {
  ...fromUrls<LookupParameters>(
    [
      '/v1/lookup?gtin=4006381333931',
      '/v1/lookup?sku=SPEE-204817',
      '/v1/lookup?sku=SPEE-204817&source=shopee_sg',
      '/v1/lookup?model=WH-1000XM5',
      '/v1/lookup?model=WH-1000XM5&brand=Sony&limit=2&offset=2',
      '/v1/lookup?url=https%3A%2F%2Fshop.example%2Fp%2F1%3Futm_source%3Dx',
      '/v1/lookup?url=https%3A%2F%2Fid.gs1.org%2F01%2F04006381333931',
    ],
    ({ source, brand, limit, offset, ...named }) => {
      const [[type, value] = []] = Object.entries(named);
      const query = queryFor({ type: type as Identifier['type'], value: value ?? '', source, brand });
      return pageOf({ query, sort: byStockAndPrice(RATES) }, { limit, offset });
    },
  ),
  'POST /v1/lookup': () => {
    const { identifiers, limit } = validated<{ identifiers: Identifier[]; limit: number }>(
      'post',
      '/v1/lookup',
      {
        identifiers: [
          { type: 'id', value: 7 },
          { type: 'gtin', value: 4006381333931 },
        ],
      },
    );
    return identifiers.map(({ type, value }) =>
      firstListingsRequest(queryFor({ type, value: String(value) }), {
        sort: byStockAndPrice(RATES),
        size: limit,
      }),
    );
  },
});

interface CompareParameters {
  include_same_source: boolean;
}

const matchFilters = ({ include_same_source: includeSameSource }: CompareParameters) => ({
  includeSameSource,
});

const twenty = (gtins: string[]) =>
  Array.from({ length: 20 }, (_, i) => ({ id: 100 + i, internal: { gtins } }));

snapshotTests('groups', {
  'GET /v1/products/{product_id}/offers of a linked listing': () =>
    groupsAndDecisionsSearch({ index: 'products', id: 7 }, [{ index: 'products', id: 7 }]),
  'compare of a linked listing': () => groupsAndDecisionsSearch([7], [{ source: 'shop', sku: 'a' }]),
  'what group=product adds': () => byProduct(productField(10), []),
  'what it adds under filters that a facet is free of': () =>
    byProduct(productField(10), [{ term: { currency: 'SGD' } }]),
  'who else offers the products of a page': () => groupsSearch(productField(10), [7, 8]),
});

const COMPARE = { name: 'compare', names: { LISTING_FIELDS: CANDIDATE_SOURCE } };

snapshotTests(COMPARE, {
  ...fromUrls<CompareParameters>(
    ['/v1/products/compare?product_id=7', '/v1/products/compare?product_id=7&include_same_source=true'],
    (query) => comparisonSearches([HEADPHONES], matchFilters(query)),
  ),
  'further listings that share a GTIN': () =>
    [false, true].flatMap((includeSameSource) =>
      furtherSearches(HEADPHONES, twenty(HEADPHONES.internal.gtins), { includeSameSource }),
    ),
  'listings of other owners where one owner fills the page': () =>
    furtherSearches(
      HEADPHONES,
      twenty([]).map((one) => ({ ...one, internal: { ...one.internal, owner: 'source:b' } })),
      { includeSameSource: false },
    ),
  'nothing further where the last candidate shares no GTIN': () =>
    furtherSearches(HEADPHONES, twenty([]), { includeSameSource: false }),
  'other wordings of a best price, in its category': () =>
    comparisonSearches([KETTLE], {
      includeSameSource: true,
      filter: filterClauses({ category: 'Kitchen' }, NOW),
    }),
  'a name without digits, which contains no model number': () =>
    comparisonSearches([{ ...KETTLE, name: 'Electric kettle' }], { includeSameSource: false }),
  'other offers of two listings of a best price': () =>
    candidatesSearch([HEADPHONES, KETTLE], { includeSameSource: true }),
  'POST /v1/products/compare': () => {
    const body = { product_ids: [7, 8] };
    const filters = matchFilters(validated<CompareParameters>('post', '/v1/products/compare', body));
    return comparisonSearches([HEADPHONES, KETTLE], filters);
  },
});

snapshotTests('suggest', {
  ...fromUrls<{ q: string; limit?: number }>(
    [
      '/v1/suggest?q=S',
      '/v1/suggest?q=Sony+WH-1000X',
      '/v1/suggest?q=%E8%80%B3%E6%9C%BA&limit=20',
      '/v1/suggest?q=%21',
    ],
    ({ q, limit = 8 }) => suggestionsRequest(q, { types: SUGGESTION_TYPES, limit }),
  ),
  'of one kind': () => suggestionsRequest('wirel', { types: ['brand'], limit: 1 }),
});
