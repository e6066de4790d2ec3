import type { estypes } from '@elastic/elasticsearch';
import { totalOf } from '../../engine/deep-offset.js';
import { getListingsById } from '../../engine/documents.js';
import type { StoredListing } from '../../listing/listing.js';
import { readName } from '../../matching/reading.js';
import { scorePairs } from '../../matching/stored-matches.js';
import { invalidValue, notAReviewer } from '../../platform/errors.js';
import { REVIEW_SCOPE } from '../../platform/access/key.js';
import { mapInSlices } from '../../platform/slices.js';
import { productWith } from '../../products/included.js';
import { checkInclude } from '../../products/list-requests.js';
import type { Include } from '../../schemas/include.js';
import type { ReviewReason } from '../../schemas/review.js';
import { apostropheSpellings, foldValue } from '../../text/fold.js';
import type { Caller, Context } from '../context.js';
import { modelOf } from '../../published/matching-models.js';
import type { StoredQuestion } from './review-questions.js';
import { storedIndex } from '../../platform/stored.js';

/** Returns the developer who reviews with the key. @throws ApiError 403 without the scope `review`. */
export function reviewerOf({ key }: Pick<Caller, 'key'>): string {
  if (key?.scopes?.includes(REVIEW_SCOPE) !== true) throw notAReviewer();
  return key.developerId;
}

export interface ReviewQuery {
  limit?: number;
  cursor?: string;
  source?: string;
  category?: string;
  reason?: ReviewReason;
  blind?: boolean;
  explain?: boolean;
  decided?: boolean;
  include?: Include;
}

/**
 * Returns pairs of listings that people should judge, the largest effect first, without those that this developer has decided or
 * skipped. @throws ApiError 403 without the scope `review`, 422 for a cursor of other parameters.
 */
export async function listReview(context: Context, query: ReviewQuery, caller: Pick<Caller, 'key'>) {
  const { es, products, config, rates, matchingModel } = context;
  const reviewer = reviewerOf(caller);
  const { limit = 20, blind = false, explain = false } = query;
  const { source, category, reason, decided = false, include } = query;
  await checkInclude(context, include);
  const about = `review ${JSON.stringify([reviewer, source, category, reason, decided])}`;
  const after = readSortCursor(context, query.cursor, about);
  const { hits } = await es.search<StoredQuestion>({
    index: storedIndex(config.indexPrefix, 'review'),
    ignore_unavailable: true,
    query: openQuestions(query, reviewer),
    sort: [{ effect: 'desc' }, { pair_id: 'asc' }],
    ...(after && { search_after: after }),
    size: limit,
    track_total_hits: true,
    allow_partial_search_results: false,
  });
  const questions = hits.hits.flatMap(({ _source }) => _source ?? []);
  const ids = questions.flatMap(({ a, b }) => [a, b]);
  const listings = await getListingsById(es, products, ids);
  const scoring = { rates, model: modelOf(blind ? null : await matchingModel()) };
  const items = await mapInSlices(questions, ({ pair_id, a: idA, b: idB, reason: why, effect, score }) => {
    const [a, b] = [listings.get(idA), listings.get(idB)];
    // A listing may have been withdrawn since the pair was found.
    if (a === undefined || b === undefined) return [];
    const read = (one: StoredListing) => readName({ ...one, comparablePrice: null });
    const readings = explain && { readings: { a: read(a), b: read(b) } };
    const item = {
      pair_id,
      a: productWith(include, a, context),
      b: productWith(include, b, context),
      reason: why,
      effect,
      ...readings,
    };
    if (blind) return [item];
    const [pair] = scorePairs(a, [b], { candidates: [], siblings: [] }, scoring);
    const { reasons: match_reasons = [], contradictions = [] } = pair ?? {};
    return [{ ...item, score, match_reasons, contradictions }];
  });
  const next_cursor = nextCursor(context, hits.hits, limit, about);
  return { body: { items: items.flat(), next_cursor, open: totalOf({ hits }) } };
}

function openQuestions({ source, category, reason, decided = false }: ReviewQuery, reviewer: string) {
  const isDecided = { exists: { field: 'decided_by' } };
  const filter = [
    ...(source === undefined ? [] : [{ term: { sources: source } }]),
    ...(category === undefined ? [] : [{ terms: { categories: apostropheSpellings(foldValue(category)) } }]),
    ...(reason === undefined ? [] : [{ term: { reason } }]),
    ...(decided ? [isDecided] : []),
  ];
  const done = decided ? { term: { decided_by: reviewer } } : isDecided;
  return { bool: { filter, must_not: [{ term: { skipped_by: reviewer } }, done] } };
}

/** The cursor of the next page, which contains the sort values of the last item; null if the page is not full. */
export function nextCursor(
  { sealed }: Pick<Context, 'sealed'>,
  hits: readonly estypes.SearchHit[],
  limit: number,
  about: string,
): string | null {
  const last = hits.length === limit ? hits.at(-1)?.sort : undefined;
  return last === undefined ? null : sealed.seal(last, about);
}

/** Reads a cursor with the sort values of the last item of a page. @throws ApiError 422 for a cursor of other parameters. */
export function readSortCursor(
  { sealed }: Pick<Context, 'sealed'>,
  cursor: string | undefined,
  about: string,
): estypes.SortResults | null {
  if (cursor === undefined || cursor === '') return null;
  const sort = sealed.open(cursor, about);
  if (Array.isArray(sort)) return sort as estypes.SortResults;
  throw invalidValue(['query', 'cursor'], 'not a cursor for these parameters');
}
