import { type Static, Type } from 'typebox';

export const FreshnessSchema = Type.Object(
  {
    day: Type.Integer({ description: 'Last checked within a day' }),
    week: Type.Integer({ description: 'Earlier, within 7 days' }),
    month: Type.Integer({ description: 'Earlier, within 30 days' }),
    older: Type.Integer({ description: 'Longer ago' }),
    never: Type.Integer({ description: 'Not stated' }),
  },
  { description: 'Listings by `last_checked`' },
);

/** Numbers of listings by when they were checked last. */
export type Freshness = Static<typeof FreshnessSchema>;
