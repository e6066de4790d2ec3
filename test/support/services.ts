function given(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  throw new Error(
    `${variable} is not set: run tests with npm test, one file with npm test -- test/FILE.test.ts`,
  );
}

/** The engines that `npm test` found or started. */
export const elasticsearchUrl = given('ELASTICSEARCH_URL');
export const redisUrl = given('REDIS_URL');

/**
 * First part of every index and Redis key. Of each process that runs test files beside others it is its own; those of
 * one process run one after the other.
 */
const { MOCHA_WORKER_ID: worker } = process.env;
export const indexPrefix = given('INDEX_PREFIX') + (worker === undefined ? '' : `-w${worker}`);
