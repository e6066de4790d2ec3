import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import type { HttpRequest } from './drive.js';

export interface Recorder {
  url: string;
  take(): HttpRequest[];
  close(): Promise<void>;
}

export async function startRecorder(target: string): Promise<Recorder> {
  let calls: HttpRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await text(incoming);
      const method = incoming.method === 'GET' ? 'GET' : 'POST';
      const headers = Object.fromEntries(
        ['accept', 'content-type'].flatMap((name) => {
          const value = incoming.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      );
      const path = incoming.url ?? '/';
      // HEAD requests are not recorded, because the service sends them from time to time, independently of
      // API requests.
      if (incoming.method !== 'HEAD') calls.push({ method, path, headers, ...(body === '' ? {} : { body }) });
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
      const taken = calls;
      calls = [];
      return taken;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
