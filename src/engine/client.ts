import { Client } from '@elastic/elasticsearch';
import type { Config } from '../platform/config/config.js';
import { CertificateAuthorities, type LogMessage } from './certificate-authorities.js';
import { punctualConnections } from './connection.js';
import { BreakingTransport, RetryingTransport } from './transport.js';

interface Deadlines {
  /** The maximum time in milliseconds of one attempt of a request to Elasticsearch. */
  requestTimeout: number;
  /** The maximum number of times that a failed request to Elasticsearch is sent again. */
  maxRetries: number;
}

/**
 * The deadlines of reads from a single node. One attempt outlasts a garbage collection of two seconds, and
 * all attempts together end within three seconds.
 */
const READS: Deadlines = { requestTimeout: 2_400, maxRetries: 1 };
/**
 * The deadlines of reads from a cluster. A node may forward a search to another node that was killed or
 * hangs, so a single retry may not be enough.
 */
const CLUSTER_READS: Deadlines = { requestTimeout: 1_400, maxRetries: 4 };

/**
 * Creates an Elasticsearch client. By default it is the client of the API, with short deadlines, few retries and a circuit
 * breaker. Commands that write in bulk pass longer deadlines, such as `{ requestTimeout: 60_000, maxRetries: 4 }`, and get no
 * circuit breaker.
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
    ...(deadlines ?? (config.nodes.length > 1 ? CLUSTER_READS : READS)),
    Connection: punctualConnections(authorities?.connect),
    Transport: deadlines === undefined ? BreakingTransport : RetryingTransport,
  });
}

/**
 * Creates the certificate authorities that the configuration names, for connections to Elasticsearch; null
 * if the ones that Node.js trusts are used.
 * @param log receives a message when the CA file has changed and when a certificate is rejected.
 * @throws ConfigError if the CA file cannot be read.
 */
export const certificateAuthorities = (
  { caFile }: Pick<Config['elasticsearch'], 'caFile'>,
  log?: LogMessage,
): CertificateAuthorities | null => (caFile === null ? null : new CertificateAuthorities(caFile, log));
