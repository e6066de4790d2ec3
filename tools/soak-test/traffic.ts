import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

type Pick = <T>(list: readonly T[]) => T;

interface Kind {
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
function kindsOf({ ids, queries, categories }: Subjects): Kind[] {
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

/** The requests of one kind. Errors are requests without a response or with an unexpected status. */
interface Outcome {
  requests: number;
  errors: number;
  times: RecordableHistogram;
}

export interface Traffic {
  outcomes: Map<string, Outcome>;
  errors: string[];
  done: Promise<void>;
}

const MAX_REPORTED_ERRORS = 20;
const TIMEOUT_MS = 30_000;

const pick: Pick = (list) => list[Math.floor(Math.random() * list.length)] as (typeof list)[number];

/** Sends `rate` requests per second, regardless of outstanding responses, until `signal` aborts. */
export function startTraffic(
  { url, keys, subjects }: { url: string; keys: readonly string[]; subjects: Subjects },
  rate: number,
  signal: AbortSignal,
): Traffic {
  const dispatcher = new Agent({ connections: 64, pipelining: 1 });
  const errors: string[] = [];
  const kinds = kindsOf(subjects).map((kind) => {
    const times = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
    return { ...kind, outcome: { requests: 0, errors: 0, times } };
  });
  const bag = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  let sent = 0;
  const send = async (kind: (typeof kinds)[number]): Promise<void> => {
    const { outcome } = kind;
    sent += 1;
    const { path, body = null, key = keys[sent % keys.length] ?? null } = kind.make(pick);
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    };
    const started = performance.now();
    const problem = await request(new URL(path, url), {
      method: body === null ? 'GET' : 'POST',
      headers,
      body,
      dispatcher,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    })
      .then((response) => problemOf(response, kind))
      .catch(String);
    const took = performance.now() - started;
    outcome.requests += 1;
    outcome.times.record(Math.max(1, Math.round(took * 1_000)));
    if (problem === null) return;
    outcome.errors += 1;
    if (errors.length < MAX_REPORTED_ERRORS)
      errors.push(
        `${new Date().toISOString()} ${kind.name}: ${path}: ${problem} (after ${Math.round(took)} ms)`,
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
    await dispatcher.close();
  };
  return { outcomes: new Map(kinds.map(({ name, outcome }) => [name, outcome])), errors, done: run() };
}

async function problemOf(
  { statusCode, body }: Awaited<ReturnType<typeof request>>,
  { status, leaves }: Kind,
): Promise<string | null> {
  if (leaves === true && statusCode === status) {
    body.on('error', () => undefined).destroy();
    return null;
  }
  const text = await body.text();
  return statusCode === status ? null : `${statusCode} ${text.slice(0, 200)}`;
}
