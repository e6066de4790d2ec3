import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { Registry } from 'prom-client';
import { ConfigError } from '../../platform/config/values.js';
import { loggable, type Logger } from '../logger.js';

export type MetricsSource = Pick<Registry, 'contentType' | 'metrics'>;

/** Creates an HTTP server that serves only `/metrics`. It does not listen yet. */
export function metricsServer(registry: MetricsSource, logger: Logger): Server {
  return createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    answer(registry, request, response).catch((error: unknown) => {
      logger.error('metrics', loggable(error));
      if (response.headersSent) response.destroy();
      else sendDetail(response, 500, 'Internal Server Error');
    });
  });
}

async function answer(registry: MetricsSource, request: IncomingMessage, response: ServerResponse) {
  const { method, url = '' } = request;
  if (url.split('?', 1)[0] !== '/metrics') return sendDetail(response, 404, 'Not Found');
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return sendDetail(response, 405, 'Method Not Allowed');
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

/** Resolves `METRICS_HOST` to an address: for a network, that of this machine in it. @throws ConfigError without such an address. */
export function metricsAddress(host: string, interfaces = networkInterfaces()): string {
  if (!host.includes('/')) return host;
  const network = ipaddr.parseCIDR(host);
  const addresses = Object.values(interfaces).flatMap((each) => (each ?? []).map(({ address }) => address));
  const found = addresses.find((address) => {
    const parsed = ipaddr.parse(address);
    return parsed.kind() === network[0].kind() && parsed.match(network);
  });
  if (found === undefined)
    throw new ConfigError(`METRICS_HOST is ${host}, but this machine has no address in it`);
  return found;
}
