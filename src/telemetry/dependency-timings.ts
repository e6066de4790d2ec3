import type { Client, Transport } from '@elastic/elasticsearch';
import type { RequestHandler, Response } from 'express';
import type { ReadListing, RequestOrigin } from '../engine/documents.js';

/** How long a request has waited for Elasticsearch, and for Redis to authenticate and count it, in ms. */
export interface DependencyTimings {
  engine: number;
  redis: number;
  waits?: Wait[];
}

/** One wait for a dependency; times are of the monotonic clock, in ms. */
export interface Wait {
  of: 'elasticsearch' | 'redis';
  /** The name of the Elasticsearch API; for Redis `guard`, the middleware that authenticates and counts the request. */
  operation: string;
  began: number;
  ended: number;
  failed: boolean;
}

/** The maximum number of waits that are recorded as spans of one request, because an export has many. */
const MAX_WAITS = 100;

/** Waits until a request may be sent. @returns a function for its end, with the ms that Elasticsearch states; null without an answer. */
export type AdmitToEngine = (operation: string) => Promise<(tookMs: number | null) => void>;

/** The ms of a request whose answer states none. A search states whole ms, so each of them may be several times as long. */
const UNTIMED_MS = 0.25;

/** Matches the beginning of the answer to a search, which states how long the search took. */
const TOOK = /^\{(?:"pit_id":"[^"]*",)?"took":(\d+)/;
const HEAD_LENGTH = 1_024;

/** The time that Elasticsearch states in an answer that was not parsed, in ms. */
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

/** A client whose requests are admitted and timed for one HTTP request. AsyncLocalStorage would cost a tenth of the throughput. */
export function timedClient(es: Client, causedBy: CausedBy): Client {
  const ask = es.transport.request.bind(es.transport) as Transport['request'];
  const request = (...[params, options]: Parameters<typeof ask>): Promise<unknown> =>
    timed(
      causedBy,
      params.meta?.name ?? params.method,
      () => ask(params, { ...options, ...causedBy.origin }) as Promise<unknown>,
      (answer) => (options?.asStream === true ? tookIn(answer) : (answer as { took?: number } | null)?.took),
    );
  const transport = Object.create(es.transport, { request: { value: request } }) as Transport;
  return Object.create(es, { transport: { value: transport } }) as Client;
}

/** Wraps a function that reads listings, as `timedClient` wraps a client. A batch for several requests names only the first. */
export const timedReads =
  (read: ReadListing, causedBy: CausedBy): ReadListing =>
  (id) =>
    timed(causedBy, 'mget', () => read(id, causedBy.origin));

/** Sends a request to Elasticsearch once it is admitted, and adds the time that it took to the timings. */
async function timed<T>(
  { timings, admit }: CausedBy,
  operation: string,
  ask: () => Promise<T>,
  tookOf: (answer: T) => number | undefined = () => undefined,
): Promise<T> {
  const release = await admit(operation);
  const started = performance.now();
  let tookMs: number | null = null;
  try {
    const answer = await ask();
    tookMs = tookOf(answer) ?? UNTIMED_MS;
    return answer;
  } finally {
    release(tookMs);
    addWait(timings, 'elasticsearch', started, operation, tookMs === null);
  }
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
