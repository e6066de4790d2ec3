import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { filterParameters, includeFlagged } from '../../engine/queries/filters.js';
import type { StoredListing } from '../../listing/listing.js';
import { includedIn } from '../../listing/included.js';
import { toProduct } from '../../listing/product.js';
import { MAX_CONSIDERED } from '../../matching/stored-matches.js';
import { ConsideredOfferSchema, ExplanationSchema, nearestMembers } from '../../schemas/explain.js';
import { rankByParameter, withoutDeliveryMember } from '../../schemas/delivery.js';
import { includedMembers, includeParameter } from '../../schemas/include.js';
import { ErrorSchema } from '../../schemas/errors.js';
import { ProductSchema } from '../../schemas/product.js';
import { notFound } from '../../platform/errors.js';
import {
  chooseBestPrice,
  consideredOffers,
  MAX_NEAREST,
  nearestListings,
} from '../../usecases/best-price/best-price.js';
import { explainProductText } from '../../usecases/search/explain.js';
import { slotsForSpelling } from '../../usecases/shared/cost.js';

const OfferSchema = Type.Object(
  {
    ...ProductSchema.properties,
    ...includedMembers,
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The confidence that the listing is the product that `q` names. It is 1 if `q` is the GTIN or SKU of the listing',
    }),
  },
  { $id: 'PricedOffer' },
);

const explained = {
  explanation: ExplanationSchema,
  considered: Type.Array(ConsideredOfferSchema, {
    maxItems: MAX_CONSIDERED,
    description:
      'The listings that the answer was chosen from: first the answer, then other offers of the product, the best first, ' +
      'then listings that are not the product, the likeliest first. Listings without a price are excluded',
  }),
};

/**
 * The schema of the response. It is one object type with optional members, because typed clients would have
 * to cast a union.
 */
const BestPriceSchema = Type.Object(
  {
    ...Type.Partial(ProductSchema).properties,
    ...includedMembers,
    ...withoutDeliveryMember,
    ...Type.Partial(Type.Object(explained)).properties,
    items: Type.Optional(
      Type.Array(OfferSchema, {
        description:
          'With a `limit` above 1: the offers, sorted by availability, then by price in one currency, or as `rank_by` says, then by id',
      }),
    ),
  },
  {
    $id: 'BestPrice',
    description:
      'The cheapest listing, with every field of a Product. With a `limit` above 1, `items` instead. `explain=true` adds `explanation` and `considered`',
  },
);

const NOT_FOUND = 'No products found for query';

/** The body of a 404. The listings that it adds come from the searches that have been made anyway. */
const NoBestPriceSchema = Type.Object(
  {
    ...ErrorSchema.properties,
    nearest: Type.Optional(
      Type.Array(
        Type.Object(
          { ...ProductSchema.properties, ...includedMembers, ...nearestMembers },
          { $id: 'NearestListing' },
        ),
        {
          maxItems: MAX_NEAREST,
          description: 'With `nearest=true`: the listings that are nearest to `q`, the likeliest first',
        },
      ),
    ),
  },
  { $id: 'NoBestPrice' },
);

/** The concurrency slots of a best-price request, which takes as long as four searches. */
const SLOTS = 4;
/**
 * The additional concurrency slots of a best-price request with an explanation, which counts words and
 * compares the candidates again.
 */
const EXPLAIN_SLOTS = 2;

export const bestPrice = endpoint({
  tag: 'Comparison',
  summary: 'The cheapest listing of a product',
  description:
    'The listing of the product that `q` names: in stock (or unknown) before out of stock, then the lowest price in one ' +
    'currency. Flagged prices (`GET /v1/quality`), and prices far below those of the other offers, come last. A GTIN in any ' +
    'form, a SKU, a model number or the address of a listing’s page identifies the product. Of other words, each one that ' +
    'describes the product must be accounted for, and sizes, numbers and colours must be those of the listing. An accessory ' +
    'or another model is returned only if `q` asks for it; what `q` leaves open, such as the colour, may be anything. ' +
    'Listings that word the same product differently count too. If nothing is found for the words as they are, price limits ' +
    'among them (`tv under 1500`) are applied. Listings without a price are excluded. With a `limit` above 1, the next best ' +
    'offers follow, and the body is `{items: […]}`. With `rank_by=total`, the delivery price is added before offers that are ' +
    'in stock, and those that are not, are compared.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The name of a product, as precise as you like, an identifier, or the address of a page',
      examples: ['wireless headphones'],
    }),
    category: filterParameters.category,
    include_flagged: includeFlagged,
    rank_by: rankByParameter('price', 'the price alone'),
    include: includeParameter,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 1,
        description: 'The maximum number of offers. With 1, the body is the Product itself',
      }),
    ),
    nearest: Type.Optional(
      Type.Boolean({
        description:
          `If no listing is the product: adds to the body of the 404 \`nearest\`, up to ${MAX_NEAREST} listings that may be ` +
          'meant, with the reason why each was not taken',
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        description:
          'Adds to the body `explanation`, how the words were interpreted, and `considered`: up to ' +
          `${MAX_CONSIDERED} listings that the answer was chosen from, with the reason why each is not the answer`,
      }),
    ),
  }),
  responses: {
    200: { description: 'The cheapest listing', schema: BestPriceSchema },
    404: {
      description: 'No listing with a price is the product',
      schema: NoBestPriceSchema,
      example: { detail: NOT_FOUND },
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
    slots: SLOTS + slotsForSpelling(q) + (explain ? EXPLAIN_SLOTS : 0),
  }),
  async handle(context, { query }) {
    const { limit = 1, explain = false, nearest = false } = query;
    const q = query.q.trim();
    const best = await chooseBestPrice(context, query);
    const event = { query: q, results: best.offers.length };
    const toItem = (listing: StoredListing) => ({
      ...toProduct(listing, context.config),
      ...includedIn(listing, best.include, context.rates),
    });
    const items = best.offers
      .slice(0, limit)
      .map(({ listing, confidence }) => ({ ...toItem(listing), confidence }));
    const [first] = best.offers;
    if (first === undefined) {
      if (!nearest) throw notFound(NOT_FOUND, event);
      const listings = nearestListings(best, context).map(({ listing, ...why }) => ({
        ...toItem(listing),
        ...why,
      }));
      return { status: 404, body: { detail: NOT_FOUND, nearest: listings }, event };
    }
    const counted = best.without_delivery === undefined ? {} : { without_delivery: best.without_delivery };
    const body = { ...(limit > 1 ? { items } : toItem(first.listing)), ...counted };
    if (!explain) return { body, event };
    const { corrected, filter } = best;
    const offers = best.offers.map(({ listing }) => listing);
    const explanation = await explainProductText(context, q, { corrected, filter, offers });
    return { body: { ...body, explanation, considered: consideredOffers(best, context) }, event };
  },
});
