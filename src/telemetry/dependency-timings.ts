import type { Readable } from 'node:stream';
import type { Client, Transport } from '@elastic/elasticsearch';
import type { RequestHandler, Response } from 'express';
import type { ReadListing } from '../engine/batched-reads.js';

/**
 * How long a request has waited so far, in ms: for whatever it asked of the engine (waits at the same time add up), and
 * for Redis in its guards. What an endpoint itself does in Redis, such as to issue a key, is not counted.
 */
export interface DependencyTimings {
  engine: number;
  redis: number;
  /** Each wait by itself, where spans are made of them; absent: they are not kept. */
  waits?: Wait[];
}

/** One wait, on the monotonic clock. */
export interface Wait {
  of: 'elasticsearch' | 'redis';
  /** The API that was asked, or what a guard did. */
  what: string;
  began: number;
  ended: number;
  failed: boolean;
}

/** An export asks for a page and another: of those that follow, the request's own time tells. */
const MAX_WAITS = 100;

/** Those of this request. */
export function timingsOf({ locals }: Response): DependencyTimings {
  locals.timings ??= { engine: 0, redis: 0 };
  return locals.timings as DependencyTimings;
}

/** Counts what has been waited for, until now. */
function count(
  timings: DependencyTimings,
  of: Wait['of'],
  began: number,
  what: string,
  failed: boolean,
): void {
  const ended = performance.now();
  timings[of === 'redis' ? 'redis' : 'engine'] += ended - began;
  if (timings.waits !== undefined && timings.waits.length < MAX_WAITS)
    timings.waits.push({ of, what, began, ended, failed });
}

/**
 * The client for one request: whatever it asks is added to its timings, an answer that is read as a stream until its end.
 * An AsyncLocalStorage would do without this, at the price of a tenth of all throughput before Node 24.
 */
export function timedClient(es: Client, timings: DependencyTimings): Client {
  const ask = es.transport.request.bind(es.transport) as Transport['request'];
  const request = async (...given: Parameters<typeof ask>): Promise<unknown> => {
    const started = performance.now();
    const [{ method, meta }, options] = given;
    const counted = (failed: boolean) => {
      count(timings, 'elasticsearch', started, meta?.name ?? method, failed);
    };
    try {
      const answer: unknown = await ask(...given);
      if (options?.asStream !== true) counted(false);
      else
        (answer as { body: Readable }).body.once('close', () => {
          counted(false);
        });
      return answer;
    } catch (error) {
      counted(true);
      throw error;
    }
  };
  const transport = Object.create(es.transport, { request: { value: request } }) as Transport;
  return Object.create(es, { transport: { value: transport } }) as Client;
}

/** The same for reads of listings, which several requests may share: each has waited. */
export function timedReads(read: ReadListing, timings: DependencyTimings): ReadListing {
  return async (id) => {
    const started = performance.now();
    let failed = true;
    try {
      const listing = await read(id);
      failed = false;
      return listing;
    } finally {
      count(timings, 'elasticsearch', started, 'mget', failed);
    }
  };
}

/** A guard that waits for nothing but Redis. */
export function timedForRedis(guard: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const timings = timingsOf(response);
    const started = performance.now();
    return guard(request, response, (error?: unknown) => {
      count(timings, 'redis', started, 'guard', error !== undefined);
      next(error);
    });
  };
}
