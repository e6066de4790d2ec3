/** Parameters that are fine one by one, but not together. The message is for whoever sent them. */
export class QueryError extends Error {
  override name = 'QueryError';
}
