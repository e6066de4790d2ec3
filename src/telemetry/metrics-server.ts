import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { loggable, type Logger } from './logger.js';

/** What Prometheus is answered with. */
export type Scraped = Pick<Registry, 'contentType' | 'metrics'>;

/** An HTTP server of nothing but `/metrics`; not listening yet. */
export function metricsServer(registry: Scraped, logger: Logger): Server {
  return createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    answer(registry, request, response).catch((error: unknown) => {
      logger.error('metrics', loggable(error));
      if (response.headersSent) response.destroy();
      else sendDetail(response, 500, 'Internal Server Error');
    });
  });
}

async function answer(registry: Scraped, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  if (url.split('?', 1)[0] !== '/metrics') {
    sendDetail(response, 404, 'Not Found');
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    sendDetail(response, 405, 'Method Not Allowed');
    return;
  }
  const text = await registry.metrics();
  response.writeHead(200, {
    'Content-Type': registry.contentType,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(method === 'HEAD' ? undefined : text);
}

function sendDetail(response: ServerResponse, status: number, detail: string): void {
  const body = JSON.stringify({ detail });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
