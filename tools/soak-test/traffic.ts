import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { pause } from '../../src/platform/pause.js';

export type Pick = <T>(list: readonly T[]) => T;

export interface Kind {
  name: string;
  weight: number;
  status: number;
  /** Whether the client closes the connection after it has read the beginning of the response. */
  leaves?: boolean;
  make: (pick: Pick) => { path: string; body?: string; key?: string | null };
}

export interface Subjects {
  ids: readonly number[];
  queries: readonly string[];
  categories: readonly string[];
}

/** Returns the kinds of requests, with weights as in typical traffic. Some of them are invalid. */
export function kindsOf({ ids, queries, categories }: Subjects): Kind[] {
  const q = (pick: Pick) => encodeURIComponent(pick(queries));
  const category = (pick: Pick) => encodeURIComponent(pick(categories));
  const get = (name: string, weight: number, path: (pick: Pick) => string, status = 200): Kind => ({
    name,
    weight,
    status,
    make: (pick) => ({ path: path(pick) }),
  });
  const compare = (path: string) => (pick: Pick) => {
    const chosen = new Set<number>();
    while (chosen.size < 3) chosen.add(pick(ids));
    return { path, body: JSON.stringify({ product_ids: [...chosen] }) };
  };
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
      make: () => ({ path: '/v1/products/compare', body: '{"product_ids":[1,' }),
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

interface TrafficOutcome {
  requests: number;
  /** The number of requests without a response, or with a response of an unexpected status. */
  errors: number;
  /** The number of responses whose body differs from the recorded, correct one. */
  wrong: number;
  times: RecordableHistogram;
}

export interface Traffic {
  outcomes: Map<string, TrafficOutcome>;
  errors: string[];
  done: Promise<void>;
}

export interface Question {
  method: 'GET' | 'POST';
  path: string;
  body: string | null;
}

/** Returns what is wrong with a response body; null if it is correct. */
export type Check = (question: Question, text: string) => string | null;

const MAX_REPORTED_ERRORS = 20;
const TIMEOUT_MS = 30_000;

export const pickAny: Pick = (list) => list[Math.floor(Math.random() * list.length)] as (typeof list)[number];

export const questionOf = ({ path, body = null }: { path: string; body?: string | null }): Question => ({
  method: body === null ? 'GET' : 'POST',
  path,
  body,
});

interface TrafficOptions {
  kinds: readonly Kind[];
  keys: readonly string[];
  rate: number;
  signal: AbortSignal;
  check?: Check | undefined;
}

/** Sends `rate` requests per second, regardless of outstanding responses, until `signal` aborts. */
export function startTraffic(url: string, { kinds, keys, rate, signal, check }: TrafficOptions): Traffic {
  const dispatcher = new Agent({ connections: 64, pipelining: 1 });
  const errors: string[] = [];
  const counted = kinds.map((kind) => {
    const times = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
    return { kind, outcome: { requests: 0, errors: 0, wrong: 0, times } };
  });
  const bag = counted.flatMap((each) => Array.from({ length: each.kind.weight }, () => each));
  let sent = 0;
  const send = async ({ kind, outcome }: (typeof counted)[number]): Promise<void> => {
    sent += 1;
    const made = kind.make(pickAny);
    const { key = keys[sent % keys.length] ?? null } = made;
    const question = questionOf(made);
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(question.body === null ? {} : { 'content-type': 'application/json' }),
    };
    const started = performance.now();
    const { problem, text } = await request(new URL(made.path, url), {
      method: question.method,
      headers,
      body: question.body,
      dispatcher,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    })
      .then((response) => checkStatus(response, kind))
      .catch((error: unknown) => ({ problem: String(error), text: null }));
    const took = performance.now() - started;
    outcome.times.record(Math.max(1, Math.round(took * 1_000)));
    outcome.requests += 1;
    const wrong = problem === null && text !== null ? (check?.(question, text) ?? null) : null;
    if (problem !== null) outcome.errors += 1;
    if (wrong !== null) outcome.wrong += 1;
    const reported = problem ?? wrong;
    if (reported !== null && errors.length < MAX_REPORTED_ERRORS)
      errors.push(
        `${new Date().toISOString()} ${kind.name}: ${made.path}: ${reported} (after ${Math.round(took)} ms)`,
      );
  };
  const run = async () => {
    const started = performance.now();
    const underWay = new Set<Promise<void>>();
    for (let count = 0; !signal.aborted; count += 1) {
      const wait = started + (count * 1_000) / rate - performance.now();
      if (wait > 0) await pause(wait, signal);
      const sending = send(pickAny(bag)).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await Promise.all(underWay);
    await dispatcher.close();
  };
  return { outcomes: new Map(counted.map(({ kind, outcome }) => [kind.name, outcome])), errors, done: run() };
}

/** Compares the status with the expected one. The text is null if the client left early. */
async function checkStatus(
  { statusCode, body }: Awaited<ReturnType<typeof request>>,
  { status, leaves }: Kind,
): Promise<{ problem: string | null; text: string | null }> {
  if (leaves === true && statusCode === status) {
    body.on('error', () => undefined).destroy();
    return { problem: null, text: null };
  }
  const text = await body.text();
  return { problem: statusCode === status ? null : `${statusCode} ${text.slice(0, 200)}`, text };
}
