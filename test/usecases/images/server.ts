import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that records the requests it receives. */
export interface TestServer {
  /** `127.0.0.1:PORT`. */
  host: string;
  port: number;
  url: (path: string) => string;
  /** The requested paths in their order. */
  requests: string[];
  /** Returns the maximum number of requests that were in progress at the same time. */
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
