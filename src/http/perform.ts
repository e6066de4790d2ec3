import type { Answer } from '../platform/answer.js';
import { TIERS } from '../platform/access/tiers.js';
import { invalid, unauthorized, unavailable } from '../platform/errors.js';
import {
  type AdmitToEngine,
  type DependencyTimings,
  timedClient,
  timedReads,
} from '../telemetry/dependency-timings.js';
import type { ProcessorTime } from '../telemetry/processor-time.js';
import { type RequestTrace, traceparentOf } from '../telemetry/trace-context.js';
import type { Caller, Context } from '../usecases/context.js';
import type { Release, SlotRequest } from './admission/concurrency-slots.js';
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

export interface Requester {
  caller: Omit<Caller, 'spend'>;
  timings: DependencyTimings;
  trace: RequestTrace;
}

/** Runs an endpoint. @returns null if the client has disconnected. @throws ApiError 401, 422 with every finding, 503 without a slot. */
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
  // No slots are needed by admin endpoints, so that an operator can act under overload, and by uploads, which have another pool.
  const isFree = endpoint.access === 'open' || endpoint.access === 'admin' || endpoint.pool !== undefined;
  // The time of uploads is not charged, because uploads adapt their own pace.
  const isCharged = !isFree || endpoint.pool === null;
  const needsKey = endpoint.access === 'key' || endpoint.access === 'writer';
  // An endpoint without a pool, such as that of tokens, stores nothing, so it is not a write.
  const writes = needsKey && endpoint.method !== 'get' && endpoint.pool !== null;
  const name = `${endpoint.method} ${endpoint.path}`;

  return async (input, { caller, timings, trace }) => {
    // An agent's request may need no key, although a tool that it calls uses an endpoint that needs one.
    if (needsKey && caller.key === null) throw unauthorized();
    if (writes && caller.key?.readsOnly === true) throw unavailable();
    const path = checkPath(input.path ?? {});
    const query = checkQuery(input.query ?? {});
    const body = checkBody?.(input.body) ?? { value: {}, issues: [] };
    const issues = [...path.issues, ...query.issues, ...body.issues];
    const strict = checkStrict?.(input.query ?? {});
    if (strict !== undefined) issues.push(...strict.issues);
    const invalidNames = new Set(issues.map(({ loc }) => loc.join()));
    if (strict?.value['strict'] === true) {
      const unknown = unknownMembers(endpoint, input);
      // Some bodies never allow unknown members. Such members have been reported already.
      issues.push(...unknown.filter(({ loc }) => !invalidNames.has(loc.join())));
    }
    // A parameter that is invalid by itself is not reported again in an error about a combination.
    const combined = endpoint.check?.(query.value, context) ?? [];
    issues.push(...combined.filter(({ loc }) => !invalidNames.has(loc.join())));
    if (issues.length > 0) throw invalid(issues);

    const valid = { path: path.value, query: query.value, body: body.value };
    const payer = payerOf(caller);
    const size = sizeOf(query.value, body.value);
    let hasFailed = false;
    let isHandled = false;
    const slotRequest: SlotRequest = {
      ...payer,
      had: 0,
      // After a request has got slots, it may have changed something, so it is completed even if the client has disconnected.
      isOver: () => hasFailed || (slotRequest.had === 0 && caller.isDisconnected()),
    };
    const pay = (ms: number) => {
      if (isCharged) pools.requests.charge(payer, ms);
    };
    /** Releases the slots of the last answer of Elasticsearch, which the request still processes, and charges for it once. */
    let letGo = holdsNone;
    const admit: AdmitToEngine = async (operation) => {
      letGo();
      const kind = `${name} ${operation}`;
      const release: Release = isFree
        ? (spent = 0) => pay(spent)
        : await pools.requests.acquire(slotRequest, processorTime.expected(kind, size));
      const began = performance.now();
      return (tookMs) => {
        const spent =
          tookMs === null
            ? processorTime.failed(kind, size, performance.now() - began)
            : processorTime.answered(kind, size, tookMs);
        letGo();
        // A failed request does not lower the limit of concurrent requests. Otherwise one slow request would reduce the slots of all others.
        letGo = () => {
          clearTimeout(late);
          letGo = holdsNone;
          release(spent, tookMs);
        };
        const late = setTimeout(letGo, slotRequest.isPatient === true ? 0 : PROCESSED_MS);
      };
    };
    const spend = (ms: number) => processorTime.measured(ms, pay);
    const handle = () => {
      isHandled = true;
      const origin = { opaqueId: endpoint.path, headers: { traceparent: traceparentOf(trace) } };
      const by = { timings, admit, origin };
      // The time of these requests to Elasticsearch is charged to this HTTP request, which the requests also name.
      const own = {
        es: timedClient(context.es, by),
        ...(endpoint.pool === 'load' && { writer: timedClient(context.writer, by) }),
        readListing: timedReads(context.readListing, by),
      };
      return endpoint.handle({ ...context, ...own }, valid, { ...caller, spend });
    };
    const answer = () => {
      if (caller.isDisconnected()) return null;
      if (!isCached(endpoint, query.value)) return handle();
      return cache.answer(JSON.stringify([endpoint.path, path.value, query.value, body.value]), handle);
    };
    const release = endpoint.pool === 'load' ? await pools.load.acquire({ client: caller.client }) : null;
    try {
      return await answer();
    } catch (error) {
      hasFailed = true;
      if (!isFree && slotRequest.had === 0 && caller.isDisconnected()) return null;
      throw error;
    } finally {
      release?.();
      letGo();
      slotRequest.isPatient = true;
      const [kind, ofSize] = isHandled ? [name, size] : ['cached', 0];
      processorTime.handled(kind, ofSize, pay);
    }
  };
}

/** How long, in ms, a request may hold its slots while it processes an answer, so that a client does not occupy the processors. */
const PROCESSED_MS = 250;

const holdsNone = (): void => undefined;

/** The client that is charged: the developer of the key, or one client for all without a key. `member`: the key or address. */
const payerOf = ({ key, client }: Pick<Caller, 'key' | 'client'>): SlotRequest =>
  key === null
    ? { client: 'public', member: client }
    : { client: `developer:${key.developerId}`, member: client, weight: TIERS[key.tier] / TIERS.free };

const isCached = ({ cached }: Endpoint, query: Record<string, unknown>): boolean =>
  typeof cached === 'function' ? cached(query) : cached === true;
