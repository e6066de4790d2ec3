import {
  type ConnectionOptions,
  type ConnectionRequestOptions,
  type ConnectionRequestParams,
  errors,
  UndiciConnection,
} from '@elastic/elasticsearch';
import { type buildConnector, type Dispatcher, Pool } from 'undici';

/** How much too early, in ms, undici's timers for timeouts above one second may fire. */
const UNDICI_TIMER_ERROR_MS = 500;

/** The time limit for opening a connection to Elasticsearch, including the TLS handshake. */
export const CONNECTS_WITHIN_MS = 5_000;

/** An answer of Elasticsearch. The client decodes the body, unless the request has the option `asStream`. */
interface ConnectionAnswer {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * Creates a connection class that reads each answer as a whole, because streams take longer than short answers, and ends a
 * request exactly at its deadline, because the timers of undici are accurate only to half a second.
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
            // Connections are opened again after this time, so that a certificate that is no longer trusted is noticed.
            clientTtl: 600_000,
            connect: connect ?? { timeout: CONNECTS_WITHIN_MS },
            headersTimeout: 0,
            // A request has its own timer, which bounds the whole answer. This timeout bounds pauses within the body.
            bodyTimeout: typeof timeout === 'number' ? timeout + UNDICI_TIMER_ERROR_MS : 0,
          }),
      });
    }

    // The base class declares overloads, which all take the same two arguments.
    override request(
      { method, path, querystring, headers, body }: ConnectionRequestParams,
      { timeout, signal }: ConnectionRequestOptions,
    ): Promise<never> {
      const request: Dispatcher.DispatchOptions = {
        method: method as Dispatcher.HttpMethod,
        path: `${this.url.pathname.replace(/\/$/, '')}${path}${querystring ? `?${querystring}` : ''}`,
        headers: { ...this.headers, ...headers },
        body: body as Dispatcher.DispatchOptions['body'],
      };
      return new Promise<ConnectionAnswer>((resolve, reject) => {
        let ended: Error | null = null;
        let controller: Dispatcher.DispatchController | null = null;
        // A request that waits for a connection has no controller yet, and is rejected at once.
        const end = (error: Error) => {
          ended = error;
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          reject(error);
          controller?.abort(error);
        };
        const abort = () => end(new errors.RequestAbortedError('Request aborted'));
        const timer =
          typeof timeout === 'number'
            ? setTimeout(() => end(new errors.TimeoutError('Request timed out')), timeout)
            : undefined;
        signal?.addEventListener('abort', abort);
        const chunks: Buffer[] = [];
        let head: Pick<ConnectionAnswer, 'statusCode' | 'headers'> = { statusCode: 0, headers: {} };
        this.pool.dispatch(request, {
          onRequestStart(started) {
            controller = started;
            if (ended !== null) started.abort(ended);
          },
          onResponseStart(_controller, statusCode, answered) {
            head = { statusCode, headers: answered };
          },
          onResponseData(_controller, chunk) {
            chunks.push(chunk);
          },
          onResponseEnd() {
            clearTimeout(timer);
            signal?.removeEventListener('abort', abort);
            const [first = Buffer.alloc(0)] = chunks;
            resolve({ ...head, body: chunks.length > 1 ? Buffer.concat(chunks) : first });
          },
          onResponseError(_controller, { message }) {
            if (ended === null) end(new errors.ConnectionError(message));
          },
        });
      }) as Promise<never>;
    }
  };
