import type { Readable } from 'node:stream';
import type { Client, Transport } from '@elastic/elasticsearch';
import type { RequestHandler, Response } from 'express';
import type { ReadListing } from '../elasticsearch/batched-reads.js';

/**
 * How long a request has waited so far, in ms: for whatever it asked of the engine (waits at the same time add up), and
 * for Redis in its guards. What an endpoint itself does in Redis, such as to issue a key, is not counted.
 */
export interface DependencyTimings {
  engine: number;
  redis: number;
}

/** Those of this request. */
export function timingsOf({ locals }: Response): DependencyTimings {
  locals.timings ??= { engine: 0, redis: 0 };
  return locals.timings as DependencyTimings;
}

/**
 * The client for one request: whatever it asks is added to its timings, an answer that is read as a stream until its end.
 * An AsyncLocalStorage would do without this, at the price of a tenth of all throughput before Node 24.
 */
export function timedClient(es: Client, timings: DependencyTimings): Client {
  const ask = es.transport.request.bind(es.transport) as Transport['request'];
  const request = async (...given: Parameters<typeof ask>): Promise<unknown> => {
    const started = performance.now();
    const count = () => {
      timings.engine += performance.now() - started;
    };
    const asked = ask(...given) as Promise<unknown>;
    if (given[1]?.asStream !== true) return asked.finally(count);
    const answer = (await asked.catch((error: unknown) => {
      count();
      throw error;
    })) as { body: Readable };
    answer.body.once('close', count);
    return answer;
  };
  const transport = Object.create(es.transport, { request: { value: request } }) as Transport;
  return Object.create(es, { transport: { value: transport } }) as Client;
}

/** The same for reads of listings, which several requests may share: each has waited. */
export function timedReads(read: ReadListing, timings: DependencyTimings): ReadListing {
  return async (id) => {
    const started = performance.now();
    try {
      return await read(id);
    } finally {
      timings.engine += performance.now() - started;
    }
  };
}

/** A guard that waits for nothing but Redis. */
export function timedForRedis(guard: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const timings = timingsOf(response);
    const started = performance.now();
    return guard(request, response, (error?: unknown) => {
      timings.redis += performance.now() - started;
      next(error);
    });
  };
}
