import { Type } from 'typebox';
import { component, countParameter, listOf, optional, probability } from '../../schemas/types.js';
import { endpoint } from '../endpoint.js';
import { filterParameters, includeFlagged } from '../../engine/queries/filters.js';
import { candidatesWith } from '../../products/included.js';
import { MAX_CONSIDERED } from '../../matching/stored-matches.js';
import { ConsideredOfferSchema, ExplanationSchema, nearestMembers } from '../../schemas/explain.js';
import { rankByParameter, withoutDeliveryMember } from '../../schemas/delivery.js';
import { includeParameter, ListedProductSchema, readingMember } from '../../schemas/include.js';
import { ErrorSchema } from '../../schemas/errors.js';
import { notFound } from '../../platform/errors.js';
import {
  chooseBestPrice,
  consideredOffers,
  MAX_NEAREST,
  nearestListings,
} from '../../usecases/best-price/best-price.js';
import { explainProductText } from '../../usecases/search/explain.js';

const OfferSchema = component('PricedOffer', {
  ...ListedProductSchema.properties,
  ...readingMember,
  confidence: probability(
    'The confidence that the listing is the product that `q` names. It is 1 if `q` is the GTIN or SKU of the listing',
  ),
});

const explained = {
  explanation: ExplanationSchema,
  considered: Type.Array(ConsideredOfferSchema, {
    maxItems: MAX_CONSIDERED,
    description:
      'The listings that the answer was chosen from: first the answer, then other offers of the product, the best first, ' +
      'then listings that are not the product, the likeliest first. Listings without a price are excluded',
  }),
};

/** The members that parameters add to the body, whether the request has a `limit` or not. */
const addedMembers = { ...withoutDeliveryMember, ...Type.Partial(Type.Object(explained)).properties };

const BestPriceSchema = component('BestPrice', 'The cheapest listing, with the members that parameters add', {
  ...ListedProductSchema.properties,
  ...readingMember,
  ...addedMembers,
});

const BestPricesSchema = component('BestPrices', 'With a `limit` above 1: the best offers', {
  items: listOf(
    OfferSchema,
    'The offers, sorted by availability, then by `rank_by` in one currency, then by id',
  ),
  ...addedMembers,
});

const NOT_FOUND = 'No products found for query';

/** The body of a 404. The nearest listings in it were found by the searches for the product, so they cost nothing more. */
const NoBestPriceSchema = component('NoBestPrice', {
  ...ErrorSchema.properties,
  nearest: optional.Array(
    component('NearestListing', { ...ListedProductSchema.properties, ...readingMember, ...nearestMembers }),
    {
      maxItems: MAX_NEAREST,
      description: 'With `nearest=true`: the listings that are nearest to `q`, the likeliest first',
    },
  ),
});

export const bestPrice = endpoint({
  tag: 'Comparison',
  summary: 'Find the cheapest listing of a product',
  description:
    'Returns the best offer of the product that `q` names: in stock (or of unknown availability) before out of stock, then the ' +
    'lowest price in one currency. Flagged prices (`GET /v1/quality/{flag}`), and prices far below those of the other offers, ' +
    'come last. A GTIN in any format (an in-store one if one source has it), a SKU, a model number or the URL of a listing’s ' +
    'page identifies the product. Otherwise, ' +
    'the listing must match every word of `q` that describes the product, and have the sizes, numbers and colours that `q` ' +
    'states. An accessory or another model is returned only if `q` asks for it; what `q` leaves open, such as the colour, may ' +
    'be anything. Listings that describe the same product in other words are included. If nothing is found for the words as ' +
    'they are, a price limit among them (`tv under 1500`) is applied. Listings without a price ' +
    'are excluded, as are refurbished and used goods, unless `condition` or a word in `q` asks for them (`used phone`). With ' +
    'a `limit` above 1, the body is `{items: […]}`, with the next best offers. With `rank_by=total`, offers of the same availability are ' +
    'ranked by the price with delivery.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The name of a product, an identifier, or the URL of a listing’s page at the shop',
      examples: ['wireless headphones'],
    }),
    category: filterParameters.category,
    condition: filterParameters.condition,
    include_flagged: includeFlagged,
    rank_by: rankByParameter('price', 'the price alone'),
    include: includeParameter('reading'),
    limit: countParameter(20, 1, 'The maximum number of offers. With 1, the body is the Product itself'),
    nearest: optional.flag(
      `If no listing is the product: adds \`nearest\` to the body of the 404 response, up to ${MAX_NEAREST} listings that may ` +
        'be meant, each with the reason why it is not the answer',
    ),
    explain: optional.flag(
      'Adds `explanation` to the body, which states how the words were interpreted, and `considered`: up to ' +
        `${MAX_CONSIDERED} listings that the answer was chosen from, with the reason why each is not the answer`,
    ),
  }),
  responses: {
    200: {
      description: 'The best offer, or the best offers',
      schema: Type.Union([BestPriceSchema, BestPricesSchema]),
    },
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
  async handle(context, { query }) {
    const { limit = 1, explain = false, nearest = false } = query;
    const q = query.q.trim();
    const best = await chooseBestPrice(context, query);
    const event = { query: q, results: best.offers.length };
    const nearby = best.offers.length === 0 && nearest ? nearestListings(best, context) : [];
    const shown = [...best.offers.slice(0, limit), ...nearby].map(({ listing }) => listing);
    const toItem = await candidatesWith(best.include, shown, context);
    const items = best.offers
      .slice(0, limit)
      .map(({ listing, confidence }) => ({ ...toItem(listing), confidence }));
    const [first] = best.offers;
    if (first === undefined) {
      if (!nearest) throw notFound(NOT_FOUND, event);
      const listings = nearby.map(({ listing, ...why }) => ({ ...toItem(listing), ...why }));
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
