import type { Client, estypes } from '@elastic/elasticsearch';
import { getListingsById } from '../../engine/documents.js';
import { ensureIndex, KEYWORD } from '../../engine/indices.js';
import type { StoredListing } from '../../listing/listing.js';
import type { Question } from '../../matching/grouping/review-questions.js';
import { chunksOf } from '../../platform/chunks.js';
import { OperationError } from '../../platform/operation-errors.js';
import { foldValue } from '../../text/fold.js';
import { pairId } from '../../matcher/decisions.js';
import type { Plan } from './regroup.js';
import type { LinkRun } from './run.js';
import { storedIndex } from '../../platform/stored.js';

/** A pair of listings that people should judge, as its index stores it. */
export interface StoredQuestion extends Question {
  /** Identifies the two listings, in either order. */
  pair_id: string;
  sources: string[];
  /** The folded categories of the two listings. */
  categories: string[];
  run: number;
  /** The developers whose reviewers decided the pair or skipped it. */
  decided_by: string[];
  skipped_by: string[];
}

/** The maximum number of pairs that one linking run asks people about. */
const MAX_QUESTIONS = 20_000;
const PAGE = 1_000;
/** The maximum number of affected listings whose answered questions are removed by a run over a part of the catalogue. */
const MAX_TERMS = 10_000;

const FIELDS: Record<string, estypes.MappingProperty> = {
  pair_id: KEYWORD,
  a: { type: 'long' },
  b: { type: 'long' },
  reason: KEYWORD,
  effect: { type: 'integer' },
  sources: KEYWORD,
  categories: KEYWORD,
  run: { type: 'long' },
  decided_by: KEYWORD,
  skipped_by: KEYWORD,
};

/** Creates the index of the pairs that people should judge, unless it exists. */
export async function ensureQuestions(es: Client, indexPrefix: string): Promise<void> {
  const index = storedIndex(indexPrefix, 'review');
  if (!(await es.indices.exists({ index }))) await ensureIndex(es, indexPrefix, 'review', FIELDS);
}

/**
 * Stores the questions of a linking run, and removes those of earlier runs about the listings that the run affects. Questions
 * that were answered remain, so that a second reviewer can answer them too.
 */
export async function storeQuestions(
  { es, alias, run, retry }: LinkRun,
  indexPrefix: string,
  { questions, affected }: Pick<Plan, 'questions' | 'affected'>,
): Promise<void> {
  const index = storedIndex(indexPrefix, 'review');
  await ensureQuestions(es, indexPrefix);
  for (const some of chunksOf(questions.slice(0, MAX_QUESTIONS), PAGE)) {
    const ids = some.flatMap(({ a, b }) => [a, b]);
    const listings = await retry(() => getListingsById(es, alias, ids, LISTING_FIELDS));
    const operations = some.flatMap((question) => {
      const [a, b] = [listings.get(question.a), listings.get(question.b)];
      if (a === undefined || b === undefined) return [];
      const doc = { ...question, ...pairFields(a, b), run: run.id };
      const upsert: StoredQuestion = { ...doc, decided_by: [], skipped_by: [] };
      return [{ update: { _id: doc.pair_id, retry_on_conflict: 3 } }, { doc, upsert }];
    });
    if (operations.length === 0) continue;
    const answer = await retry(() => es.bulk({ index, operations, filter_path: ['items.*.error'] }));
    const failed = answer.items?.find(({ update }) => update?.error !== undefined)?.update?.error;
    if (failed !== undefined) throw new OperationError(`${index} rejects a question: ${failed.reason}`);
  }
  const isPart = run.scope.kind !== 'all' && run.first !== true;
  if (!isPart || affected.size <= MAX_TERMS) {
    const ids = [...affected];
    const within: estypes.QueryDslQueryContainer[] = isPart
      ? [{ terms: { a: ids } }, { terms: { b: ids } }]
      : [];
    await retry(async () => {
      await es.indices.refresh({ index });
      return es.deleteByQuery({
        index,
        query: {
          bool: {
            filter: [{ range: { run: { lt: run.id } } }, ...within],
            must_not: [{ exists: { field: 'decided_by' } }],
          },
        },
        conflicts: 'proceed',
        refresh: true,
      });
    });
  }
}

const LISTING_FIELDS = ['id', 'source', 'sku', 'category'];

const pairFields = (a: StoredListing, b: StoredListing) => ({
  pair_id: pairId({ a_source: a.source, a_sku: a.sku, b_source: b.source, b_sku: b.sku }),
  sources: [...new Set([a.source, b.source])],
  categories: [...new Set([a.category, b.category].flatMap((one) => (one === null ? [] : [foldValue(one)])))],
});
