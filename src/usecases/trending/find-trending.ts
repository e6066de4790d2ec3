import { errors, type Client } from '@elastic/elasticsearch';
import type { StoredTrends } from '../../schemas/trends.js';

/** The index of what moves. */
export const trendsIndex = (indexPrefix: string): string => `${indexPrefix}-trends`;

/** Its one document. */
export const TRENDS_ID = 'week';

/** What was counted so long ago says nothing of what moves: nobody counts any more. */
const OUTDATED_MS = 2 * 86_400_000;

/** What moves; null: nobody has counted, or not lately, or this user may not know. */
export async function readTrends(es: Client, index: string, now: Date): Promise<StoredTrends | null> {
  try {
    const { _source: trends } = await es.get<StoredTrends>({ index, id: TRENDS_ID });
    if (trends === undefined) return null;
    return now.getTime() - Date.parse(trends.measured_at) > OUTDATED_MS ? null : trends;
  } catch (error) {
    const status = error instanceof errors.ResponseError ? error.statusCode : undefined;
    if (status === 404 || status === 403) return null;
    throw error;
  }
}
