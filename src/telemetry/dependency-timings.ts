import type { Client, Transport } from '@elastic/elasticsearch';
import type { RequestHandler, Response } from 'express';
import type { ReadListing } from '../engine/documents.js';
import type { RequestOrigin } from '../engine/request-origin.js';

/** How long a request has waited for Elasticsearch, and for Redis to authenticate and count it, in ms. */
export interface DependencyTimings {
  engine: number;
  redis: number;
  waits?: Wait[];
}

/** One wait for a dependency; times are of the monotonic clock, in ms. */
export interface Wait {
  of: 'elasticsearch' | 'redis';
  /**
   * The name of the Elasticsearch API that was waited for; for Redis `guard`, the middleware that
   * authenticates and counts the request.
   */
  operation: string;
  began: number;
  ended: number;
  failed: boolean;
}

/**
 * The maximum number of waits for dependencies that are recorded as spans of one request, because an export
 * has many.
 */
const MAX_WAITS = 100;

/**
 * Waits until a request may be sent to Elasticsearch.
 * @param operation the name of the Elasticsearch API.
 * @returns a function to call at the end of the answer, with the time in ms that it took by Elasticsearch's own measurement;
 * null if there is no answer.
 */
export type AdmitToEngine = (operation: string) => Promise<(tookMs: number | null) => void>;

/**
 * The time in ms of an engine request whose answer does not state it, such as reading listings by id. The time that a search
 * states is whole ms, so its processor time for each stated ms may be several times as long.
 */
const UNTIMED_MS = 0.25;

interface Took {
  took?: number;
}

/** Matches the beginning of the answer to a search, which states how long the search took. */
const TOOK = /^\{(?:"pit_id":"[^"]*",)?"took":(\d+)/;
const HEAD_LENGTH = 1_024;

/** The time that an answer states which was not parsed. */
function tookIn(answer: unknown): number | undefined {
  const { body } = answer as { body: Buffer };
  const took = TOOK.exec(body.toString('latin1', 0, HEAD_LENGTH))?.[1];
  return took === undefined ? undefined : Number(took);
}

export function timingsOf({ locals }: Response): DependencyTimings {
  locals.timings ??= { engine: 0, redis: 0 };
  return locals.timings as DependencyTimings;
}

function addWait(
  timings: DependencyTimings,
  of: Wait['of'],
  began: number,
  operation: string,
  failed: boolean,
) {
  const ended = performance.now();
  timings[of === 'redis' ? 'redis' : 'engine'] += ended - began;
  if (timings.waits !== undefined && timings.waits.length < MAX_WAITS)
    timings.waits.push({ of, operation, began, ended, failed });
}

/** What admits and counts requests to Elasticsearch, and how they name the HTTP request that causes them. */
interface CausedBy {
  timings: DependencyTimings;
  admit: AdmitToEngine;
  origin: RequestOrigin;
}

/**
 * An Elasticsearch client whose requests are admitted one by one, are added to the timings of one HTTP request, and name
 * it. AsyncLocalStorage would be simpler, but costs a tenth of the throughput before Node 24.
 */
export function timedClient(es: Client, { timings, admit, origin }: CausedBy): Client {
  const ask = es.transport.request.bind(es.transport) as Transport['request'];
  const request = async (...given: Parameters<typeof ask>): Promise<unknown> => {
    const [params, options] = given;
    const operation = params.meta?.name ?? params.method;
    const release = await admit(operation);
    const started = performance.now();
    let tookMs = UNTIMED_MS;
    const counted = (failed: boolean) => {
      release(failed ? null : tookMs);
      addWait(timings, 'elasticsearch', started, operation, failed);
    };
    try {
      const answer: unknown = await ask(params, { ...options, ...origin });
      tookMs = (options?.asStream === true ? tookIn(answer) : (answer as Took | null)?.took) ?? UNTIMED_MS;
      counted(false);
      return answer;
    } catch (error) {
      counted(true);
      throw error;
    }
  };
  const transport = Object.create(es.transport, { request: { value: request } }) as Transport;
  return Object.create(es, { transport: { value: transport } }) as Client;
}

/**
 * Wraps a function that reads listings in the same way, although it reads a batch for several requests. A batch names the
 * first of them.
 */
export function timedReads(read: ReadListing, { timings, admit, origin }: CausedBy): ReadListing {
  return async (id) => {
    const release = await admit('mget');
    const started = performance.now();
    let failed = true;
    try {
      const listing = await read(id, origin);
      failed = false;
      return listing;
    } finally {
      release(failed ? null : UNTIMED_MS);
      addWait(timings, 'elasticsearch', started, 'mget', failed);
    }
  };
}

/** Adds the waiting time of a middleware that waits only for Redis to the timings of the request. */
export function timedForRedis(guard: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const timings = timingsOf(response);
    const started = performance.now();
    return guard(request, response, (error?: unknown) => {
      addWait(timings, 'redis', started, 'guard', error !== undefined);
      next(error);
    });
  };
}
