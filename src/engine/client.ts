import { Client } from '@elastic/elasticsearch';
import type { Config } from '../platform/config/config.js';
import { CertificateAuthorities, type LogMessage } from './certificate-authorities.js';
import { punctualConnections } from './connection.js';
import { BreakingTransport, RetryingTransport } from './transport.js';

/** `requestTimeout` is the maximum time in milliseconds of one attempt of a request to Elasticsearch. */
type Deadlines = NonNullable<Config['elasticsearch']['deadlines']>;

/**
 * The deadlines of requests to a single node of Elasticsearch. An attempt outlasts a garbage collection of 2
 * s, and a request ends within 3 s, because an attempt that timed out is not repeated on the same node.
 */
const READS: Deadlines = { requestTimeout: 2_400, maxRetries: 1 };
/**
 * The deadlines of requests to a cluster of several nodes. One retry may not be enough, because the second
 * node may forward a search to the same node that hangs.
 */
const CLUSTER_READS: Deadlines = { requestTimeout: 1_400, maxRetries: 4 };
/** The deadlines of requests for metrics. They are short, because Prometheus waits for the answer. */
export const METRIC_READS: Deadlines = { requestTimeout: 3_000, maxRetries: 0 };

/**
 * Creates an Elasticsearch client with short deadlines and a circuit breaker, as the API needs it. Commands
 * that write in bulk pass longer deadlines, and get no circuit breaker.
 * @param authorities the certificate authorities, if several clients share their state.
 * @throws ConfigError if the CA file cannot be read.
 */
export function createElasticsearch(
  config: Config['elasticsearch'],
  deadlines?: Deadlines,
  authorities: CertificateAuthorities | null = certificateAuthorities(config),
): Client {
  return new Client({
    nodes: config.nodes,
    ...(config.auth === null ? {} : { auth: config.auth }),
    ...(deadlines ?? config.deadlines ?? (config.nodes.length > 1 ? CLUSTER_READS : READS)),
    Connection: punctualConnections(authorities?.connect),
    Transport: deadlines === undefined ? BreakingTransport : RetryingTransport,
  });
}

/**
 * Reads the certificate authorities that the configuration names; null if those of Node.js are used.
 * @param log receives a message when the CA file has changed and when a certificate is rejected.
 * @throws ConfigError if the CA file cannot be read.
 */
export const certificateAuthorities = (
  { caFile }: Pick<Config['elasticsearch'], 'caFile'>,
  log?: LogMessage,
): CertificateAuthorities | null => (caFile === null ? null : new CertificateAuthorities(caFile, log));
