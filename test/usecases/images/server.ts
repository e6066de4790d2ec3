import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that counts what reaches it. */
export interface TestServer {
  /** `127.0.0.1:PORT`. */
  host: string;
  port: number;
  url: (path: string) => string;
  /** Paths asked for, in order. */
  requests: string[];
  /** Most requests that were under way at once. */
  peak: () => number;
  stop: () => Promise<void>;
}

export async function startServer(answer: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  let [active, peak] = [0, 0];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    active += 1;
    peak = Math.max(peak, active);
    response.once('close', () => (active -= 1));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    host,
    port,
    url: (path) => `http://${host}${path}`,
    requests,
    peak: () => peak,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
