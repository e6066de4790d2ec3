import {
  type ConnectionOptions,
  type ConnectionRequestOptions,
  type ConnectionRequestParams,
  UndiciConnection,
} from '@elastic/elasticsearch';
import { type buildConnector, Pool } from 'undici';

/** The timers that undici uses for timeouts above one second may fire this much too early. */
const UNDICI_TIMER_ERROR_MS = 500;

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
            ...(connect && { connect }),
            headersTimeout: 0,
            // The timer of a request stops when the headers of the answer arrive. This one bounds the pauses within the body.
            bodyTimeout: typeof timeout === 'number' ? timeout + UNDICI_TIMER_ERROR_MS : 0,
          }),
      });
    }

    // The base class declares this method with overloads; all of them take the same two arguments.
    override request(params: ConnectionRequestParams, options: ConnectionRequestOptions): Promise<never> {
      // The base class fires `abort` at the signal when a request has timed out. The caller may use its signal for others.
      const own = options.signal ? { ...options, signal: AbortSignal.any([options.signal]) } : options;
      return super.request(params, own) as Promise<never>;
    }
  };
