import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FirstPage } from '../../src/engine/index-samples.js';
import { listingKey } from '../../src/listing/identify.js';
import { mean, ndcg } from '../../src/text/statistics.js';
import { CommandError, StoppedError } from './exit.js';
import { type Ratings, readRatings } from './ratings.js';
import { fromCaller } from './terminal.js';

interface Judgements {
  file: string;
  queries: ReadonlyMap<string, Ratings>;
}

/** Computes the mean NDCG@10 of the judged searches in an index. Unrated listings count as 0. */
async function measure(firstPage: FirstPage, index: string, { queries }: Judgements): Promise<number> {
  const figures: number[] = [];
  for (const [query, ratings] of queries) {
    const found = (await firstPage(index, query)).map((hit) => ratings.get(listingKey(hit)) ?? 0);
    figures.push(ndcg(found, [...ratings.values()]));
  }
  return mean(figures);
}

/** Compares NDCG@10 in two indices. Throws a StoppedError if the new index loses more than allowed. */
export async function compareJudged(
  firstPage: FirstPage,
  { maxLoss, ...judgements }: Judgements & { maxLoss: number },
  from: string,
  to: string,
): Promise<string> {
  const { file, queries } = judgements;
  const before = await measure(firstPage, from, judgements);
  const after = await measure(firstPage, to, judgements);
  if (before === 0 && after === 0) {
    throw new CommandError(
      `No search of ${file} finds a rated listing. The file may belong to another catalogue.`,
    );
  }
  const figures = `NDCG@10 of the ${queries.size} searches in ${file} was ${before.toFixed(3)} and is ${after.toFixed(3)}`;
  if (before - after <= maxLoss) return figures;
  throw new StoppedError(
    `${figures}: a loss of more than --max-loss ${maxLoss}. The alias stays where it is.`,
  );
}

export interface Floor extends Judgements {
  least: number;
}

/** Reads the minimum NDCG@10 of files of judgements, whose paths are relative to this file. */
export async function readFloors(file: string): Promise<Floor[]> {
  const text = await readFile(fromCaller(file), 'utf8').catch(() => {
    throw new CommandError(`cannot read ${file}`);
  });
  const floors = Object.entries(parsedOrNull(text) ?? {});
  const isShare = (least: unknown) => typeof least === 'number' && least >= 0 && least <= 1;
  if (floors.length === 0 || !floors.every(([, least]) => isShare(least))) {
    throw new CommandError(`${file} must have the form {"judgements.csv": 0.8}, with NDCG@10 from 0 to 1`);
  }
  return Promise.all(
    floors.map(async ([name, least]) => {
      const beside = path.resolve(path.dirname(fromCaller(file)), name);
      return { file: beside, queries: await readRatings(beside), least: Number(least) };
    }),
  );
}

function parsedOrNull(json: string): object | null {
  try {
    return JSON.parse(json) as object | null;
  } catch {
    return null;
  }
}

export async function checkFloors(
  firstPage: FirstPage,
  floors: readonly Floor[],
  index: string,
): Promise<string[]> {
  const lines: string[] = [];
  const below: string[] = [];
  for (const floor of floors) {
    const reached = await measure(firstPage, index, floor);
    const line = `NDCG@10 of the ${floor.queries.size} searches in ${floor.file} is ${reached.toFixed(3)}`;
    if (reached < floor.least) below.push(`${line}: below the floor of ${floor.least}.`);
    else lines.push(`${line}, at or above the floor of ${floor.least}`);
  }
  if (below.length > 0) throw new StoppedError(`${below.join('\n')} The alias stays where it is.`);
  return lines;
}
