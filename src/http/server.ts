import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { shareOf } from '../platform/config/config.js';
import { hasBody } from './transfer/body.js';
import { type MinimumRate, watchProgress } from './transfer/progress.js';

/** A new connection, and each further request on it, has to bring its headers within this time, in ms. */
const HEADERS_WITHIN_MS = 4_000;
const CHECKED_EVERY_MS = 500;

/** A connection without a request is kept for this long, and one on which an answer does not move. */
const KEPT_ALIVE_MS = 65_000;
const STALLED_MS = 300_000;

/** An idle connection takes some 20 kB, one with a request up to 100 kB. */
const MAX_CONNECTIONS = 10_000;

/** What a client still sends after its answer is discarded while it keeps this rate, and for so long in all, in ms. */
const DISCARD_RATE: MinimumRate = { every: 500, checks: 4, bytes: 64 * 1024 };
const DISCARDED_FOR_MS = 30_000;

/**
 * The HTTP server of an app, with bounds on connections and headers. The app bounds the bodies that it reads, by
 * `boundedBody`; what it does not read is bounded here.
 * @param unreadable called for each connection whose input is no HTTP, or comes too late.
 * @param workers how many processes share the port.
 */
export function createHttpServer(app: RequestListener, unreadable: () => void, workers = 1): Server {
  const server = createServer(
    {
      // The app refuses these itself, in its own form.
      requireHostHeader: false,
      headersTimeout: HEADERS_WITHIN_MS,
      // Node's bound on a request as a whole would end honest uploads.
      requestTimeout: 0,
      connectionsCheckingInterval: CHECKED_EVERY_MS,
      keepAliveTimeout: KEPT_ALIVE_MS,
    },
    app,
  );
  server.timeout = STALLED_MS;
  server.maxConnections = shareOf(MAX_CONNECTIONS, workers);
  // One that is too many is dropped. Otherwise the processes would pass it on to each other for as long as all are full.
  Object.assign(server, { dropMaxConnection: true });
  let madeRoomAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - madeRoomAt < CHECKED_EVERY_MS) return;
    madeRoomAt = performance.now();
    server.closeIdleConnections();
  });
  server.on('checkExpectation', app);
  server.prependListener('request', (request, response) => {
    if (hasBody(request)) discardUnread(request.socket, request, response);
  });
  server.on('clientError', (error, socket: Socket) => {
    if (socket.writableEnded) return;
    unreadable();
    refuseUnreadable(error, socket);
  });
  return server;
}

/**
 * Lets an answer reach a client that is still sending. Closing a socket that has unread input resets the connection, and
 * the client may lose the answer (RFC 9112, section 9.6): so the rest of the body is discarded first, within bounds.
 */
function discardUnread(
  socket: Socket,
  request: { complete: boolean; once(event: 'close', listener: () => void): unknown },
  response: ServerResponse,
): void {
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    if (request.complete) Socket.prototype.destroySoon.call(socket);
    else socket.end();
  };
  response.once('finish', () => {
    if (request.complete || socket.destroyed) return;
    const stop = discard(socket);
    request.once('close', () => {
      if (socket.writableEnded) socket.destroy();
      else stop();
    });
  });
}

/** Destroys a socket unless its peer ends or `stop` is called in time. @returns stop */
function discard(socket: Socket): () => void {
  const destroy = () => {
    socket.destroy();
  };
  const stopWatching = watchProgress(() => socket.bytesRead, DISCARD_RATE, destroy);
  const timer = setTimeout(destroy, DISCARDED_FOR_MS);
  const stop = () => {
    stopWatching();
    clearTimeout(timer);
    socket.off('close', stop);
  };
  socket.once('close', stop);
  return stop;
}

const REFUSALS: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'Request timeout'],
};

/** What is not even HTTP never reaches the app; its answer is JSON all the same, and the connection ends. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // Node's own name for the answer that is being sent: an error must not end up in the middle of its body.
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && current?.req.complete === true) {
    // The next request on the connection is late. The answer to the one before it is still sent.
    current.once('close', () => {
      socket.end();
      discard(socket);
    });
    return;
  }
  if (!socket.writable || error.code === 'ECONNRESET' || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  const [status, detail] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'Bad Request'];
  const body = JSON.stringify({ detail });
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `X-Request-Id: ${randomUUID()}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      `\r\n${body}`,
    ].join('\r\n'),
  );
  discard(socket);
}
