import { Client } from '@elastic/elasticsearch';
import type { Config } from '../platform/config/config.js';
import { Authorities, type Say } from './authorities.js';
import { punctualConnections } from './connection.js';
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
 * @param authorities those of the CA file, where several clients share what is known of them.
 * @throws ConfigError where the CA file cannot be read.
 */
export function createElasticsearch(
  config: Config['elasticsearch'],
  deadlines?: Deadlines,
  authorities: Authorities | null = authoritiesOf(config),
): Client {
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(deadlines ?? (config.nodes.length > 1 ? CLUSTER_READS : READS)),
    Connection: punctualConnections(authorities?.connect),
    Transport: deadlines === undefined ? BreakingTransport : RetryingTransport,
  });
}

/**
 * The authorities of the configuration; null: those that Node.js knows.
 * @param say is told when the CA file has changed, and when a certificate is refused.
 * @throws ConfigError where the CA file cannot be read.
 */
export const authoritiesOf = (
  { caFile }: Pick<Config['elasticsearch'], 'caFile'>,
  say?: Say,
): Authorities | null => (caFile === null ? null : new Authorities(caFile, say));
