import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that receives spans by OTLP over HTTP in JSON. */
export interface SpanReceiver {
  url: string;
  /** The accepted requests in their order. */
  received: { path: string; headers: Record<string, unknown>; body: any }[];
  /** Returns the spans of all accepted requests, as OTLP's JSON represents them. */
  spans(): any[];
  /**
   * Sets the status of the following responses. With any status other than 200, the server accepts no spans.
   */
  answer(status: number): void;
  close(): void;
}

export async function startSpanReceiver(): Promise<SpanReceiver> {
  const received: SpanReceiver['received'] = [];
  let answers = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      if (answers === 200) received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(answers, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () =>
      received.flatMap(({ body }) =>
        body.resourceSpans.flatMap((each: any) => each.scopeSpans.flatMap((scope: any) => scope.spans)),
      ),
    answer(status) {
      answers = status;
    },
    close: () => server.close(),
  };
}

/**
 * Returns the attributes of a span or a resource by name. Whole numbers are text in OTLP's JSON, because JSON
 * numbers cannot represent 64 bits.
 */
export const attributesOf = (of: any): Record<string, unknown> =>
  Object.fromEntries(of.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]));
