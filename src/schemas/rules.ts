import { type Static, Type } from 'typebox';
import { optional } from './types.js';

/** The limits of a file of merchandising rules. They bound what the rules can add to the cost of a search. */
export const RULE_LIMITS = {
  bytes: 256 * 1024,
  rules: 500,
  queries: 50,
  pins: 10,
  hidden: 20,
  boosts: 5,
  synonyms: 200,
  /** The maximum number of other texts for which a word or phrase may stand, in all rules together. */
  synonymsPerWord: 5,
  /** The maximum number of words of a text that a query must contain, or that has synonyms. */
  words: 5,
} as const;

const Query = Type.String({ minLength: 1, maxLength: 200 });
const Queries = Type.Array(Query, { minItems: 1, maxItems: RULE_LIMITS.queries });
const Value = Type.String({ minLength: 1, maxLength: 200 });

const targets = {
  id: optional.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  brand: Type.Optional(Value),
  category: Type.Optional(Value),
  source: Type.Optional(Value),
};

/** The listings that a rule pins, hides or boosts: one listing, or all of a brand, a category or a source. */
const Target = Type.Object(targets, { additionalProperties: false, minProperties: 1, maxProperties: 1 });
export type RuleTarget = Static<typeof Target>;

const Boost = Type.Object(
  { ...targets, by: Type.Number({ minimum: 0.1, maximum: 10 }) },
  { additionalProperties: false, minProperties: 2, maxProperties: 2 },
);

const Time = Type.String({ minLength: 10, maxLength: 30 });

const RuleSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    query: optional.Object(
      { exact: Type.Optional(Queries), contains: Type.Optional(Queries) },
      { additionalProperties: false, minProperties: 1 },
    ),
    from: Type.Optional(Time),
    until: Type.Optional(Time),
    pin: optional.Array(Target, { minItems: 1, maxItems: RULE_LIMITS.pins }),
    hide: optional.Array(Target, { minItems: 1, maxItems: RULE_LIMITS.hidden }),
    boost: optional.Array(Boost, { minItems: 1, maxItems: RULE_LIMITS.boosts }),
    synonyms: optional.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      minItems: 1,
      maxItems: RULE_LIMITS.synonyms,
    }),
  },
  { additionalProperties: false, dependentRequired: { pin: ['query'], hide: ['query'], boost: ['query'] } },
);
export type MerchandisingRule = Static<typeof RuleSchema>;

/** The schema of a file of merchandising rules (docs/rules.md). */
export const RuleFileSchema = Type.Object(
  { rules: Type.Array(RuleSchema, { maxItems: RULE_LIMITS.rules }) },
  { additionalProperties: false },
);
export type RuleFile = Static<typeof RuleFileSchema>;
