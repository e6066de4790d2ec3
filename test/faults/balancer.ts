import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * An HTTP proxy in front of several instances, as operators use: it checks whether each instance is ready,
 * and sends no request twice.
 */
export interface Balancer {
  url: string;
  /** The number of requests that each instance received, in the order of the instances. */
  counts: number[];
  /** Whether each instance was ready when the proxy last checked it. */
  ready: readonly boolean[];
  close(): Promise<void>;
}

const LOOKS_EVERY_MS = 200;

export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const counts = urls.map(() => 0);
  const ready = urls.map(() => true);
  let running = true;
  const looking = (async () => {
    while (running) {
      await Promise.all(
        urls.map(async (url, i) => {
          ready[i] = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
            ({ ok }) => ok,
            () => false,
          );
        }),
      );
      await sleep(LOOKS_EVERY_MS);
    }
  })();

  let turn = 0;
  const choose = (): number => {
    for (let i = 0; i < urls.length; i += 1) {
      turn = (turn + 1) % urls.length;
      if (ready[turn]) return turn;
    }
    return turn;
  };
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const instance = choose();
    counts[instance] = (counts[instance] ?? 0) + 1;
    const { method, url = '/', headers } = incoming;
    const onward = request(new URL(url, urls[instance]), { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // If a response is interrupted, the connection to the client is closed, so that the client does not
      // take it for complete.
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    onward.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(`dropped: ${error.message}`);
    });
    incoming.pipe(onward);
  };
  const server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    ready,
    async close() {
      running = false;
      await looking;
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}
