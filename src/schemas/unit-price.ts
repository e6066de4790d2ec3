import type { Static } from 'typebox';
import { component, Enum, money, nullable } from './types.js';

/** The units to which unit prices refer. */
export const UNIT_PRICE_UNITS = ['kg', 'l', 'm', 'piece'] as const;
export type UnitPriceUnit = (typeof UNIT_PRICE_UNITS)[number];

export const UnitPriceSchema = component('UnitPrice', {
  value: money('The price of one unit, rounded half up to four decimals', '2.3939'),
  currency: nullable('string', 'The currency of the price of the listing', { examples: ['EUR'] }),
  per: Enum(UNIT_PRICE_UNITS, { description: 'The unit: a kilogram, a litre, a metre or a piece' }),
  basis: Enum(['stated', 'name'], {
    description:
      '`stated`: the feed states the quantity in a field of its own, such as `unit_pricing_measure`. `name`: it was read from ' +
      'the name, or from an attribute such as `size`',
  }),
});

export type UnitPrice = Static<typeof UnitPriceSchema>;
