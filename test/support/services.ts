/** The engine that `npm test` found or started. Index names begin with `indexPrefix`, Redis keys with `indexPrefix:`. */
function given(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  throw new Error(
    `${variable} is not set: run tests with npm test, one file with npm test -- test/FILE.test.ts`,
  );
}

export const elasticsearchUrl = given('ELASTICSEARCH_URL');
export const redisUrl = given('REDIS_URL');
export const indexPrefix = given('INDEX_PREFIX');
