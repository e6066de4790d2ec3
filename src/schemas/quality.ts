import { Type, type Static } from 'typebox';
import { FLAG_NAMES } from './flags.js';
import { FreshnessSchema } from './freshness.js';
import { SearchPageSchema } from './page.js';
import { ProductSchema } from './product.js';

const share = (description: string) => Type.Number({ description, minimum: 0, maximum: 1 });

const AssessmentProperties = {
  listings: Type.Integer({ description: 'How many there are' }),
  score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      '0 to 100: 40 for completeness (the mean of the shares below), 30 for the share of listings checked in the last 7 days, 30 for the share without a flag of price, GTIN or duplicate',
  }),
  completeness: Type.Record(Type.String(), share('Of the listings'), {
    description: 'For each field the share of listings that state it, to three decimals',
  }),
  freshness: FreshnessSchema,
  flags: Type.Record(Type.String(), Type.Integer({ description: 'Listings' }), {
    description: `How many listings have each flag: ${FLAG_NAMES.join(', ')}; GET /v1/quality/{flag} lists them`,
  }),
};

export const QualitySchema = Type.Object(
  {
    all: Type.Object(AssessmentProperties, { description: 'All listings that were asked for' }),
    sources: Type.Array(
      Type.Object({ source: Type.String({ description: 'Source platform code' }), ...AssessmentProperties }),
      { description: 'Each source for itself, the one with most listings first' },
    ),
    total: Type.Integer({ description: 'Number of sources' }),
  },
  { $id: 'Quality', description: 'How far listings can be trusted' },
);
export type Quality = Static<typeof QualitySchema>;
export type Assessment = Quality['all'];

const FlaggedSchema = Type.Object(
  { ...ProductSchema.properties, reason: Type.String({ description: 'The evidence, in words' }) },
  { $id: 'Flagged', description: 'A listing that something may be wrong with' },
);

export const FlaggedPageSchema = Type.Object(
  { ...SearchPageSchema.properties, items: Type.Array(FlaggedSchema) },
  { $id: 'FlaggedPage', description: 'One page of listings with a flag' },
);
