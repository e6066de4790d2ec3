import { Backoff } from '../../engine/backoff.js';
import { productsAlias } from '../../engine/indices.js';
import { learn, splitOf, type ModelComparison } from '../../matching/learning/learn.js';
import { MODEL } from '../../matching/model.js';
import { decisionsFor } from '../../matcher/decisions.js';
import { matchingModels, modelOf } from '../../published/matching-models.js';
import type { Progress } from '../../platform/progress.js';
import { type LearningCatalogue, type LearningCounts, readTrainingPairs } from './training-data.js';

export interface LearnContext extends Omit<LearningCatalogue, 'alias' | 'backoff'> {
  indexPrefix: string;
  now: () => Date;
  onProgress: (progress: Progress) => void;
  report: (line: string) => void;
}

export interface LearnReport {
  counts: LearningCounts;
  /** The pair F1 of both models; null if there are too few pairs. */
  figures: ModelComparison | null;
  outcome: 'activated' | 'would be activated' | 'not better' | 'too few pairs';
  version: number | null;
}

const MIN_PAIRS = { fit: 100, test: 30 };
const READING = 0.7;

/**
 * Learns a matching model, starting from the shipped one. It is stored and activated only if it is better than the active model,
 * beyond the 95 % interval, on products that neither was fitted on.
 * @throws OperationError if Elasticsearch does not answer for ten minutes.
 */
export async function learnToMatch(
  context: LearnContext,
  { dryRun }: { dryRun: boolean },
): Promise<LearnReport> {
  const { es, indexPrefix, signal, now, onProgress, report } = context;
  const alias = productsAlias(indexPrefix);
  const backoff = new Backoff({ onWait: report, signal });
  await backoff.retry(() => es.indices.refresh({ index: alias }));
  const { decisions } = await decisionsFor({ es, alias, indexPrefix, backoff });
  const models = matchingModels(es, indexPrefix);
  const active = modelOf(await models.active());
  const catalogue = { ...context, alias, backoff };
  const { pairs, counts } = await readTrainingPairs(catalogue, decisions, active, (share, note) =>
    onProgress({ share: READING * share, note }),
  );
  const number = (part: 'fit' | 'test', label: 0 | 1) =>
    pairs.filter((pair) => pair.label === label && splitOf(pair.product) === part).length;
  const isEnough = (['fit', 'test'] as const).every(
    (part) => Math.min(number(part, 0), number(part, 1)) >= MIN_PAIRS[part],
  );
  if (!isEnough) return { counts, figures: null, outcome: 'too few pairs', version: null };
  onProgress({ share: READING, note: `fitting on ${pairs.length} pairs` });
  const { model, figures, isBetter } = learn(pairs, MODEL);
  if (!isBetter) return { counts, figures, outcome: 'not better', version: null };
  if (dryRun) return { counts, figures, outcome: 'would be activated', version: null };
  const { version } = await models.store(model, { counts, figures: { ...figures }, now: now() });
  return { counts, figures, outcome: 'activated', version };
}
