import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { keyOf } from '../evaluate/judgements.js';
import { gain, readRatings } from '../evaluate/search.js';
import { mean } from '../evaluate/statistics.js';
import { CommandError, StoppedError } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';
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

/** What the searches of a file of judgements must reach in a new index, whatever they reach in the old one. */
export interface Floor {
  judgements: Judgements;
  /** NDCG@10, 0 to 1. */
  least: number;
}

/**
 * @param file JSON `{"judgements.csv": 0.8, …}`; the files are looked for beside it.
 * @throws CommandError when it is no such file, or the judgements cannot be read.
 */
export async function readFloors(file: string): Promise<Floor[]> {
  const text = await readFile(fromCaller(file), 'utf8').catch(() => {
    throw new CommandError(`cannot read ${file}`);
  });
  const floors = Object.entries(parseFloors(text) ?? {});
  if (floors.length === 0 || !floors.every(([, least]) => isShare(least))) {
    throw new CommandError(`${file} is no floor; write {"judgements.csv": 0.8} with NDCG@10 from 0 to 1`);
  }
  return Promise.all(
    floors.map(async ([name, least]) => {
      const beside = path.resolve(path.dirname(fromCaller(file)), name);
      return { judgements: await readJudgements(beside, 1), least: Number(least) };
    }),
  );
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;

function parseFloors(text: string): object | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    return null;
  }
}

/**
 * @returns a line for people about each floor.
 * @throws StoppedError when the index is below one of them.
 */
export async function checkFloors(es: Client, floors: readonly Floor[], index: string): Promise<string[]> {
  const lines: string[] = [];
  const below: string[] = [];
  for (const { judgements, least } of floors) {
    const reached = await measure(es, index, judgements);
    const line = `NDCG@10 of the ${judgements.queries.size} searches in ${judgements.file} is ${reached.toFixed(3)}`;
    if (reached < least) below.push(`${line}: below the floor of ${least}.`);
    else lines.push(`${line}, at or above the floor of ${least}`);
  }
  if (below.length > 0) throw new StoppedError(`${below.join('\n')} The alias stays where it is.`);
  return lines;
}
