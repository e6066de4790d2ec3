import type { Answer } from '../platform/answer.js';
import { invalid, tooLargeWithoutKey, unauthorized } from '../platform/errors.js';
import { type DependencyTimings, timedClient, timedReads } from '../telemetry/dependency-timings.js';
import type { Caller, Context } from '../usecases/context.js';
import { LIGHT } from '../usecases/shared/cost.js';
import {
  type Pools,
  PUBLIC_CLIENT,
  PUBLIC_HEAVY_SLOTS,
  PUBLIC_SLOTS_PER_ADDRESS,
} from './admission/pools.js';
import type { Endpoint } from './endpoint.js';
import type { Caches } from './response-cache.js';
import { bodyCheck, parameterCheck, type RawParameters } from './validation.js';

/** The input of an endpoint before validation: parameters as text, and the parsed JSON body or undefined. */
export interface EndpointInput {
  path?: Record<string, string>;
  query?: RawParameters;
  body?: unknown;
}

/** The client of a request, as the endpoint handler sees it. */
export interface Requester {
  client: string;
  caller: Caller;
  timings: DependencyTimings;
  isDisconnected(): boolean;
}

/**
 * Runs an endpoint for HTTP or for a tool of an agent: validation, concurrency slots, response cache, handler.
 * @returns null if the client has disconnected.
 * @throws ApiError 401 without a key that the endpoint or the size of the request needs; 422 with every finding; 503 if no slot was free in time; whatever the handler throws.
 */
export type Perform = (input: EndpointInput, requester: Requester) => Promise<Answer | null>;

export function performer(
  endpoint: Endpoint,
  context: Context,
  { caches, pools }: { caches: Caches; pools: Pools },
): Perform {
  const checkPath = parameterCheck(endpoint.pathParameters, 'path');
  const checkQuery = parameterCheck(endpoint.query, 'query');
  const checkBody = endpoint.body === null ? null : bodyCheck(endpoint.body);
  const cache = endpoint.access === 'suggestions' ? caches.suggestions : caches.listings;
  // Requests to admin endpoints need no concurrency slots, so that an operator can act and see the state of
  // the service under overload.
  const needsSlots = endpoint.access !== 'open' && endpoint.access !== 'admin';

  const needsKey = endpoint.access === 'key' || endpoint.access === 'writer';
  const isPublic = ({ key }: Caller) =>
    key === null && (endpoint.access === 'read' || endpoint.access === 'suggestions');

  return async (input, { client, caller, timings, isDisconnected }) => {
    // A tool of an agent may call an endpoint that needs a key although the request of the agent needed none.
    if (needsKey && caller.key === null) throw unauthorized();
    const path = checkPath(input.path ?? {});
    const query = checkQuery(input.query ?? {});
    const body = checkBody?.(input.body) ?? { value: {}, issues: [] };
    const issues = [...path.issues, ...query.issues, ...body.issues];
    const invalidNames = new Set(issues.map(({ loc }) => loc.join()));
    // A parameter that is invalid by itself is not reported again in an error about a combination.
    const combined = endpoint.check?.(query.value, context) ?? [];
    issues.push(...combined.filter(({ loc }) => !invalidNames.has(loc.join())));
    if (issues.length > 0) throw invalid(issues);

    const valid = { path: path.value, query: query.value, body: body.value };
    const cost = !needsSlots ? null : endpoint.cost === undefined ? LIGHT : endpoint.cost(valid);
    const isKeyless = isPublic(caller);
    if (isKeyless && cost !== null && cost.pool !== 'light' && cost.slots > PUBLIC_HEAVY_SLOTS)
      throw tooLargeWithoutKey();
    const releases: (() => void)[] = [];
    try {
      if (cost !== null && isKeyless) {
        // An expensive request holds all public slots of its address, so that it is the only one.
        const slots = Math.min(cost.slots, PUBLIC_SLOTS_PER_ADDRESS);
        releases.push(await pools.public.acquire({ client, slots }));
      }
      if (cost !== null) {
        const { pool, slots } = cost;
        releases.push(await pools[pool].acquire({ client: isKeyless ? PUBLIC_CLIENT : client, slots }));
      }
      if (isDisconnected()) return null;
      const handle = () => endpoint.handle(timedContext(context, timings), valid, caller);
      if (!isCached(endpoint, query.value)) return await handle();
      const cacheKey = JSON.stringify([endpoint.path, path.value, query.value, body.value]);
      return await cache.answer(cacheKey, handle);
    } finally {
      for (const release of releases) release();
    }
  };
}

const isCached = ({ cached }: Endpoint, query: Record<string, unknown>): boolean =>
  typeof cached === 'function' ? cached(query) : cached === true;

/** Creates a context whose Elasticsearch requests are added to the timings of one HTTP request. */
const timedContext = (context: Context, timings: DependencyTimings): Context => ({
  ...context,
  es: timedClient(context.es, timings),
  readListing: timedReads(context.readListing, timings),
});
