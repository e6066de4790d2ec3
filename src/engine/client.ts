import { Client } from '@elastic/elasticsearch';
import type { Config } from '../platform/config/config.js';
import { CertificateAuthorities, type LogMessage } from './certificate-authorities.js';
import { punctualConnections } from './connection.js';
import { BreakingTransport, RetryingTransport } from './transport.js';

/** `requestTimeout` is the maximum time in milliseconds of one attempt of a request to Elasticsearch. */
type Deadlines = NonNullable<Config['elasticsearch']['deadlines']>;

/** The deadlines for one node: an attempt is longer than a garbage collection of 2 s, and is not repeated after a timeout. */
const READS: Deadlines = { requestTimeout: 2_400, maxRetries: 1 };
/** The deadlines for several nodes. One retry may not be enough, because a node may forward a search to one that hangs. */
const CLUSTER_READS: Deadlines = { requestTimeout: 1_400, maxRetries: 4 };
/** The deadlines of requests for metrics. They are short, because Prometheus waits for the answer. */
export const METRIC_READS: Deadlines = { requestTimeout: 3_000, maxRetries: 0 };

/**
 * Creates a client with short deadlines and a circuit breaker for the API. @throws ConfigError if the CA file cannot be read.
 * @param deadlines longer ones, for commands that write in bulk, which get no circuit breaker.
 * @param authorities the certificate authorities, if several clients share their state.
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
 * Reads the certificate authorities of the configuration; null: those of Node.js. @throws ConfigError if the file cannot be read.
 * @param log receives messages about the file and about rejected certificates.
 */
export const certificateAuthorities = (
  { caFile }: Pick<Config['elasticsearch'], 'caFile'>,
  log?: LogMessage,
): CertificateAuthorities | null => (caFile === null ? null : new CertificateAuthorities(caFile, log));
