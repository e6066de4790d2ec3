import { Type } from 'typebox';
import { failure } from '../../schemas/errors.js';
import { endpoint } from '../endpoint.js';
import {
  DecisionListSchema,
  DecisionResultsSchema,
  NewDecisionsSchema,
  REVIEW_REASONS,
  ReviewPageSchema,
  UndoneDecisionSchema,
} from '../../schemas/review.js';
import { includeParameter } from '../../schemas/include.js';
import { countParameter, DocumentId, flagParameter, optional } from '../../schemas/types.js';
import { decide, listDecisions, undoDecision } from '../../usecases/link/decide.js';
import { listReview } from '../../usecases/link/review.js';

const tag = 'Review';
const noScope = failure(
  'The key has no scope `review`',
  'This key may not review matches: it has no scope review',
);
const cursor = optional.String({ maxLength: 2_000, description: 'The `next_cursor` of the previous page' });
const name = (description: string) => optional.String({ minLength: 1, maxLength: 200, description });

export const reviewRoute = endpoint({
  tag,
  summary: 'List pairs of listings that need a human decision',
  description:
    'For keys with the scope `review`. The queue is filled by `npm run link`: pairs whose match is uncertain, pairs of one group ' +
    'whose comparison contradicts the group, pairs that share a GTIN although their makers differ, and the least likely pair of ' +
    'each large group. The queue contains at most one pair of the same two groups. Pairs that somebody has decided, and pairs that ' +
    'you have skipped, are excluded.',
  query: Type.Object({
    limit: countParameter(100, 20, 'The maximum number of pairs'),
    cursor,
    source: name('Only pairs with a listing of this source'),
    category: name('Only pairs with a listing of this category, in full. Case is ignored'),
    reason: optional.Enum(REVIEW_REASONS, { description: 'Only pairs with this reason' }),
    blind: flagParameter('Leaves out the score, the reasons and the contradictions'),
    explain: flagParameter('Adds `readings`: how matching understands the two names'),
    decided: flagParameter('Returns the pairs that others have decided instead, for a second decision'),
    include: includeParameter(),
  }),
  responses: { 200: { description: 'The pairs', schema: ReviewPageSchema }, 403: noScope },
  handle: (context, { query }, caller) => listReview(context, query, caller),
});

export const decideRoute = endpoint({
  tag,
  summary: 'Decide which listings are the same product',
  description:
    'For keys with the scope `review`. Decisions are stored like those of `npm run link -- --decisions`, which `npm run learn` learns ' +
    'from. The groups of the listings are formed again before the response is sent, unless `npm run link` is running. A later decision of the ' +
    'same developer about the same pair replaces the earlier one; of several developers, the latest decision counts.',
  body: NewDecisionsSchema,
  idempotent: true,
  responses: {
    200: { description: 'The outcome of each decision', schema: DecisionResultsSchema },
    403: noScope,
  },
  handle: (context, { body }, caller) => decide(context, body, caller),
});

export const listDecisionsRoute = endpoint({
  tag,
  summary: 'List the decisions of reviewers',
  description: 'For keys with the scope `review`: who decided what and when, and how often reviewers agree.',
  query: Type.Object({ limit: countParameter(1_000, 100, 'The maximum number of decisions'), cursor }),
  responses: { 200: { description: 'The decisions', schema: DecisionListSchema }, 403: noScope },
  handle: (context, { query }, caller) => listDecisions(context, query, caller),
});

export const undoDecisionRoute = endpoint({
  tag,
  summary: 'Undo a decision',
  description:
    'For keys with the scope `review`. The groups of the two listings are formed again without the decision.',
  pathParameters: Type.Object({ decision_id: DocumentId('The id of the decision') }),
  responses: {
    200: { description: 'The decision is undone', schema: UndoneDecisionSchema },
    403: noScope,
    404: failure('There is no such decision', 'Decision not found'),
  },
  handle: (context, { path }, caller) => undoDecision(context, path.decision_id, caller),
});
