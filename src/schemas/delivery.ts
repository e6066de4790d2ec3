import { component, Enum, money, nullable, optional } from './types.js';

export const DeliverySchema = component('Delivery', {
  price: money('The delivery price of one item, as a decimal string; `0.00` if delivery is free', '4.90'),
  currency: nullable('string', 'Its currency, ISO 4217; null if the feed states none', { examples: ['EUR'] }),
  to: nullable(
    'string',
    'The country to which this price applies, ISO 3166-1 alpha-2. Null if the feed states none',
    { examples: ['DE'] },
  ),
  basis: Enum(['stated', 'free_from'], {
    description:
      '`stated`: the feed states this delivery price. `free_from`: the feed states a price from which delivery is free, and the price of the listing reaches it',
  }),
});

/** How offers are ranked: by their price, or by their price with delivery. */
export type RankBy = 'price' | 'total';

/** The parameter `rank_by` of an endpoint. @param usual its default value, and by what it sorts. */
export const rankByParameter = <Usual extends string>(usual: Usual, meaning: string) =>
  optional.Enum([usual, 'total'] as (Usual | 'total')[], {
    default: usual,
    description:
      `\`${usual}\`: ranked by ${meaning}. \`total\`: by the price with delivery, in one currency, the lowest first; listings ` +
      'without a known delivery price follow those with one, and `without_delivery` counts them. Adds the members of `include=delivery`',
  });

/** The member that counts the listings of a response which `rank_by=total` puts after the others. */
export const withoutDeliveryMember = {
  without_delivery: optional.integer(
    'With `rank_by=total`: how many listings have no known delivery price. They follow the others, sorted by price',
  ),
};
