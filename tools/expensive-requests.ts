/** npm run expensive-requests: searches for the most expensive requests of a running service; see --help. */
import type { TSchema } from 'typebox';
import { command } from '../scripts/shared/command.js';
import { needed, preset, text, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import type { Endpoint } from '../src/http/endpoint.js';
import { endpoints } from '../src/http/routes/index.js';
import { Random } from './sample-catalogue/random.js';

/** A request: values of parameters and members of the body by name. */
type Values = Record<string, unknown>;

interface Attempt {
  endpoint: Endpoint;
  query: Values;
  body: Values;
  /** The shortest response time of two requests, in ms. */
  ms: number;
}

/** Requests that were the most expensive of their endpoint are the origin of the following ones. */
const KEPT = 3;
const REPORTED = 10;

/** What the values are made of: words and ids of the catalogue. */
interface Catalogue {
  words: readonly string[];
  ids: readonly number[];
}

/** Makes a value that a schema accepts, most of the time; as much of it as possible in half of the cases. */
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

/** Replaces some of the values, each of which is left out now and then. */
function changed(
  values: Values,
  schema: TSchema,
  random: Random,
  catalogue: Catalogue,
  share: number,
): Values {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  const next = new Map(Object.entries(values));
  for (const [name, of] of Object.entries(properties)) {
    if (next.has(name) && !random.chance(share)) continue;
    if (required.includes(name) || random.chance(0.5)) next.set(name, valueOf(of, random, catalogue));
    else next.delete(name);
  }
  return Object.fromEntries(next);
}

export const main = command({
  name: 'expensive-requests',
  about: `Searches for the requests that a running service takes longest to answer, by a seeded search over all parameters of all
endpoints that only read: it changes the slowest requests of each endpoint further. Run it on an idle machine.`,
  options: {
    url: needed(webUrl('the address of the service')),
    key: needed(text('KEY', 'an API key of the tier premium')),
    tries: preset(
      wholeNumber('the number of requests that are tried for each endpoint', { min: 1, max: 10_000 }),
      60,
    ),
    seed: preset(wholeNumber('the seed of the random numbers', { min: 0, max: 2 ** 32 - 1 }), 1),
  },
  async run({ options: { url, key, tries, seed } }, _env, { out }) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const ask = async (path: string, init: RequestInit = {}) => {
      const began = performance.now();
      const response = await fetch(new URL(path, url), { headers, ...init });
      const bytes = await response.text();
      return { status: response.status, ms: performance.now() - began, text: bytes };
    };
    const { items } = JSON.parse((await ask('/v1/search?limit=100')).text) as {
      items: { id: number; name: string }[];
    };
    const catalogue = { words: items.flatMap(({ name }) => name.split(' ')), ids: items.map(({ id }) => id) };
    const random = new Random(seed);

    const pathOf = ({ path }: Endpoint, query: Values): string => {
      const pairs = Object.entries(query).map(([name, value]): [string, string] => [
        name,
        Array.isArray(value) ? value.join(',') : String(value),
      ]);
      return `${path.replaceAll(/\{\w+\}/g, String(random.pick(catalogue.ids)))}?${new URLSearchParams(pairs).toString()}`;
    };
    const measured = async (endpoint: Endpoint, query: Values, body: Values): Promise<Attempt | null> => {
      const init = endpoint.body === null ? {} : { method: 'POST', body: JSON.stringify(body) };
      const first = await ask(pathOf(endpoint, query), init);
      if (first.status === 429) throw new Error('The rate limit of the key is reached: give a higher one');
      if (first.status >= 300) return null;
      const { ms } = await ask(pathOf(endpoint, query), init);
      return { endpoint, query, body, ms: Math.min(first.ms, ms) };
    };

    const all: Attempt[] = [];
    const reads = endpoints.filter(
      ({ access, method, pool, upload }) =>
        (access === 'read' || access === 'key' || access === 'suggestions') &&
        (method === 'get' || method === 'post') &&
        pool === undefined &&
        upload === undefined,
    );
    for (const endpoint of reads.filter(({ path }) => !/alerts|decisions/.test(path))) {
      let best: Attempt[] = [];
      for (let at = 0; at < tries; at += 1) {
        const from = best.length === 0 || random.chance(0.3) ? null : random.pick(best);
        const query = changed(from?.query ?? {}, endpoint.query, random, catalogue, 0.2);
        const body =
          endpoint.body === null ? {} : changed(from?.body ?? {}, endpoint.body, random, catalogue, 0.2);
        const attempt = await measured(endpoint, query, body);
        if (attempt !== null) best = [...best, attempt].sort((a, b) => b.ms - a.ms).slice(0, KEPT);
      }
      all.push(...best);
    }
    for (const { endpoint, query, body, ms } of all.sort((a, b) => b.ms - a.ms).slice(0, REPORTED))
      out.write(
        `${ms.toFixed(0).padStart(6)} ms  ${endpoint.method.toUpperCase()} ${pathOf(endpoint, query)} ${JSON.stringify(body)}\n`,
      );
  },
});

await start(import.meta.url, main);
