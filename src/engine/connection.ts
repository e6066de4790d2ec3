import {
  type ConnectionOptions,
  type ConnectionRequestOptions,
  type ConnectionRequestParams,
  errors,
  UndiciConnection,
} from '@elastic/elasticsearch';
import { type buildConnector, Pool } from 'undici';

/** The number of milliseconds by which undici's timers for timeouts above one second may fire too early. */
const UNDICI_TIMER_ERROR_MS = 500;

/** The time limit for opening a connection to Elasticsearch, including the TLS handshake. */
export const CONNECTS_WITHIN_MS = 5_000;

/**
 * Creates a connection class that ends a request exactly at its deadline, with a Node.js timer for each
 * request. The timers of undici, which the client would use, are accurate only to half a second.
 * @param connect opens the sockets; undici's own connector by default.
 */
export const punctualConnections = (connect?: buildConnector.connector) =>
  class PunctualConnection extends UndiciConnection {
    constructor({ timeout, ...options }: ConnectionOptions) {
      super({
        ...options,
        agent: () =>
          new Pool(options.url.origin, {
            connections: 256,
            keepAliveTimeout: 600_000,
            keepAliveMaxTimeout: 600_000,
            // Connections are closed after this time and opened again, so that a certificate that is no
            // longer trusted is noticed.
            clientTtl: 600_000,
            connect: connect ?? { timeout: CONNECTS_WITHIN_MS },
            headersTimeout: 0,
            // A request has its own timer, which ends when the headers of the answer arrive. This timeout
            // bounds pauses within the body.
            bodyTimeout: typeof timeout === 'number' ? timeout + UNDICI_TIMER_ERROR_MS : 0,
          }),
      });
    }

    // The base class declares overloads, which all take the same two arguments, so one signature suffices.
    override request(params: ConnectionRequestParams, options: ConnectionRequestOptions): Promise<never> {
      // The Elasticsearch client aborts the signal of a request after a timeout, so each request gets a
      // signal of its own instead of the caller's.
      const signal = AbortSignal.any(options.signal ? [options.signal] : []);
      // If a request waits for a connection, undici aborts it only after the connection is open or has
      // failed, so the request is ended here.
      const ended = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(
            signal.aborted
              ? new errors.RequestAbortedError('Request aborted')
              : new errors.TimeoutError('Request timed out'),
          );
        });
      });
      return Promise.race([super.request(params, { ...options, signal }) as Promise<never>, ended]);
    }
  };
