import type { TSchema } from 'typebox';
import type { Endpoint } from '../../src/http/endpoint.js';
import { endpoints } from '../../src/http/routes/index.js';
import { Random } from '../sample-catalogue/random.js';

/** A request: values of parameters and members of the body by name. */
type Values = Record<string, unknown>;

interface Attempt {
  query: Values;
  body: Values;
  request: ExpensiveRequest;
}

/** A request, with the shorter of its two response times in ms. */
export interface ExpensiveRequest {
  ms: number;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** The number of slowest requests of each endpoint that are kept. New requests are random changes of these. */
const KEPT = 3;

/** Words and ids of the catalogue, from which the values of requests are made. */
export interface Catalogue {
  words: readonly string[];
  ids: readonly number[];
}

/** Returns a random value that the schema usually accepts. In half of the cases, it is as large as the schema allows. */
function valueOf(schema: TSchema, random: Random, catalogue: Catalogue): unknown {
  const one = schema as {
    enum?: unknown[];
    anyOf?: TSchema[];
    type?: string;
    items?: TSchema;
    maxItems?: number;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    properties?: Record<string, TSchema>;
  };
  if (one.enum !== undefined) return random.pick(one.enum);
  if (one.anyOf !== undefined) return valueOf(random.pick(one.anyOf), random, catalogue);
  const most = (limit: number) => (random.chance(0.5) ? limit : 1 + random.below(limit));
  switch (one.type) {
    case 'boolean':
      return random.chance(0.8);
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum } = one;
      return maximum === undefined ? random.pick(catalogue.ids) : minimum + most(maximum - minimum);
    }
    case 'array': {
      const { items = {}, maxItems = 20 } = one;
      const values = Array.from({ length: most(maxItems) }, () => valueOf(items, random, catalogue));
      return [...new Set(values)];
    }
    case 'object':
      return Object.fromEntries(
        Object.entries(one.properties ?? {}).map(([name, of]) => [name, valueOf(of, random, catalogue)]),
      );
    default: {
      const count = most(Math.ceil((one.maxLength ?? 60) / 7));
      const misspelt = (word: string) => (random.chance(0.5) ? word : `${word.slice(0, 3)}q${word.slice(3)}`);
      const words = Array.from({ length: count }, () => misspelt(random.pick(catalogue.words)));
      return words.join(' ').slice(0, one.maxLength);
    }
  }
}

/** The largest number of parameters that one attempt changes. Many filters at once find nothing, and cost nothing. */
const MOST_CHANGES = 3;

/** Gives some parameters a value, and leaves some out; required ones always have a value. */
function changed(values: Values, schema: TSchema, random: Random, catalogue: Catalogue): Values {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  const next = new Map(Object.entries(values));
  const names = random.shuffled(Object.keys(properties)).slice(0, 1 + random.below(MOST_CHANGES));
  for (const name of [...required.filter((one) => !next.has(one)), ...names]) {
    const of = properties[name];
    if (of !== undefined && (required.includes(name) || random.chance(0.75)))
      next.set(name, valueOf(of, random, catalogue));
    else next.delete(name);
  }
  return Object.fromEntries(next);
}

/** Sends a request, and returns its response time in ms; null if it was refused. */
export type Timed = (request: Omit<ExpensiveRequest, 'ms'>) => Promise<number | null>;

/** Searches for the slowest request of each endpoint that only reads: new requests are random changes of the slowest ones so far. */
export async function findExpensive(
  timed: Timed,
  catalogue: Catalogue,
  { tries, seed }: { tries: number; seed: number },
): Promise<ExpensiveRequest[]> {
  const random = new Random(seed);
  const found: ExpensiveRequest[] = [];
  for (const endpoint of endpoints.filter(isRead)) {
    let best: Attempt[] = [];
    for (let at = 0; at < tries; at += 1) {
      const from = best.length === 0 || random.chance(0.2) ? null : random.pick(best);
      const query = changed(from?.query ?? {}, endpoint.query, random, catalogue);
      const body = endpoint.body === null ? {} : changed(from?.body ?? {}, endpoint.body, random, catalogue);
      const request = requestOf(endpoint, query, body, String(random.pick(catalogue.ids)));
      const first = await timed(request);
      const second = first === null ? null : await timed(request);
      if (first === null || second === null) continue;
      const attempt = { query, body, request: { ms: Math.round(Math.min(first, second)), ...request } };
      best = [...best, attempt].sort((a, b) => b.request.ms - a.request.ms).slice(0, KEPT);
    }
    found.push(...best.slice(0, 1).map(({ request }) => request));
  }
  return found.sort((a, b) => b.ms - a.ms);
}

const isRead = ({ access, method, path, pool, upload }: Endpoint): boolean =>
  (access === 'read' || access === 'key' || access === 'suggestions') &&
  (method === 'get' || method === 'post') &&
  pool === undefined &&
  upload === undefined &&
  !/alerts|decisions/.test(path);

function requestOf(
  endpoint: Endpoint,
  query: Values,
  body: Values,
  id: string,
): Omit<ExpensiveRequest, 'ms'> {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(',') : String(value),
  ]);
  const path = `${endpoint.path.replaceAll(/\{\w+\}/g, id)}?${new URLSearchParams(pairs).toString()}`;
  return endpoint.body === null ? { method: 'GET', path } : { method: 'POST', path, body };
}
