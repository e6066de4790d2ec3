import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of a real engine that can be taken away, hung, and given back. */
export interface Proxy {
  url: string;
  /** Request lines of the HTTP requests that have passed, such as `POST /index/_search`. */
  requests: string[];
  /** `up`: passes everything on; `down`: refuses; `hung`: takes connections and requests, and says nothing. */
  set(state: 'up' | 'down' | 'hung'): Promise<void>;
  close(): Promise<void>;
}

/** @param target URL of the engine; the proxy's has the same scheme and credentials. */
export async function startProxy(target: string): Promise<Proxy> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let hung = false;
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
        if (hung) return;
        if (from === client) requests.push(...requestLines(chunk));
        other.write(chunk);
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
    async set(state) {
      if (state === 'down') {
        await stopListening();
        return;
      }
      // What was swallowed is lost: those connections are of no more use.
      if (hung && state === 'up') cut();
      hung = state === 'hung';
      if (!server.listening) {
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
      }
    },
    close: stopListening,
  };
}

/** The client sends each request's head in one piece. */
function requestLines(chunk: Buffer): string[] {
  const heads = chunk.toString('latin1').matchAll(/^((?:GET|HEAD|POST|PUT|DELETE) \/\S*) HTTP\/1\.1\r$/gm);
  return [...heads].map(([, line = '']) => line.replace(/\?.*/, ''));
}
