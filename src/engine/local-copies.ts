import type { TransportRequestParams } from '@elastic/elasticsearch';

/** The APIs that read documents by id. */
export const READS_BY_ID: ReadonlySet<string | undefined> = new Set(['get', 'mget']);

/** The APIs whose requests read one copy of each shard, which the parameter `preference` chooses. */
const READS_OF_COPIES: ReadonlySet<string | undefined> = new Set([
  ...READS_BY_ID,
  'search',
  'count',
  'open_point_in_time',
]);

/** The node that receives the request reads its own copy of each shard of which it has one. */
const LOCAL = { preference: '_local' };

/**
 * Changes a read so that the node that receives it reads its own copies of the shards, and forwards the read
 * only for shards of which it has no copy. A node that has a copy then answers even if the node with the
 * other copy hangs. Returns every other request unchanged, also a read that states a preference itself and a
 * search of a point in time, whose copies are already chosen.
 */
export function fromLocalCopies(request: TransportRequestParams): TransportRequestParams {
  const { querystring = {}, body, bulkBody, meta } = request;
  if (meta?.name === 'msearch' && Array.isArray(bulkBody))
    return { ...request, bulkBody: withLocalHeaders(bulkBody as object[]) };
  const readsPointInTime = typeof body === 'object' && 'pit' in body;
  if (!READS_OF_COPIES.has(meta?.name) || readsPointInTime || typeof querystring === 'string') return request;
  return { ...request, querystring: { ...LOCAL, ...querystring } };
}

/** The lines of a multi-search request are alternately a header, which can state the preference, and a search. */
const withLocalHeaders = (lines: object[]) =>
  lines.map((line, i) => (i % 2 === 0 ? { ...LOCAL, ...line } : line));
