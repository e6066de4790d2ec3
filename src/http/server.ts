import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { ConfigError, shareOf } from '../platform/config/config.js';
import { networkOf, parseAddress } from '../platform/access/client-address.js';
import { hasBody } from './transfer/request-body.js';
import { type MinimumRate, watchProgress } from './transfer/transfer-rate.js';

/** The time within which a connection must send the headers of its next request, in ms. */
const HEADERS_TIMEOUT_MS = 4_000;
const CHECK_INTERVAL_MS = 500;

/** How long a connection may be idle between requests, and silent during a response, in ms. */
const KEEP_ALIVE_MS = 65_000;
const SOCKET_TIMEOUT_MS = 300_000;

/** The maximum number of connections of a process. An idle one takes about 20 kB of memory, one with a request 100 kB. */
const MAX_CONNECTIONS = 10_000;

const NETWORK_SHARE = 0.1;

/** How fast a client must send the rest of a body that is discarded, and the maximum time for it in ms. */
const DISCARD_RATE: MinimumRate = { every: 500, checks: 4, bytes: 64 * 1024 };
const MAX_DISCARD_MS = 30_000;

/** Creates the HTTP server of an app. @param onUnreadable called for each connection whose input is not HTTP or arrives too late. */
export function createHttpServer(
  app: RequestListener,
  onUnreadable: () => void,
  isProxy: (address: string) => boolean,
  workers = 1,
): Server {
  const server = createServer(
    {
      // Node.js itself would refuse requests without a `Host` header without a body and a request id, so the app does it.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // Node's limit for the duration of a request is switched off, because it would end legitimate uploads.
      requestTimeout: 0,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  server.timeout = SOCKET_TIMEOUT_MS;
  server.maxConnections = shareOf(MAX_CONNECTIONS, workers);
  boundConnections(server, Math.ceil(server.maxConnections * NETWORK_SHARE), isProxy);
  // Connections above the maximum are dropped, because processes would otherwise pass them on to each other.
  Object.assign(server, { dropMaxConnection: true });
  let closedIdleAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - closedIdleAt < CHECK_INTERVAL_MS) return;
    closedIdleAt = performance.now();
    server.closeIdleConnections();
  });
  server.on('checkExpectation', app);
  server.prependListener('request', (request, response) => {
    if (hasBody(request)) discardUnread(request.socket, request, response);
  });
  server.on('clientError', (error, socket: Socket) => {
    if (socket.writableEnded) return;
    onUnreadable();
    refuseUnreadable(error, socket);
  });
  return server;
}

/** Limits the connections of each network: a new one above the limit replaces the oldest idle one. Those of proxies are not limited. */
export function boundConnections(server: Server, perNetwork: number, isProxy: (address: string) => boolean) {
  const networks = new Map<string, Set<Socket>>();
  server.on('connection', (socket) => {
    const address = parseAddress(socket.remoteAddress ?? '') ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const sockets = networks.get(network) ?? new Set();
    networks.set(network, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) networks.delete(network);
    });
    if (sockets.size <= perNetwork) return;
    const replaced = [...sockets].find((one) => !responseOf(one)) ?? socket;
    sockets.delete(replaced);
    replaced.destroy();
  });
}

/** The response that is in progress on a socket. `_httpMessage` is the name that Node.js has for it. */
export const responseOf = (socket: Socket): ServerResponse | null =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;

/** Discards the rest of a body that is still arriving, because closing its socket could lose the response (RFC 9112, section 9.6). */
function discardUnread(
  socket: Socket,
  request: { complete: boolean; once(event: 'close', listener: () => void): unknown },
  response: ServerResponse,
): void {
  // Node.js calls this after the last response of a connection. If the request is still arriving, the socket stays open for it.
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

/** Discards what a socket still sends. It is destroyed after a while, unless its peer closes it or the function is called. */
function discard(socket: Socket): () => void {
  const destroy = () => void socket.destroy();
  const stopWatching = watchProgress(() => socket.bytesRead, DISCARD_RATE, destroy);
  const timer = setTimeout(destroy, MAX_DISCARD_MS);
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

/** Answers input that never reaches the app because it is not HTTP, and closes the connection. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // The error must not be written into the body of a response in progress.
  const current = responseOf(socket);
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && current?.req.complete === true) {
    // The next request arrives too late, but the connection is closed only after the response to the previous one.
    current.once('close', () => {
      socket.end();
      discard(socket);
    });
    return;
  }
  if (!socket.writable || error.code === 'ECONNRESET' || current?.headersSent === true)
    return void socket.destroy();
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

export function urlOf(server: Server, listensOn: string): string {
  const { port } = server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(listensOn) ? 'localhost' : listensOn;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Starts to listen on a port. @throws ConfigError that names the variable if the port is not available. */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
  variable: string,
) {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another process listens there' : 'the system does not allow it';
    throw new ConfigError(`${variable}: ${host}:${port} cannot be listened on: ${why} (${code})`);
  }
}
