import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { notFound } from '../../platform/errors.js';
import type { Context } from '../../usecases/context.js';
import { findProduct, type FoundProduct, type Offer } from '../../usecases/best-price/find-product.js';
import { floorUnits, toUnits } from '../../listing/price.js';
import { interpret, type Reading } from '../../engine/queries/interpret/interpret.js';
import { filterClauses } from '../../engine/queries/listings.js';
import { atNextToNothing, byBestPrice } from '../../matching/comparison.js';
import { toProduct } from '../../listing/to-product.js';
import { ConsideredOfferSchema, ExplanationSchema } from '../../schemas/explain.js';
import { filterParameters, includeFlagged } from '../../schemas/filters.js';
import { ProductSchema } from '../../schemas/product.js';
import { CONSIDERED, consideredOffers } from '../../matching/considered.js';
import { explanationOfProduct } from '../../usecases/search/explain.js';
import { limitsConverted } from '../../usecases/search/limits-converted.js';
import { slotsForSpelling } from '../../usecases/shared/text-cost.js';

const OfferSchema = Type.Object(
  {
    ...ProductSchema.properties,
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How surely it is the product that `q` names; 1: `q` is its GTIN or SKU',
    }),
  },
  { $id: 'PricedOffer' },
);

const explained = {
  explanation: ExplanationSchema,
  considered: Type.Array(ConsideredOfferSchema, {
    maxItems: CONSIDERED,
    description:
      'What the answer was chosen from, the answer first: then other offers of the product, the best first, then what is ' +
      'not the product, the likeliest first. Listings without a price are left out',
  }),
};

/** One object type with optional members, because typed clients would have to cast a union. */
const BestPriceSchema = Type.Object(
  {
    ...Type.Partial(ProductSchema).properties,
    ...Type.Partial(Type.Object(explained)).properties,
    items: Type.Optional(
      Type.Array(OfferSchema, {
        description:
          'With a `limit` above 1: the offers, in stock first, then by price in one currency, then by id',
      }),
    ),
  },
  {
    $id: 'BestPrice',
    description:
      'The cheapest listing, with every field of a Product; with a `limit` above 1, `items` instead. `explain=true` adds `explanation` and `considered`',
  },
);

/** To tell the product asked for among its candidates takes as long as four searches. */
const SLOTS = 4;
/** What counts the matches by word, and judges the others again. */
const TO_EXPLAIN = 2;

/**
 * Where the words as they are name nothing: a thing and what it may cost, as "tv under 1500". What is dearer counts
 * too, until it is known what such a thing costs: what costs less than any TV is none.
 */
async function withinLimits(
  context: Context,
  { q, category }: { q: string; category?: string },
  named: FoundProduct,
): Promise<FoundProduct> {
  const { text, read } = interpret(q, { sources: [] });
  const isLimit = ({ parameter }: Reading) => parameter === 'min_price' || parameter === 'max_price';
  if (text === '' || !read.some(isLimit)) return named;
  const limits = await limitsConverted(context, read);
  const said = (name: Reading['parameter']) => limits.find(({ parameter }) => parameter === name)?.value;
  const [least, most, currency] = [said('min_price'), said('max_price'), said('currency')];
  const filter = filterClauses(
    {
      category,
      ...(least !== undefined && { min_price: least }),
      ...(currency !== undefined && { currency: [currency] }),
    },
    context.now(),
  );
  const found = await findProduct(context, text, filter);
  if (most === undefined) return found;
  const { offers } = found;
  const atNothing = atNextToNothing(listingsOf(offers), context.rates);
  const isWithin = ({ listing: { id, price } }: Offer) =>
    price !== null && toUnits(price) <= floorUnits(most) && !atNothing.has(id);
  const dearer = offers.filter((offer) => !isWithin(offer)).map(({ listing }) => listing);
  return { ...found, offers: offers.filter(isWithin), left: [...dearer, ...found.left] };
}

const listingsOf = (offers: readonly Offer[]) => offers.map(({ listing }) => listing);

export const bestPrice = endpoint({
  tag: 'Comparison',
  summary: 'The cheapest listing of a product',
  description:
    'The listing of the product that `q` names, in stock before out of stock (one that does not say counts as in ' +
    'stock), then the cheapest in one currency; a price that is flagged as none (`GET /v1/quality`), or is next to ' +
    'nothing beside the other offers, comes last. A GTIN in ' +
    'any form, a SKU, a model number or the address of a listing’s page names it at once; of other words every one that ' +
    'tells a product must be accounted for, and sizes, numbers and colours be the listing’s own. An ' +
    'accessory or another model is no answer unless it was asked for; what `q` leaves open, such as the colour, may ' +
    'be anything. Other wordings of the same product count. Where the words name nothing as they are, limits of a price ' +
    'among them (`tv under 1500`) are kept to. Listings without a price are left out. With a `limit` above ' +
    '1 the next best follow: the body is then `{items: […]}`.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Product name, as precise as you like, an identifier, or the address of a page',
      examples: ['wireless headphones'],
    }),
    category: filterParameters.category,
    include_flagged: includeFlagged,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 1,
        description: 'How many offers; 1: the bare Product',
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        description:
          'The body adds `explanation`, what was made of the words, and `considered`: up to ' +
          `${CONSIDERED} listings that the answer was chosen from, and why each is not the answer`,
      }),
    ),
  }),
  responses: {
    200: { description: 'The cheapest listing', schema: BestPriceSchema },
    404: {
      description: 'No listing with a price is that product',
      example: { detail: 'No products found for query' },
    },
  },
  check({ q }: { q?: string }) {
    const isBlank = q !== undefined && q !== '' && q.trim() === '';
    const msg = 'String should have at least 1 character';
    return isBlank ? [{ loc: ['query', 'q'], msg, type: 'string_too_short' }] : [];
  },
  cached: true,
  cost: ({ query: { q, explain = false } }) => ({
    pool: 'heavy',
    slots: SLOTS + slotsForSpelling(q) + (explain ? TO_EXPLAIN : 0),
  }),
  async handle(context, { query }) {
    const q = query.q.trim();
    const { limit = 1, category, explain = false } = query;
    const filter = filterClauses({ category }, context.now());
    const named = await findProduct(context, q, filter);
    const found = named.offers.length > 0 ? named : await withinLimits(context, query, named);
    const amongOffers = atNextToNothing(listingsOf(found.offers), context.rates);
    const judging = { includeFlagged: query.include_flagged, amongOffers };
    const order = byBestPrice(context.rates, judging);
    const offers = found.offers
      .filter(({ listing }) => listing.price !== null)
      .sort((a, b) => order(a.listing, b.listing));
    const event = { query: q, results: offers.length };
    const [best] = offers;
    if (best === undefined) throw notFound('No products found for query', event);
    const shown = offers
      .slice(0, limit)
      .map(({ listing, confidence }) => ({ ...toProduct(listing, context.config), confidence }));
    const body = limit > 1 ? { items: shown } : toProduct(best.listing, context.config);
    if (!explain) return { body, event };
    const priced = offers.map(({ listing }) => listing);
    const { corrected } = found;
    const explanation = await explanationOfProduct(context, q, { corrected, filter, offers: priced });
    const considered = consideredOffers({ ...found, offers: priced }, { ...judging, rates: context.rates });
    return { body: { ...body, explanation, considered }, event };
  },
});
