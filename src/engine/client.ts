import { Client } from '@elastic/elasticsearch';
import type { Config } from '../platform/config/config.js';
import { CertificateAuthorities, type LogMessage } from './certificate-authorities.js';
import { punctualConnections } from './connection.js';
import { BreakingTransport, RetryingTransport } from './transport.js';

/** `requestTimeout` is the maximum time in milliseconds of one attempt of a request to Elasticsearch. */
type Deadlines = NonNullable<Config['elasticsearch']['deadlines']>;

/**
 * The deadlines for a single node. An attempt outlasts a garbage collection of 2 s, and a request ends within 3 s, because an
 * attempt that timed out is not repeated on the same node.
 */
const READS: Deadlines = { requestTimeout: 2_400, maxRetries: 1 };
/** The deadlines for several nodes. One retry may not be enough, because a node may forward a search to one that hangs. */
const CLUSTER_READS: Deadlines = { requestTimeout: 1_400, maxRetries: 4 };
/** The deadlines of requests for metrics. They are short, because Prometheus waits for the answer. */
export const METRIC_READS: Deadlines = { requestTimeout: 3_000, maxRetries: 0 };

/**
 * Creates an Elasticsearch client with short deadlines and a circuit breaker, as the API needs it.
 * @param deadlines longer deadlines, for commands that write in bulk, which get no circuit breaker.
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
 * @param log receives messages about the file and about rejected certificates.
 * @throws ConfigError if the CA file cannot be read.
 */
export const certificateAuthorities = (
  { caFile }: Pick<Config['elasticsearch'], 'caFile'>,
  log?: LogMessage,
): CertificateAuthorities | null => (caFile === null ? null : new CertificateAuthorities(caFile, log));
