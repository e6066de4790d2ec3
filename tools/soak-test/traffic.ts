import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface Kind {
  name: string;
  weight: number;
  status: number;
  /** Whether the client closes the connection after it has read the beginning of the response. */
  leaves?: boolean;
  make: (pick: Pick) => { method?: 'GET' | 'POST'; path: string; body?: string; key?: string | null };
}

export type Pick = <T>(list: readonly T[]) => T;

export interface Subjects {
  ids: readonly number[];
  queries: readonly string[];
  categories: readonly string[];
}

const json = (value: unknown) => ({ method: 'POST' as const, body: JSON.stringify(value) });

/** Returns the kinds of requests, with weights as in typical traffic. Some of them are invalid. */
export function kindsOf({ ids, queries, categories }: Subjects): Kind[] {
  const q = (pick: Pick) => encodeURIComponent(pick(queries));
  const category = (pick: Pick) => encodeURIComponent(pick(categories));
  const some = (pick: Pick, count: number): number[] => {
    const chosen = new Set<number>();
    while (chosen.size < count) chosen.add(pick(ids));
    return [...chosen];
  };
  const get = (name: string, weight: number, path: (pick: Pick) => string, status = 200): Kind => ({
    name,
    weight,
    status,
    make: (pick) => ({ path: path(pick) }),
  });
  const compare = (path: string) => (pick: Pick) => ({ path, ...json({ product_ids: some(pick, 3) }) });
  return [
    get('search', 28, (pick) => `/v1/search?q=${q(pick)}`),
    get('search, filtered', 12, (pick) =>
      [
        `/v1/search?q=${q(pick)}&min_price=${pick([1, 5, 20])}&max_price=${pick([50, 200, 1000])}`,
        `in_stock=${pick(['true', 'false'])}&category=${category(pick)}&offset=${pick([0, 20, 200])}`,
      ].join('&'),
    ),
    get('products', 6, (pick) => `/v1/products?limit=50&offset=${pick([0, 50, 5_000])}`),
    get('one listing', 16, (pick) => `/v1/products/${pick(ids)}`),
    get('compare', 8, (pick) => `/v1/products/compare?product_id=${pick(ids)}`),
    { name: 'matrix', weight: 4, status: 200, make: compare('/v1/products/compare') },
    { name: 'diff', weight: 4, status: 200, make: compare('/v1/products/compare/diff') },
    get('deals', 4, () => '/v1/deals'),
    get('trending', 2, (pick) => `/v1/products/trending?category=${category(pick)}`),
    get('categories', 2, (pick) => `/v1/categories${pick(['', '?include=prices'])}`),
    get('export', 2, (pick) => `/v1/products/export?limit=2000&format=${pick(['json', 'csv', 'ndjson'])}`),
    { ...get('export, client leaves', 2, () => '/v1/products/export?limit=10000'), leaves: true },
    get('invalid', 3, (pick) => `/v1/search?limit=${pick(['0', 'ten', '1e400'])}`, 422),
    {
      name: 'invalid JSON',
      weight: 2,
      status: 422,
      make: () => ({ method: 'POST', path: '/v1/products/compare', body: '{"product_ids":[1,' }),
    },
    get('unknown id', 2, () => '/v1/products/0', 404),
    get('unknown path', 1, () => '/v1/nothing', 404),
    {
      name: 'no key',
      weight: 2,
      status: 401,
      make: (pick) => ({ path: '/v1/search', key: pick([null, 'svc_live_x', 'a.b.c']) }),
    },
  ];
}

export interface RequestOutcome {
  requests: number;
  /** The number of requests without a response or with a response of an unexpected status. */
  errors: number;
  /** The number of responses whose body differs from the recorded, correct one. */
  wrong: number;
  times: RecordableHistogram;
}

export interface Traffic {
  outcomes: Map<string, RequestOutcome>;
  errors: string[];
  done: Promise<void>;
}

/** Returns what is wrong with a response body; null if it is correct. */
export type Check = (question: Question, text: string) => string | null;

export interface Question {
  method: 'GET' | 'POST';
  path: string;
  body: string | null;
}

const MAX_REPORTED_ERRORS = 20;
const TIMEOUT_MS = 30_000;

/** Sends `rate` requests per second, regardless of outstanding responses, until `signal` aborts. */
export function startTraffic(
  url: string,
  given: {
    kinds: readonly Kind[];
    keys: readonly string[];
    rate: number;
    signal: AbortSignal;
    check?: Check | undefined;
  },
): Traffic {
  const { kinds, keys, rate, signal, check } = given;
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const traffic: Traffic = { outcomes: new Map(), errors: [], done: Promise.resolve() };
  for (const { name } of kinds) {
    const times = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
    traffic.outcomes.set(name, { requests: 0, errors: 0, wrong: 0, times });
  }
  const pick: Pick = (list) => list[Math.floor(Math.random() * list.length)] as (typeof list)[number];
  const bag = kinds.flatMap((kind) => Array<Kind>(kind.weight).fill(kind));
  let sent = 0;
  const send = async (kind: Kind): Promise<void> => {
    sent += 1;
    const { method = 'GET', path, body, key = keys[sent % keys.length] ?? null } = kind.make(pick);
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const outcome = traffic.outcomes.get(kind.name);
    if (outcome === undefined) return;
    const started = performance.now();
    const question: Question = { method, path, body: body ?? null };
    const { problem, text } = await sendRequest(new URL(path, url), { ...question, headers, agent, kind });
    const took = performance.now() - started;
    outcome.times.record(Math.max(1, Math.round(took * 1_000)));
    outcome.requests += 1;
    const wrong = problem === null && text !== null ? (check?.(question, text) ?? null) : null;
    if (problem !== null) outcome.errors += 1;
    if (wrong !== null) outcome.wrong += 1;
    const reported = problem ?? wrong;
    if (reported !== null && traffic.errors.length < MAX_REPORTED_ERRORS)
      traffic.errors.push(
        `${new Date().toISOString()} ${kind.name}: ${path}: ${reported} (after ${Math.round(took)} ms)`,
      );
  };
  const run = async () => {
    const started = performance.now();
    const underWay = new Set<Promise<void>>();
    for (let count = 0; !signal.aborted; count += 1) {
      const wait = started + (count * 1_000) / rate - performance.now();
      if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
      const sending = send(pick(bag)).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await Promise.all(underWay);
    await agent.close();
  };
  traffic.done = run();
  return traffic;
}

/** Sends one request. The text is null if the client left early, or if there was no response. */
async function sendRequest(
  url: URL,
  given: Question & { headers: Record<string, string>; agent: Agent; kind: Kind },
): Promise<{ problem: string | null; text: string | null }> {
  const { method, headers, body, agent, kind } = given;
  try {
    const answer = await request(url, {
      method,
      headers,
      body,
      dispatcher: agent,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const isOther = answer.statusCode !== kind.status;
    if (kind.leaves === true && !isOther) {
      answer.body.on('error', () => undefined).destroy();
      return { problem: null, text: null };
    }
    const text = await answer.body.text();
    return { problem: isOther ? `${answer.statusCode} ${text.slice(0, 200)}` : null, text };
  } catch (error) {
    return { problem: String(error), text: null };
  }
}
