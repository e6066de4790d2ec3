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

/**
 * The maximum time in milliseconds to open a connection to Elasticsearch, including the TLS handshake.
 * undici's default is 10 s.
 */
export const CONNECTS_WITHIN_MS = 5_000;

/**
 * Creates the connection class of the client: its connections end a request exactly at its deadline. The client would pass
 * the deadline to undici, whose timers are accurate only to half a second, so that a deadline of 2.4 s would end some
 * requests after 2 s. A connection without a timeout of its own sets a Node.js timer for each request instead.
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
            // Connections are renewed regularly, so that a certificate that was replaced or is no longer trusted is noticed.
            clientTtl: 600_000,
            connect: connect ?? { timeout: CONNECTS_WITHIN_MS },
            headersTimeout: 0,
            // The timer of a request stops when the headers of the answer arrive. This timeout bounds pauses within the body.
            bodyTimeout: typeof timeout === 'number' ? timeout + UNDICI_TIMER_ERROR_MS : 0,
          }),
      });
    }

    // The base class declares this method with overloads; all of them take the same two arguments.
    override request(params: ConnectionRequestParams, options: ConnectionRequestOptions): Promise<never> {
      // After a timeout, the client dispatches `abort` on the signal. It gets a signal of its own, because
      // the caller may use its signal for other requests.
      const signal = AbortSignal.any(options.signal ? [options.signal] : []);
      // undici aborts a request that waits for a connection only after the connection is open or has failed, which takes
      // seconds if a node accepts connections and then hangs.
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
