import {
  type ConnectionOptions,
  type ConnectionRequestOptions,
  type ConnectionRequestParams,
  errors,
  UndiciConnection,
} from '@elastic/elasticsearch';
import { type buildConnector, Pool } from 'undici';

/** The timers that undici uses for timeouts above one second may fire this much too early. */
const UNDICI_TIMER_ERROR_MS = 500;

/** A node that takes longer to accept a connection, with its TLS handshake, is as good as gone. undici's default is 10 s. */
export const CONNECTS_WITHIN_MS = 5_000;

/**
 * A class of connections, as the client wants it. They end a request at its deadline and not before. The client would hand
 * the deadline to undici, whose timers are only accurate to half a second: a deadline of 2.4 seconds would end some requests
 * after 2 seconds. Without a timeout of its own, the connection sets one of Node's timers for each request instead.
 * @param connect opens the sockets; undici's own way where it is not given.
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
            // A new connection shows the certificate that the node has now, and whether it is trusted.
            clientTtl: 600_000,
            connect: connect ?? { timeout: CONNECTS_WITHIN_MS },
            headersTimeout: 0,
            // The timer of a request stops when the headers of the answer arrive. This one bounds the pauses within the body.
            bodyTimeout: typeof timeout === 'number' ? timeout + UNDICI_TIMER_ERROR_MS : 0,
          }),
      });
    }

    // The base class declares this method with overloads; all of them take the same two arguments.
    override request(params: ConnectionRequestParams, options: ConnectionRequestOptions): Promise<never> {
      // The base class fires `abort` at the signal when a request has timed out. The caller may use its signal for others.
      const signal = AbortSignal.any(options.signal ? [options.signal] : []);
      // undici ends a request that waits for a connection only once the connection is there or has failed, which takes
      // seconds where a node accepts connections and says nothing.
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
