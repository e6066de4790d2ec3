import { readFileSync } from 'node:fs';
import { Client } from '@elastic/elasticsearch';
import type { Config } from '../config.js';
import { BreakingTransport, RetryingTransport } from './transport.js';

interface Deadlines {
  /** ms for each attempt. */
  requestTimeout: number;
  /** How many more attempts follow one that failed. */
  maxRetries: number;
}

/** Whatever else a request waits for, it is over within three seconds. */
const READS: Deadlines = { requestTimeout: 2_000, maxRetries: 1 };
/** A node that is asked may pass the question on to one that was killed or is silent, so that once more is not enough. */
const CLUSTER_READS: Deadlines = { requestTimeout: 1_400, maxRetries: 4 };

/**
 * The Elasticsearch client of the API: short deadlines, few retries, and at once an error while the engine is away.
 * Scripts that write in bulk pass longer ones: `{ requestTimeout: 60_000, maxRetries: 4 }`; these wait for the engine.
 */
export function createElasticsearch(config: Config['elasticsearch'], deadlines?: Deadlines): Client {
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(config.caFile === null ? {} : { tls: { ca: readFileSync(config.caFile) } }),
    ...(deadlines ?? (config.nodes.length > 1 ? CLUSTER_READS : READS)),
    Transport: deadlines === undefined ? BreakingTransport : RetryingTransport,
  });
}
