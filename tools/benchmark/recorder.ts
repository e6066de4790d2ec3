import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';

/** A proxy between the service and Elasticsearch that counts requests. */
export interface Recorder {
  url: string;
  /** Returns the number of searches in each request since the last call: several in `_msearch`. */
  take(): number[];
  close(): Promise<void>;
}

export async function startRecorder(target: string): Promise<Recorder> {
  let requests: number[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await text(incoming);
      const headers = Object.fromEntries(
        ['accept', 'content-type'].flatMap((name) => {
          const value = incoming.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      );
      const path = incoming.url ?? '/';
      // HEAD requests are left out, because the service sends them independently of API requests.
      if (incoming.method !== 'HEAD') requests.push(searchesIn(path, body));
      const answer = await request(`${target}${path}`, {
        method: incoming.method as 'GET',
        headers,
        body: body === '' ? null : body,
      });
      const answered = Buffer.from(await answer.body.arrayBuffer());
      outgoing.writeHead(answer.statusCode, {
        'content-type': String(answer.headers['content-type'] ?? 'application/json'),
        'x-elastic-product': 'Elasticsearch',
      });
      outgoing.end(answered);
    })().catch(() => {
      outgoing.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function searchesIn(path: string, body: string): number {
  // Each search of `_msearch` is a line with its header and a line with its body.
  if (path.includes('/_msearch')) return body.trim().split('\n').length / 2;
  return path.includes('/_search') ? 1 : 0;
}
