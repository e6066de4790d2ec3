import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of spans by OTLP over HTTP in JSON. */
export interface SpanReceiver {
  url: string;
  /** What was taken, in the order in which it came. */
  received: { path: string; headers: Record<string, unknown>; body: any }[];
  /** All spans of that, each as OTLP's JSON has it. */
  spans(): any[];
  /** From now on it answers with this status, and takes nothing unless that is 200. */
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

/** Attributes of a span or a resource, by name. A whole number is text there: 64 bits do not fit into one of JSON. */
export const attributesOf = (of: any): Record<string, unknown> =>
  Object.fromEntries(of.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]));
