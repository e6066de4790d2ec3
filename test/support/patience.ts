import { type Config, readConfig } from '../../src/platform/config/config.js';

/** The deadline of Redis is long, because the Redis of the tests writes every change to a disk that other tests use as well. */
export const PATIENT_REDIS = { REDIS_DEADLINE_MS: '5000' };

/**
 * Reads the configuration of a service that waits for Elasticsearch and Redis for as long as a busy machine may need. A test that
 * is not about deadlines uses it, because its answers must not depend on the speed of the machine.
 */
export function patientConfig(env: NodeJS.ProcessEnv): Config {
  const config = readConfig({ ...PATIENT_REDIS, ...env });
  config.elasticsearch.deadlines = { requestTimeout: 20_000, maxRetries: 1 };
  return config;
}
