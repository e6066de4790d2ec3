import type { Static } from 'typebox';
import { component, Enum } from './types.js';

/** The conditions in which goods are sold, in the order of responses. */
export const CONDITIONS = ['new', 'refurbished', 'used'] as const;
export type Condition = (typeof CONDITIONS)[number];

export const ConditionSchema = component('Condition', {
  value: Enum(CONDITIONS),
  basis: Enum(['stated', 'name', 'assumed'], {
    description:
      '`stated`: the feed states it; `name`: read from the name of the listing; `assumed`: nothing states it, so it counts as new',
  }),
});
export type ListingCondition = Static<typeof ConditionSchema>;
