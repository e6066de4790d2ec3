import { readFileSync } from 'node:fs';
import { Client } from '@elastic/elasticsearch';
import type { Config } from '../config.js';
import { ConfigError } from '../config/error.js';
import { PunctualConnection } from './connection.js';
import { BreakingTransport, RetryingTransport } from './transport.js';

interface Deadlines {
  /** ms for each attempt. */
  requestTimeout: number;
  /** How many more attempts follow one that failed. */
  maxRetries: number;
}

/** Longer than a pause of two seconds; and whatever else a request waits for, it is over within three. */
const READS: Deadlines = { requestTimeout: 2_400, maxRetries: 1 };
/** A node that is asked may pass the question on to one that was killed or is silent, so that once more is not enough. */
const CLUSTER_READS: Deadlines = { requestTimeout: 1_400, maxRetries: 4 };

/**
 * The Elasticsearch client of the API: short deadlines, few retries, and at once an error while the engine is away.
 * Scripts that write in bulk pass longer ones: `{ requestTimeout: 60_000, maxRetries: 4 }`; these wait for the engine.
 * @throws ConfigError where the CA file cannot be read.
 */
export function createElasticsearch(config: Config['elasticsearch'], deadlines?: Deadlines): Client {
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(config.caFile === null ? {} : { tls: { ca: certificateOf(config.caFile) } }),
    ...(deadlines ?? (config.nodes.length > 1 ? CLUSTER_READS : READS)),
    Connection: PunctualConnection,
    Transport: deadlines === undefined ? BreakingTransport : RetryingTransport,
  });
}

/** @throws ConfigError where the file cannot be read. */
function certificateOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`ELASTICSEARCH_CA_FILE names ${file}, which cannot be read (${code})`);
  }
}
