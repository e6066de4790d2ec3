import { Type } from 'typebox';
import { matchReasons } from './match-reasons.js';
import { ProductSchema } from './product.js';
import { Enum, money, nullable, orNull } from './types.js';

const OfferSchema = Type.Object(
  {
    ...ProductSchema.properties,
    match_score: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Probability that it is the same product as the listing that was asked for, which has 1; 0.5 or more',
    }),
    match_reasons: matchReasons('What agreed, strongest first; of the listing itself nothing'),
    price_converted: nullable(
      'string',
      'The price in the currency of `price_range`; null: no price, or no rate',
    ),
    price_rank: orNull(
      Type.Integer({ minimum: 1 }),
      'One more than how many offers are cheaper: equal prices share a rank, and flagged prices (`GET /v1/quality`) rank ' +
        'behind all others, unless `include_flagged=true`; null where `price_converted` is null',
    ),
  },
  { $id: 'Offer', description: 'A listing of a product' },
);

export const ProductOffersSchema = Type.Object(
  {
    group_id: Type.Integer({ description: 'The product; it stays when listings come and go' }),
    basis: Enum(['linked', 'live'], {
      description:
        'linked: as `npm run link` found; live: matched just now, since the listing was not linked, or says something else since',
    }),
    linked_at: nullable('string', 'When the listing was linked, ISO 8601 in UTC; null: live', {
      format: 'date-time',
    }),
    name: Type.String({ description: 'The most typical of the offers’ names' }),
    brand: nullable('string', 'The commonest of their brands'),
    gtins: Type.Array(Type.String(), { description: 'All their GTINs, as 14 digits' }),
    models: Type.Array(Type.String(), {
      description: 'All model numbers that they state, letters and digits alone',
    }),
    total: Type.Integer({ description: 'How many offers pass the filters' }),
    sources: Type.Integer({ description: 'From how many platforms these are' }),
    price_range: orNull(
      Type.Object({
        currency: nullable('string', 'ISO 4217 code; null: the feeds name none'),
        min: money('The lowest price'),
        max: money('The highest price'),
      }),
      'Of the offers that pass the filters, in one currency: that of the listing asked for, where there is a rate; null: none has a price',
    ),
    best_offer_id: orNull(
      Type.Integer(),
      'Of these the one to buy: in stock (or not saying), then cheapest, then the lowest id; null: none has a price',
    ),
    offers: Type.Array(OfferSchema),
    limit: Type.Integer({ description: 'Page size used' }),
    offset: Type.Integer({ description: 'Offset used' }),
    has_more: Type.Boolean({ description: 'Whether a later page has anything' }),
  },
  { $id: 'ProductOffers', description: 'A product, and who offers it' },
);
