import { type Static, Type } from 'typebox';
import { CONTRADICTIONS, matchReasons } from './match-reasons.js';
import { ListedProductSchema } from './include.js';
import { ReadingSchema } from './reading.js';
import {
  component,
  documentedAs,
  Enum,
  EnumOf,
  flag,
  integer,
  listOf,
  nullable,
  optional,
  orNull,
  probability,
  text,
  timeOrNull,
} from './types.js';

const REASONS = {
  uncertain: 'the match probability is neither high nor low',
  contradiction:
    'one group contains both listings, although their comparison says that they are different products',
  gtin_conflict: 'they share a GTIN, but are of different makers',
  large_group: 'they are the least likely pair of a large group',
};

export type ReviewReason = keyof typeof REASONS;
export const REVIEW_REASONS = Object.keys(REASONS) as ReviewReason[];

const pairId = text('Identifies the two listings, in either order');

export const ReviewItemSchema = component(
  'ReviewItem',
  'Two listings for which a person should decide whether they are the same product',
  {
    pair_id: pairId,
    a: ListedProductSchema,
    b: ListedProductSchema,
    reason: EnumOf(REASONS),
    effect: Type.Integer({
      minimum: 2,
      description:
        'The number of listings in the groups of the two, which the decision joins into one group or splits into two',
      examples: [7],
    }),
    readings: optional.Object(
      { a: ReadingSchema, b: ReadingSchema },
      { description: 'With `explain=true`: how matching understands the two names' },
    ),
    score: Type.Optional(
      probability('The probability that the two listings are the same product. Absent with `blind=true`'),
    ),
    match_reasons: Type.Optional(matchReasons('What agrees, strongest first. Absent with `blind=true`')),
    contradictions: optional.listOf(Enum(CONTRADICTIONS), 'What differs. Absent with `blind=true`'),
  },
);

export const ReviewPageSchema = component('ReviewPage', {
  items: listOf(ReviewItemSchema, 'The pairs, the largest effect first'),
  next_cursor: nullable('string', 'The cursor of the next page; null on the last page'),
  open: integer('The number of pairs that match the parameters, on all pages'),
});

/** A listing in a request: its id, as a number or a text, or its source and SKU as `source:sku`. */
const reference = documentedAs(
  Type.Unsafe<number | string>({
    type: ['string', 'integer'],
    minimum: 1,
    maxLength: 600,
    pattern: '^(?:\\d{1,16}|[^:]+:.+)$',
    description: 'A listing: its id, or its source and SKU as `source:sku`',
    examples: ['shop_a:WH-1000XM5'],
  }),
  { type: 'string' },
);

const decision = Enum(['same', 'different', 'skip'], {
  description:
    '`same` or `different` product. `skip` has no effect, except that the pair is no longer in the review queue of this developer',
});

const note = Type.String({ maxLength: 500, description: 'The reason for the decision' });

export const NewDecisionsSchema = Type.Object(
  {
    decisions: Type.Array(Type.Object({ a: reference, b: reference, decision, note: Type.Optional(note) }), {
      minItems: 1,
      maxItems: 100,
    }),
  },
  {
    $id: 'NewDecisions',
    examples: [{ decisions: [{ a: 'shop_a:WH-1000XM5', b: '4503599627370497', decision: 'same' }] }],
  },
);

export type NewDecisions = Static<typeof NewDecisionsSchema>;

const groupsOfPair = (description: string) =>
  orNull(
    Type.Object({ a: integer('The id of the product group that contains `a`'), b: Type.Integer() }),
    description,
  );

const groups = {
  groups_before: groupsOfPair('The groups of the two listings before the request; null if it was rejected'),
  groups_after: groupsOfPair('The groups of the two listings after the request; null if it was rejected'),
};

export const OUTCOMES = {
  applied: 'the groups obey the decision',
  pending: 'the decision is stored and takes effect with the next `npm run link`',
  overruled:
    'the decision is stored, but other decisions or the maximum size of a group prevent the groups from obeying it',
  skipped: 'the pair is no longer in the queue of this developer',
  rejected: 'nothing was stored; see `detail`',
} as const;

export const DecisionResultsSchema = component('DecisionResults', {
  results: listOf(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: 'The position of the decision in the request' }),
      outcome: EnumOf(OUTCOMES),
      detail: optional.text('Why the decision was rejected'),
      decision_id: nullable('string', 'The id of the stored decision; null if it was rejected'),
      ...groups,
    }),
    'One result for each decision, in request order',
  ),
});

const side = (description: string) =>
  Type.Object(
    {
      source: Type.String(),
      sku: Type.String(),
      id: orNull(Type.Integer(), 'The id of the listing; null if it is no longer in the catalogue'),
      name: nullable('string', 'The name of the listing; null if it is no longer in the catalogue'),
    },
    {
      description,
      examples: [{ source: 'shop_a', sku: 'WH-1000XM5', id: 4503599627370496, name: 'Sony WH-1000XM5' }],
    },
  );

const DecisionSchema = component('Decision', {
  decision_id: Type.String(),
  pair_id: pairId,
  a: side('The listing `a` of the decision'),
  b: side('The listing `b`'),
  decision,
  note: nullable('string', 'The reason for the decision; null if none was given'),
  reviewer: nullable('string', 'The developer whose key was used; null for a decision from a file'),
  decided_at: timeOrNull('When it was decided, ISO 8601 in UTC; null if this is not known'),
  pending: flag('Whether it takes effect only with the next `npm run link`'),
});

export const DecisionListSchema = component('DecisionList', {
  items: listOf(DecisionSchema, 'The decisions, the latest first'),
  next_cursor: nullable('string', 'The cursor of the next page; null on the last page'),
  total: integer('The number of decisions'),
  agreement: Type.Object(
    {
      pairs: integer('The number of pairs that several reviewers decided'),
      agreed: integer('The number of these pairs on which all of them decided the same'),
    },
    { description: 'How often reviewers agree. At most 10,000 pairs are counted' },
  ),
});

export type DecisionResults = Static<typeof DecisionResultsSchema>;

export const UndoneDecisionSchema = component('UndoneDecision', {
  decision_id: Type.String(),
  outcome: Enum(['applied', 'pending'], {
    description:
      '`applied`: the groups are as without the decision. `pending`: they will be after the next `npm run link`',
  }),
  ...groups,
});
