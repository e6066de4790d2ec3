function given(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  throw new Error(
    `${variable} is not set: run tests with npm test, one file with npm test -- test/FILE.test.ts`,
  );
}

/** The Elasticsearch and Redis that `npm test` found or started. */
export const elasticsearchUrl = given('ELASTICSEARCH_URL');
export const redisUrl = given('REDIS_URL');

/**
 * The first part of the names of all indices and Redis keys. Each process that runs test files at the same
 * time as others has its own; the files of one process run one after another.
 */
const { MOCHA_WORKER_ID: worker } = process.env;
export const indexPrefix = given('INDEX_PREFIX') + (worker === undefined ? '' : `-w${worker}`);
