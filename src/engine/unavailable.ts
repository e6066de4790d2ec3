/**
 * Elasticsearch cannot do now what was asked: an index or a shard is missing, or it refused for longer than the caller
 * was to wait. What its client throws by itself is passed on as it is.
 */
export class EngineUnavailableError extends Error {
  override name = 'EngineUnavailableError';
}

/** It refused writes for so long because a disk is full. */
export class DiskFullError extends EngineUnavailableError {
  override name = 'DiskFullError';
}
