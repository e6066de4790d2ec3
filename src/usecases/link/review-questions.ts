import type { Client, estypes } from '@elastic/elasticsearch';
import { getListingsById } from '../../engine/documents.js';
import { ensureIndex, KEYWORD } from '../../engine/indices.js';
import type { Question } from '../../matching/grouping/review-questions.js';
import { chunksOf } from '../../platform/chunks.js';
import { foldValue } from '../../text/fold.js';
import { pairId } from '../../matcher/decisions.js';
import type { Plan } from './regroup.js';
import { sendUpdates } from './records.js';
import type { LinkRun } from './run.js';
import { storedIndex } from '../../platform/stored.js';

/** A pair of listings that people should judge, as its index stores it. */
export interface StoredQuestion extends Question {
  pair_id: string;
  sources: string[];
  categories: string[];
  run: number;
  /** The developers whose reviewers decided the pair or skipped it. */
  decided_by: string[];
  skipped_by: string[];
}

const MAX_QUESTIONS = 20_000;
const PAGE = 1_000;
/** With more affected listings than this, a run over a part of the catalogue removes no answered questions. */
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

export async function ensureQuestions(es: Client, indexPrefix: string): Promise<void> {
  const index = storedIndex(indexPrefix, 'review');
  if (!(await es.indices.exists({ index }))) await ensureIndex(es, indexPrefix, 'review', FIELDS);
}

/** Stores the questions of a linking run, and removes earlier ones about the affected listings that nobody answered. */
export async function storeQuestions(
  { es, alias, run, retry }: LinkRun,
  indexPrefix: string,
  { questions, affected }: Pick<Plan, 'questions' | 'affected'>,
): Promise<void> {
  const index = storedIndex(indexPrefix, 'review');
  await ensureQuestions(es, indexPrefix);
  for (const some of chunksOf(questions.slice(0, MAX_QUESTIONS), PAGE)) {
    const ids = some.flatMap(({ a, b }) => [a, b]);
    const fields = ['id', 'source', 'sku', 'category'];
    const listings = await retry(() => getListingsById(es, alias, ids, fields));
    const updates = some.flatMap((question) => {
      const [a, b] = [listings.get(question.a), listings.get(question.b)];
      if (a === undefined || b === undefined) return [];
      const pair_id = pairId({ a_source: a.source, a_sku: a.sku, b_source: b.source, b_sku: b.sku });
      const categories = [a.category, b.category].filter((one) => one !== null).map(foldValue);
      const sets = { sources: [...new Set([a.source, b.source])], categories: [...new Set(categories)] };
      const doc = { ...question, pair_id, ...sets, run: run.id };
      const upsert: StoredQuestion = { ...doc, decided_by: [], skipped_by: [] };
      return [{ id: doc.pair_id, body: { doc, upsert } }];
    });
    if (updates.length > 0) await sendUpdates({ es, index, what: 'a question' }, updates, { retry });
  }
  const isPart = run.scope.kind !== 'all' && run.first !== true;
  if (isPart && affected.size > MAX_TERMS) return;
  const ids = [...affected];
  const within: estypes.QueryDslQueryContainer[] = isPart
    ? [{ terms: { a: ids } }, { terms: { b: ids } }]
    : [];
  const filter = [{ range: { run: { lt: run.id } } }, ...within];
  const query = { bool: { filter, must_not: [{ exists: { field: 'decided_by' } }] } };
  await retry(async () => {
    await es.indices.refresh({ index });
    return es.deleteByQuery({ index, query, conflicts: 'proceed', refresh: true });
  });
}
