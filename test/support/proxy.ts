import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type ProxyState = 'up' | 'down' | 'hung' | 'slow' | 'refusing';

const SLOW_MS = 5_000;

const PROBE = 'HEAD /_alias/';

const REFUSAL = JSON.stringify({ error: { type: 'es_rejected_execution_exception' }, status: 429 });
const TOO_MANY = [
  'HTTP/1.1 429 Too Many Requests',
  'X-elastic-product: Elasticsearch',
  'Content-Type: application/json',
  `Content-Length: ${REFUSAL.length}`,
  `\r\n${REFUSAL}`,
].join('\r\n');

/** A TCP proxy in front of a real Elasticsearch or Redis, which can imitate failures. */
export interface Proxy {
  url: string;
  /**
   * The lines of the requests that have passed, such as `POST /index/_search`, without the service's own
   * health checks each second.
   */
  requests: string[];
  /**
   * Sets the behaviour of the proxy. `up`: passes everything on; `down`: refuses connections; `hung`: accepts
   * connections and requests, and does not respond; `slow`: responses take five seconds more, or `slowMs`;
   * `refusing`: responds to each request with 429, as an Elasticsearch with full queues does.
   */
  set(state: ProxyState): Promise<void>;
  /** Connects new connections to another server. Open connections stay connected to the previous one. */
  leadTo(target: string): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy.
 * @param target the URL of Elasticsearch or Redis; the URL of the proxy has the same scheme and credentials.
 */
export async function startProxy(target: string, { slowMs = SLOW_MS } = {}): Promise<Proxy> {
  let to = new URL(target);
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let state: ProxyState = 'up';
  const server = createServer((client) => {
    const engine = connect(Number(to.port), to.hostname);
    for (const [from, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => other.destroy());
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
      from.on('data', (chunk: Buffer) => {
        const lines = from === client ? requestLines(chunk) : [];
        requests.push(...lines.filter((line) => !line.startsWith(PROBE)));
        if (state === 'hung') return;
        if (state === 'refusing') {
          for (let i = 0; i < lines.length; i += 1) client.write(TOO_MANY);
        } else if (state === 'slow' && from === engine) setTimeout(() => other.write(chunk), slowMs).unref();
        else other.write(chunk);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stopListening = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    requests,
    url: url.href.replace(/\/$/, ''),
    async set(next) {
      // Connections whose data was dropped are closed, because they cannot be used any more.
      if (state === 'hung' || state === 'slow') cut();
      state = next;
      if (state === 'down') {
        await stopListening();
        return;
      }
      if (!server.listening) {
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
      }
    },
    leadTo(next) {
      to = new URL(next);
    },
    close: stopListening,
  };
}

/** The client sends the head of each request in one chunk, so each chunk can be read by itself. */
function requestLines(chunk: Buffer): string[] {
  const heads = chunk.toString('latin1').matchAll(/^((?:GET|HEAD|POST|PUT|DELETE) \/\S*) HTTP\/1\.1\r$/gm);
  return [...heads].map(([, line = '']) => line.replace(/\?.*/, ''));
}
