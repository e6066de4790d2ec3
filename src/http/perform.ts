import type { Answer } from '../platform/answer.js';
import { TIERS } from '../platform/access/tiers.js';
import { invalid, unauthorized } from '../platform/errors.js';
import {
  type AdmitToEngine,
  type DependencyTimings,
  timedClient,
  timedReads,
} from '../telemetry/dependency-timings.js';
import type { ProcessorTime } from '../telemetry/processor-time.js';
import type { Caller, Context } from '../usecases/context.js';
import type { SlotRequest } from './admission/concurrency-slots.js';
import type { Pools } from './admission/pools.js';
import { sizeOf } from './admission/request-size.js';
import type { Endpoint } from './endpoint.js';
import type { Caches } from './response-cache.js';
import { isVersioned, STRICT, unknownMembers } from './strict.js';
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
  caller: Omit<Caller, 'spend'>;
  timings: DependencyTimings;
  isDisconnected(): boolean;
}

/**
 * Runs an endpoint for HTTP or for a tool of an agent: validation, concurrency slots, response cache, handler.
 * @returns null if the client has disconnected.
 * @throws ApiError 401 without a key that the endpoint needs; 422 with every finding; 503 if no slot was free in time; whatever the handler throws.
 */
export type Perform = (input: EndpointInput, requester: Requester) => Promise<Answer | null>;

export function performer(
  endpoint: Endpoint,
  context: Context,
  { caches, pools, processorTime }: { caches: Caches; pools: Pools; processorTime: ProcessorTime },
): Perform {
  const checkPath = parameterCheck(endpoint.pathParameters, 'path');
  const checkQuery = parameterCheck(endpoint.query, 'query');
  const checkBody = endpoint.body === null ? null : bodyCheck(endpoint.body);
  const checkStrict = isVersioned(endpoint) ? parameterCheck(STRICT, 'query') : null;
  const cache = endpoint.access === 'suggestions' ? caches.suggestions : caches.listings;
  // Requests to admin endpoints need no concurrency slots, so that an operator can act and see the state of
  // the service under overload. Uploads have a pool of their own.
  const isFree = endpoint.access === 'open' || endpoint.access === 'admin' || endpoint.pool !== undefined;
  const needsKey = endpoint.access === 'key' || endpoint.access === 'writer';
  const name = `${endpoint.method} ${endpoint.path}`;

  return async (input, { client, caller, timings, isDisconnected }) => {
    // A tool of an agent may call an endpoint that needs a key although the request of the agent needed none.
    if (needsKey && caller.key === null) throw unauthorized();
    const path = checkPath(input.path ?? {});
    const query = checkQuery(input.query ?? {});
    const body = checkBody?.(input.body) ?? { value: {}, issues: [] };
    const issues = [...path.issues, ...query.issues, ...body.issues];
    const strict = checkStrict?.(input.query ?? {});
    if (strict !== undefined) issues.push(...strict.issues);
    const invalidNames = new Set(issues.map(({ loc }) => loc.join()));
    if (strict?.value['strict'] === true) {
      const unknown = unknownMembers(endpoint, input);
      // Some bodies allow no unknown members in any case.
      issues.push(...unknown.filter(({ loc }) => !invalidNames.has(loc.join())));
    }
    // A parameter that is invalid by itself is not reported again in an error about a combination.
    const combined = endpoint.check?.(query.value, context) ?? [];
    issues.push(...combined.filter(({ loc }) => !invalidNames.has(loc.join())));
    if (issues.length > 0) throw invalid(issues);

    const valid = { path: path.value, query: query.value, body: body.value };
    const payer = payerOf(caller);
    const size = sizeOf(query.value, body.value);
    let isBegun = false;
    /** Whether the answer does not come from the cache. */
    let isHandled = false;
    const admit: AdmitToEngine = async (operation) => {
      const kind = `${name} ${operation}`;
      // A request that has begun is never refused, because what it has used would be lost.
      const turn = { ...payer, slots: processorTime.expected(kind, size), isPatient: isBegun };
      const release = isFree ? () => undefined : await pools.requests.acquire(turn);
      if (!isBegun && isDisconnected()) {
        release();
        throw DISCONNECTED;
      }
      isBegun = true;
      return (tookMs) => {
        release(tookMs === undefined ? 0 : processorTime.answered(kind, size, tookMs), tookMs);
      };
    };
    const spend = (ms: number) => {
      processorTime.measured(ms);
      pools.requests.charge(payer, ms);
    };
    const handle = () => {
      isHandled = true;
      return endpoint.handle(timedContext(context, timings, admit), valid, { ...caller, spend });
    };
    const answer = () => {
      if (isDisconnected()) return null;
      if (!isCached(endpoint, query.value)) return handle();
      return cache.answer(JSON.stringify([endpoint.path, path.value, query.value, body.value]), handle);
    };
    if (endpoint.pool === 'load') {
      const release = await pools.load.acquire({ client, slots: 1 });
      try {
        return await answer();
      } finally {
        release();
      }
    }
    if (isFree) return answer();
    processorTime.begin();
    try {
      return await answer();
    } catch (error) {
      if (error === DISCONNECTED) return null;
      throw error;
    } finally {
      const ms = isHandled ? processorTime.end(name, size) : processorTime.end('cached', 0);
      pools.requests.charge(payer, ms);
    }
  };
}

/** Ends a request whose client has disconnected while it waited. */
const DISCONNECTED = new Error('the client has disconnected');

/** The client of all requests without a key together. */
const PUBLIC_CLIENT = 'public';

/**
 * Who is charged for a request: the developer of its key; without a key, an address as a part of one client. A client
 * may use as much more than others as its tier may send requests.
 */
const payerOf = ({ key, client }: Pick<Caller, 'key' | 'client'>): Omit<SlotRequest, 'slots'> =>
  key === null
    ? { client: PUBLIC_CLIENT, member: client }
    : { client: `developer:${key.developerId ?? key.id}`, weight: TIERS[key.tier] / TIERS.free };

const isCached = ({ cached }: Endpoint, query: Record<string, unknown>): boolean =>
  typeof cached === 'function' ? cached(query) : cached === true;

/** Creates a context whose Elasticsearch requests are added to the timings of one HTTP request. */
const timedContext = (context: Context, timings: DependencyTimings, admit: AdmitToEngine): Context => ({
  ...context,
  es: timedClient(context.es, timings, admit),
  readListing: timedReads(context.readListing, timings, admit),
});
