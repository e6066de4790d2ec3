import { listingKey } from '../../src/listing/identify.js';
import { readCsv, refuse } from './csv-file.js';
import { CommandError } from './exit.js';

/** The ratings of listings for one query, by listing key. */
export type Ratings = Map<string, number>;

const MAX_RATING = 5;

/**
 * Reads the ratings of each query with relevant listings from `query,source,sku,rating`. If the lowest rating of the file is 1,
 * each rating is reduced by 1, so that the scale begins at 0. @throws CommandError if a rating is invalid, or if no listing is relevant.
 */
export async function readRatings(file: string): Promise<Map<string, Ratings>> {
  const rows = await readCsv(file, ['query', 'source', 'sku', 'rating']);
  const wrong = rows.filter(({ rating }) => !/^\d(\.\d+)?$/.test(rating) || Number(rating) > MAX_RATING);
  refuse(
    file,
    wrong.map(({ query, sku, rating }) => `"${rating}" for ${sku} and the query "${query}"`),
    `a rating is a number from 0 to ${MAX_RATING}`,
  );
  const worthless = Math.min(...rows.map(({ rating }) => Number(rating))) === 1 ? 1 : 0;
  const queries = new Map<string, Ratings>();
  for (const { query, source, sku, rating } of rows) {
    queries.set(
      query,
      (queries.get(query) ?? new Map<string, number>()).set(
        listingKey({ source, sku }),
        Number(rating) - worthless,
      ),
    );
  }
  const relevant = [...queries].filter(([, ratings]) => [...ratings.values()].some((rating) => rating > 0));
  if (relevant.length === 0) throw new CommandError(`${file} has no query with a rating above 0`);
  return new Map(relevant);
}
