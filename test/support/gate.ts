import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that passes through the proxy, before Elasticsearch receives it, or with its response. */
export interface Passing {
  /** The request line, such as `PUT /index/_block/write`. */
  line: string;
  /** The body of the request. */
  body: string;
  /** The body of the response; undefined if Elasticsearch has not received the request yet. */
  answer?: string;
}

/** An HTTP proxy in front of a real Elasticsearch. */
export interface Gate {
  url: string;
  /**
   * Sets a function that is called twice for each request: before Elasticsearch receives it, and before the
   * client receives the response. The request waits for the function.
   */
  watch(watcher: (passing: Passing) => void | Promise<void>): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy.
 * @param target the URL of Elasticsearch.
 */
export async function startGate(target: string): Promise<Gate> {
  let watcher: (passing: Passing) => void | Promise<void> = () => undefined;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const line = `${incoming.method} ${(incoming.url ?? '').replace(/\?.*/, '')}`;
    const body = await read(incoming);
    const asked = body.toString();
    await watcher({ line, body: asked });
    // A request whose client has given up while it waited is not passed on.
    if (outgoing.destroyed) return;
    const { method = 'GET', headers, url = '/' } = incoming;
    const onward = ask(new URL(url, target), { method, headers }).end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const content = await read(answer);
    await watcher({ line, body: asked, answer: content.toString() });
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(content);
  };
  const server = createServer((incoming, outgoing) => {
    // The client may have been killed while the request was passing.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    watch(next) {
      watcher = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
