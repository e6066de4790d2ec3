import type { Client } from '@elastic/elasticsearch';
import { keyOf } from '../evaluate/judgements.js';
import { gain, readRatings } from '../evaluate/search.js';
import { mean } from '../evaluate/statistics.js';
import { CommandError, StoppedError } from '../shared/exit.js';
import { topTen } from './searches.js';

/** What people think of the answers to some searches, and how much of it a new index may lose. */
export interface Judgements {
  file: string;
  /** Of NDCG@10, 0 to 1. */
  maxLoss: number;
  /** Ratings of listings, by search. */
  queries: Awaited<ReturnType<typeof readRatings>>;
}

/** @throws CommandError when the file cannot be read, or judges nothing to be relevant. */
export async function readJudgements(file: string, maxLoss: number): Promise<Judgements> {
  const queries = await readRatings(file);
  if (queries.size === 0) throw new CommandError(`${file} has no search with a listing rated above 0.`);
  return { file, maxLoss, queries };
}

/** NDCG@10 of the searches in this index, 0 to 1; listings without a rating count 0. */
export async function measure(es: Client, index: string, { queries }: Judgements): Promise<number> {
  const figures: number[] = [];
  for (const [query, ratings] of queries) {
    const found = (await topTen(es, index, query)).map((hit) => ratings.get(keyOf(hit)) ?? 0);
    const ideal = [...ratings.values()].sort((a, b) => b - a);
    figures.push(gain(found) / gain(ideal));
  }
  return mean(figures);
}

/**
 * Asks both indices what was judged.
 * @returns a line for people.
 * @throws StoppedError when the new index loses more than it may; CommandError when nothing that was judged is there.
 */
export async function compareJudged(
  es: Client,
  judgements: Judgements,
  from: string,
  to: string,
): Promise<string> {
  const { file, maxLoss, queries } = judgements;
  const before = await measure(es, from, judgements);
  const after = await measure(es, to, judgements);
  if (before === 0 && after === 0) {
    throw new CommandError(
      `No search of ${file} finds a listing that is rated there; is it of this catalogue?`,
    );
  }
  const figures = `NDCG@10 of the ${queries.size} searches in ${file} was ${before.toFixed(3)} and is ${after.toFixed(3)}`;
  if (before - after <= maxLoss) return figures;
  throw new StoppedError(
    `${figures}: a loss of more than --max-loss ${maxLoss}. The alias stays where it is.`,
  );
}
