import { Type } from 'typebox';
import { withoutDeliveryMember } from './delivery.js';
import { ListedProductSchema, positionMember, readingMember } from './include.js';
import { matchReasons } from './match-reasons.js';
import {
  component,
  Enum,
  flag,
  integer,
  listOf,
  money,
  nullable,
  orNull,
  probability,
  text,
  timeOrNull,
} from './types.js';

const OfferSchema = component('Offer', 'A listing of a product', {
  ...ListedProductSchema.properties,
  ...positionMember,
  ...readingMember,
  match_score: probability(
    'The probability that it is the same product as the listing in the request, at least 0.5. That listing itself has 1',
  ),
  match_reasons: matchReasons('What agrees, strongest first. Empty for the listing in the request'),
  price_converted: nullable(
    'string',
    'The price in the currency of `price_range`, or null if there is no price or no exchange rate',
  ),
  price_rank: orNull(
    Type.Integer({ minimum: 1 }),
    'One more than the number of offers that are cheaper without delivery. Equal prices share a rank. Flagged prices ' +
      'rank after all others, unless `include_flagged=true`. Null if `price_converted` is null',
  ),
});

export const ProductOffersSchema = component('ProductOffers', 'A product and its offers', {
  group_id: integer('The id of the product. It remains the same when listings are added and removed'),
  basis: Enum(['linked', 'live'], {
    description:
      '`linked`: the offers that `npm run link` found. `live`: matched for this request, because the listing is not linked, or has changed since',
  }),
  linked_at: timeOrNull('When the listing was linked, ISO 8601 in UTC. Null if `basis` is `live`'),
  name: text('The most typical name among the offers'),
  brand: nullable('string', 'The most frequent brand among the offers'),
  gtins: listOf(Type.String(), 'All GTINs of the offers, with 14 digits'),
  models: listOf(Type.String(), 'All model numbers that the offers state, reduced to letters and digits'),
  total: integer('The number of offers that pass the filters'),
  ...withoutDeliveryMember,
  sources: integer('The number of platforms of these offers'),
  price_range: orNull(
    Type.Object({
      currency: nullable('string', 'ISO 4217 code, or null if the feeds state no currency'),
      min: money('The lowest price'),
      max: money('The highest price'),
    }),
    'The price range of the offers that pass the filters, of any condition unless `condition` is given, in the currency of the listing in the request if it has a rate. Null if no offer has a price',
  ),
  best_offer_id: orNull(
    Type.Integer(),
    'The offer to buy, of new goods or in the conditions that `condition` names: in stock or unknown, then the lowest price, or with `rank_by=total` the lowest price with delivery, then ' +
      'the lowest id. Null if no such offer has a price',
  ),
  offers: Type.Array(OfferSchema),
  limit: integer('The `limit` of the request, or its default'),
  offset: integer('The `offset` of the request, or its default'),
  has_more: flag('Whether there is a next page'),
});
