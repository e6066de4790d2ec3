/**
 * Elasticsearch cannot do now what was asked: an index or a shard is missing, or it refused for longer than the caller
 * was to wait. What its client throws by itself is passed on as it is.
 */
export class EngineUnavailableError extends Error {
  override name = 'EngineUnavailableError';
}
