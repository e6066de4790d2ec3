import type { Answer } from '../platform/answer.js';
import type { Context } from '../usecases/context.js';
import { LIGHT } from '../usecases/shared/cost.js';
import type { Endpoint } from './endpoint.js';
import type { Caller } from '../usecases/context.js';
import { invalid } from '../platform/errors.js';
import { type DependencyTimings, timedClient, timedReads } from '../telemetry/dependency-timings.js';
import type { Pools } from './admission/pools.js';
import type { Caches } from './response-cache.js';
import { bodyCheck, parameterCheck, type RawParameters } from './validation.js';

/** What endpoints share while they work. */
export interface Means {
  /** Of the endpoints that are `cached`. */
  caches: Caches;
  pools: Pools;
}

/** What is asked, before it is validated: parameters as text, the body as JSON, undefined where there is none. */
export interface Asked {
  path?: Record<string, string>;
  query?: RawParameters;
  body?: unknown;
}

/** Who asks. */
export interface Asker {
  /** All that one client asks shares its part of the places. */
  client: string;
  caller: Caller;
  /** Where waiting for dependencies is counted. */
  timings: DependencyTimings;
  /** Whether nobody is there any more who would read the answer. */
  isGone(): boolean;
}

/**
 * One endpoint as whoever asks it sees it, over HTTP or by a tool: validated, in its places, from the cache where it may.
 * @returns the answer, null for somebody who has gone.
 */
export type Perform = (asked: Asked, asker: Asker) => Promise<Answer | null>;

/** The function throws ApiError 422 with every finding, 503 where no place came in time, and what the handler does. */
export function performer(endpoint: Endpoint, context: Context, { caches, pools }: Means): Perform {
  const checkPath = parameterCheck(endpoint.pathParameters, 'path');
  const checkQuery = parameterCheck(endpoint.query, 'query');
  const checkBody = endpoint.body === null ? null : bodyCheck(endpoint.body);
  // An operator can still revoke a key that brings the load, and see how the service fares.
  const cache = endpoint.access === 'suggestions' ? caches.suggestions : caches.listings;
  const isFree = endpoint.access === 'open' || endpoint.access === 'admin';

  return async (asked, { client, caller, timings, isGone }) => {
    const path = checkPath(asked.path ?? {});
    const query = checkQuery(asked.query ?? {});
    const body = checkBody?.(asked.body) ?? { value: {}, issues: [] };
    const each = [...path.issues, ...query.issues, ...body.issues];
    // What is wrong by itself need not be wrong beside others too.
    const named = new Set(each.map(({ loc }) => loc.join()));
    const together = (endpoint.check?.(query.value, context) ?? []).filter(
      ({ loc }) => !named.has(loc.join()),
    );
    const issues = [...each, ...together];
    if (issues.length > 0) throw invalid(issues);
    const input = { path: path.value, query: query.value, body: body.value };
    const cost = isFree ? null : endpoint.cost === undefined ? LIGHT : endpoint.cost(input);
    const answerAnew = () => endpoint.handle(contextOf(context, timings), input, caller);
    const question = () => JSON.stringify([endpoint.path, path.value, query.value, body.value]);
    const leave = cost === null ? null : await pools[cost.pool].acquire({ client, slots: cost.slots });
    try {
      if (isGone()) return null;
      return await (isCached(endpoint, query.value) ? cache.answer(question(), answerAnew) : answerAnew());
    } finally {
      leave?.();
    }
  };
}

const isCached = ({ cached }: Endpoint, query: Record<string, unknown>): boolean =>
  typeof cached === 'function' ? cached(query) : cached === true;

/** What handlers may use, for one request: whatever it waits for at the engine is counted. */
const contextOf = (context: Context, timings: DependencyTimings): Context => ({
  ...context,
  es: timedClient(context.es, timings),
  readListing: timedReads(context.readListing, timings),
});
