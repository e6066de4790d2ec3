import type { estypes } from '@elastic/elasticsearch';
import { DECLARED_UNTIL_MS, DISCOUNT_SCALE, MAX_DECLARED_PCT, SHOWN_DISCOUNT } from '../../listing/deals.js';
import { GROUPS_SCHEMA, QUANTITIES_SCHEMA } from '../../listing/schema-versions.js';
import { MISTRUSTED } from '../../listing/usual-price.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { Condition } from '../../schemas/condition.js';
import { Enum } from '../../schemas/types.js';
import type { UnitPriceUnit } from '../../schemas/unit-price.js';
import { CONDITION_FIELD, PRICE_FROM_FIELD, unitPriceField } from './filter-clauses.js';
import type { AggregationRequests } from './selection.js';

/** The default sort order of a search without a text. Every order ends with the id, so that it is total. */
export const BY_UPDATE: estypes.Sort = [{ updated_at: 'desc' }, { id: 'asc' }];
/** The default sort order of a search with a text. */
export const BY_RELEVANCE: estypes.Sort = [{ _score: { order: 'desc' } }, { id: 'asc' }];

/** A sort clause by the number that a script computes for each listing. */
export const byNumber = (order: 'asc' | 'desc', script: estypes.Script): estypes.SortCombinations => ({
  _script: { type: 'number', order, script },
});

/** The value of one unit of each currency in the base currency, for sorting only. */
export function factorsOf({ base, perBase }: ExchangeRates): Record<string, number> {
  const one = Number(perBase.get(base));
  return Object.fromEntries([...perBase].map(([currency, rate]) => [currency, one / Number(rate)]));
}

/** The field with the price of a listing, in ten-thousandths of the unit of its currency. */
const PRICE = 'internal.price_units';

interface SortContext {
  rates: ExchangeRates;
  now: Date;
  /** Whether listings with a flagged price are sorted like all others; otherwise they come last. */
  includeFlagged?: boolean | undefined;
  /** The unit of the unit price, which the order by unit price needs. */
  unitPer?: UnitPriceUnit | undefined;
  /** The conditions of the goods of which the best offer of a product is chosen; by default new ones. */
  conditions?: readonly Condition[] | undefined;
}

interface SortDefinition {
  /** Builds the sort clauses of one sort order. Listings that lack the value by which it sorts come last. */
  sort(context: SortContext): estypes.Sort;
  description: string;
  /** Whether the sort order is only possible in a search with a text. */
  needsText?: true;
  /** The first schema version of the index in which listings have the field that this order sorts by. */
  since?: number;
  /** The field with the price by which the order sorts, and its direction. A product is sorted by its best offer. */
  price?: { order: 'asc' | 'desc'; field: (context: SortContext) => string };
  /** Whether the order of the listings can change with time alone. Responses in such an order are not cached. */
  changesWithTime?: true;
}

const table = <Name extends string>(sorts: Record<Name, SortDefinition>) => sorts;

/** The sort orders of search results. To add a sort order, add an entry here. */
const SORTS = table({
  relevance: {
    sort: () => BY_RELEVANCE,
    description: 'the best match for `q` first (requires `q`, with which it is the default)',
    needsText: true,
  },
  updated: {
    sort: () => BY_UPDATE,
    description: 'the listing that changed last first (the default without `q`)',
  },
  newest: {
    sort: (): estypes.Sort => [{ 'internal.first_observed_at': 'desc' }, { id: 'asc' }],
    description: 'the listing that was first observed last first',
  },
  price_asc: {
    ...byPrice('asc'),
    description:
      'the lowest price in one currency first; listings with a flagged price come after the others, and those without a ' +
      'price or an exchange rate last',
  },
  price_desc: {
    ...byPrice('desc'),
    description:
      'the highest price in one currency first; listings without a price or an exchange rate come last',
  },
  unit_price: {
    ...byPrice('asc', ({ unitPer = 'kg' }) => unitPriceField(unitPer)),
    description:
      'the lowest price of one unit of `unit_per` (required), in one currency, first; listings with a flagged price come after the ' +
      'others, and those without a unit price or an exchange rate last',
    since: QUANTITIES_SCHEMA,
  },
  rating: {
    sort: (): estypes.Sort => [{ 'internal.rating': { order: 'desc', missing: '_last' } }, { id: 'asc' }],
    description: 'the highest rating first',
    since: GROUPS_SCHEMA,
  },
  discount: {
    sort: ({ now, includeFlagged = false }) => [discountInForce(now, includeFlagged), { id: 'asc' }],
    description:
      'the highest discount first, as in `GET /v1/deals`; listings without a deal or with a flagged price come last',
    changesWithTime: true,
  },
});

type SortName = keyof typeof SORTS;

export const SORT_NAMES = Object.keys(SORTS) as SortName[];

/** The schema of the parameter `sort` of searches. */
export const sortParameter = Enum(SORT_NAMES, {
  description: `${SORT_NAMES.map((name) => `\`${name}\`: ${SORTS[name].description}`).join('; ')}. Which listings match also depends on the sort order, as \`match\` describes`,
});

export const sortBy = (name: SortName, context: SortContext): estypes.Sort => SORTS[name].sort(context);

/** The order of products, each shown by one of its listings. */
export interface ProductSort {
  /** The order of listings. Of each product, the first listing in this order is shown. */
  sort: estypes.Sort;
  /**
   * Set if products are not in the order of the listings that represent them, as by falling prices: the aggregations and the
   * order by which Elasticsearch sorts buckets of products.
   */
  buckets?: Pick<estypes.AggregationsTermsAggregation, 'order'> & { aggs: AggregationRequests };
}

/**
 * Sorts products. In an order by price, the best offer of each product is shown and decides its place. The best offer is one
 * in a wanted condition, with a trusted price, in stock or perhaps in stock, and with the lowest price, in this order.
 * Products whose best offer is out of stock or has a flagged price, no exchange rate, or no price come last.
 */
export function productSortBy(name: SortName, context: SortContext): ProductSort {
  const { price } = SORTS[name] as SortDefinition;
  if (price === undefined) return { sort: sortBy(name, context) };
  const last = context.includeFlagged === true ? [] : [...MISTRUSTED];
  const params = {
    factors: factorsOf(context.rates),
    last,
    conditions: [...(context.conditions ?? ['new'])],
  };
  const script = (source: string) => ({ source: source.replaceAll(PRICE, price.field(context)), params });
  const [rank, best] = [script(`${RANK} return rank;`), script(`${RANK} ${RANKED_PRICE}`)];
  const sort: estypes.Sort = [byNumber('asc', rank), byNumber('asc', best), { id: 'asc' }];
  if (price.order === 'asc') return { sort };
  const order = [{ rank: 'asc' as const }, { best: 'desc' as const }, { _key: 'asc' as const }];
  return {
    sort,
    buckets: { order, aggs: { rank: { min: { script: rank } }, best: { min: { script: best } } } },
  };
}

const RANK = `
  int rank = 0;
  if (doc['internal.price_units'].size() == 0) { rank = 18; }
  else {
    if (doc['currency'].size() == 0 || !params.factors.containsKey(doc['currency'].value)) { rank = 8; }
    else {
      if (doc['is_available'].size() > 0 && !doc['is_available'].value) { rank = 1; }
      if (params.last.size() > 0 && doc.containsKey('internal.flags')) {
        for (flag in doc['internal.flags']) { if (params.last.contains(flag)) { rank += 4; break; } }
      }
      if (doc.containsKey('${PRICE_FROM_FIELD}') && doc['${PRICE_FROM_FIELD}'].size() > 0 && doc['${PRICE_FROM_FIELD}'].value) { rank += 2; }
    }
    if (doc.containsKey('${CONDITION_FIELD}')) {
      def condition = doc['${CONDITION_FIELD}'];
      if (condition.size() > 0 && !params.conditions.contains(condition.value)) { rank += 9; }
    }
  }
`;
/** Adds 4e14 for each rank, up to which doubles are exact to a ten-thousandth, so that the lowest value is that of the best offer. */
const RANKED_PRICE = `
  if (rank == 18) { return 8e15; }
  double factor = rank % 9 == 8 ? 1 : params.factors[doc['currency'].value];
  return rank * 4e14 + doc['internal.price_units'].value * factor;
`;
/** Whether only a search with a text can be sorted in an order. False for a name that is not an order. */
export const sortNeedsText = (name: string): boolean =>
  (SORTS as Partial<Record<string, SortDefinition>>)[name]?.needsText === true;
export const sortChangesWithTime = (name: SortName): boolean => SORTS[name].changesWithTime === true;
export const schemaOfSort = (name: SortName): number => SORTS[name].since ?? 0;

/** Sort values that place listings without an exchange rate, and those without a price, at the end. */
const LAST = { asc: [1e300, 1e301], desc: [-1, -2] };

/**
 * A factor of the sort key of a flagged price, so that flagged listings come last but are sorted by price among themselves.
 * It exceeds the ratio of the highest and the lowest price, and unlike a summand it keeps the differences of low prices.
 */
const FLAGGED_FACTOR = 1e40;

/**
 * Sorts listings by price in the base currency, by a script, because exchange rates change. In the ascending order, listings with
 * a flagged price come after the others.
 */
function byPrice(
  order: 'asc' | 'desc',
  field: (context: SortContext) => string = () => PRICE,
): Pick<SortDefinition, 'sort' | 'price'> {
  return {
    price: { order, field },
    sort(context) {
      const [noRate, noPrice] = LAST[order];
      const last = order === 'desc' || context.includeFlagged === true ? [] : [...MISTRUSTED];
      const params = { factors: factorsOf(context.rates), noRate, noPrice, last, beyond: FLAGGED_FACTOR };
      const source = CONVERTED_PRICE.replaceAll(PRICE, field(context));
      return [byNumber(order, { source, params }), { id: 'asc' }];
    },
  };
}

const CONVERTED_PRICE = `
  if (doc['internal.price_units'].size() == 0) { return params.noPrice; }
  def factor = doc['currency'].size() == 0 ? null : params.factors[doc['currency'].value];
  if (factor == null) { return params.noRate; }
  double price = doc['internal.price_units'].value * factor;
  if (params.last.size() > 0 && doc.containsKey('internal.flags')) {
    for (flag in doc['internal.flags']) { if (params.last.contains(flag)) { return price * params.beyond; } }
  }
  return price;
`;

/**
 * The sort order of the offers of one product: new goods before refurbished and used ones, then plain prices before "from"
 * prices, then in stock before out of stock, then the lowest price in one currency, then the lowest id. Currencies without an
 * exchange rate follow by their code, and listings without a price come last. The scripts run for each matching listing, so
 * this order is meant for few listings.
 */
export function byStockAndPrice(rates: ExchangeRates): estypes.Sort {
  const params = { factors: factorsOf(rates) };
  return [
    byNumber('asc', { source: OFFER_CLASS, params }),
    { _script: { type: 'string', order: 'asc', script: { source: CURRENCY_WITHOUT_RATE, params } } },
    byNumber('asc', { source: OFFER_PRICE, params }),
    { id: 'asc' },
  ];
}

const OFFER_CLASS = `
  double rank = doc['internal.price_units'].size() == 0 ? 3
    : doc['currency'].size() == 0 ? 2
    : params.factors.containsKey(doc['currency'].value) ? 0 : 1;
  if (doc.containsKey('${CONDITION_FIELD}') && doc['${CONDITION_FIELD}'].size() > 0 && doc['${CONDITION_FIELD}'].value != 'new') {
    rank += 16;
  }
  if (doc.containsKey('${PRICE_FROM_FIELD}') && doc['${PRICE_FROM_FIELD}'].size() > 0 && doc['${PRICE_FROM_FIELD}'].value) { rank += 8; }
  return rank + (doc['is_available'].size() > 0 && !doc['is_available'].value ? 4 : 0);
`;
const CURRENCY_WITHOUT_RATE = `
  if (doc['currency'].size() == 0) { return ''; }
  return params.factors.containsKey(doc['currency'].value) ? '' : doc['currency'].value;
`;
const OFFER_PRICE = `
  if (doc['internal.price_units'].size() == 0) { return 0; }
  def factor = doc['currency'].size() == 0 ? null : params.factors[doc['currency'].value];
  return factor == null ? doc['internal.price_units'].value : doc['internal.price_units'].value * factor;
`;

/** The highest declared discount that is believed, in the scale of the index. */
export const MAX_DECLARED = MAX_DECLARED_PCT * DISCOUNT_SCALE;

/**
 * A sort clause by the discount that a deal has at the time `now`, the highest first. Listings without a deal come last. Discounts
 * that answers show as equal are equal, so that the deals of a page are sorted by what it shows of them.
 */
export const discountInForce = (now: Date, includeFlagged: boolean): estypes.SortCombinations =>
  byNumber('desc', {
    source: DISCOUNT_IN_FORCE,
    params: {
      young: now.getTime() - DECLARED_UNTIL_MS,
      max: MAX_DECLARED,
      shown: SHOWN_DISCOUNT,
      flags: includeFlagged ? [] : [...MISTRUSTED],
    },
  });

/** Computes the discount. It checks whether there is a field of quality flags, which an index of an earlier schema lacks. */
const DISCOUNT_IN_FORCE = `
  if (params.flags.size() > 0 && doc.containsKey('internal.flags')) {
    for (flag in doc['internal.flags']) { if (params.flags.contains(flag)) { return -1; } }
  }
  boolean declared = doc['internal.first_observed_at'].value.toInstant().toEpochMilli() > params.young;
  def discount = doc[declared ? 'internal.declared_discount' : 'internal.observed_discount'];
  if (discount.size() == 0 || (declared && discount.value > params.max)) { return -1; }
  return (discount.value + params.shown / 2) / params.shown;
`;
