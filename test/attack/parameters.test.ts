// Chaos only (hostile, sampled, 3 min): it sends every hostile value to every parameter.
import type { JsonObject } from '../../src/schemas/json-object.js';
import { resolvedOperations } from '../../tools/openapi-operations.js';
import { assert } from 'chai';
import { main as makeSuggestions } from '../../scripts/suggest.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { run } from '../support/command.js';
import { record, skus } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';
import { HOSTILE_JSON, HOSTILE_TEXTS } from './hostile-values.js';
import { assertRefusal, inTime } from './refusals.js';
import { sampled } from '../support/chaos.js';
import { until } from '../support/until.js';

/** The part of an operation of the OpenAPI document that the attacks need. */
interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string; required?: boolean }[];
  /** The members of the request body; empty if the operation has no body. */
  members: string[];
}

/** The valid values of the parameters that an operation requires besides the hostile value. */
const PLAIN: Record<string, string> = { q: 'kettle', product_id: '1' };
const NAMES = ['__proto__', '__proto__[limit]', 'constructor[prototype][limit]', 'toString', ''];
const AT_ONCE = 8;
/** The number of attacks of each kind that `npm test` sends. */
const SAMPLE = 150;

describe('hostile parameters', function () {
  const api = useApi(
    Array.from({ length: 30 }, (_, i) =>
      record({ sku: `s${i}`, name: `Kettle ${i}`, category: `Kettles ${i}` }),
    ),
    { EVENTS: 'on', TRUST_PROXY: '1' },
  );
  let operations: Operation[];
  before(async () => {
    const env = { ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: api.prefix };
    assert.equal((await run(makeSuggestions, [], { env })).code, 0);
    const { body: document } = await api.open('/openapi.json');
    // These are left out, because MCP and UCP give errors a form of their own.
    operations = operationsOf(document).filter(({ path }) => !/^\/(?:mcp|ucp)\b/.test(path));
  });

  /**
   * Sends attacks, some at the same time, and asserts that each is answered in time and with no status 5xx.
   */
  const attack = async (
    attacks: { what: string; path: string; init: RequestInit }[],
    mayBeLimited = false,
  ) => {
    // The attacks need several keys, because a premium key may send a thousand requests per minute and has
    // four exports at a time.
    const keys = await Promise.all(
      Array.from({ length: 3 + Math.ceil(attacks.length / 900) }, () => api.key()),
    );
    let next = 0;
    let refused = 0;
    const worker = async () => {
      for (let i = next++; i < attacks.length; i = next++) {
        const { what, path, init } = attacks[i] ?? assert.fail();
        // The attacks come from several addresses, because some requests are counted by client address.
        const from = { 'x-forwarded-for': `203.0.113.${i % 200}` };
        const headers = { authorization: `Bearer ${keys[i % keys.length]}`, ...from, ...init.headers };
        const reply = await inTime(what, (signal) =>
          fetch(`${api.url}${path}`, { redirect: 'manual', ...init, headers, signal }),
        );
        if (!mayBeLimited)
          assert.notEqual(reply.status, 429, `${what}: the limit says nothing of the attack`);
        if (reply.status < 400) continue;
        refused += 1;
        assertRefusal(reply, what);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    assert.isAbove(refused, 0);
    // The service runs in this process, so a polluted prototype would be visible here.
    assert.isEmpty(Object.keys(Object.prototype));
    assert.isUndefined(({} as Record<string, unknown>)['polluted']);
    await until(async () => (await api.open('/readyz')).status === 200);
    return attacks.length;
  };

  const gets = () => operations.filter(({ method, path }) => method === 'get' && path !== '/v1/keys');

  it('are answered by each GET, one at a time, and never by a 5xx', async () => {
    const met = new Set<string>();
    const attacks = gets().flatMap(({ path, parameters }, operation) =>
      parameters.flatMap((parameter) => {
        // Operations share the schema of a parameter with the same name. The first operation is attacked with
        // all texts, further ones with every fifth text.
        const share = met.has(parameter.name) ? 5 : 1;
        met.add(parameter.name);
        return (
          Object.entries(HOSTILE_TEXTS)
            .filter((_, i) => (i + operation) % share === 0)
            // A text with a slash would change the path of the request, or remove the parameter from it.
            .filter(([, text]) => parameter.in !== 'path' || /^[^/]+$/.test(text))
            .map(([name, text]) => ({
              what: `${parameter.name}=${name} of ${path}`,
              path: urlOf(path, parameters, { [parameter.name]: text }),
              init: {},
            }))
        );
      }),
    );
    await attack(sampled(attacks, SAMPLE));
  });

  it('are harmless as arrays, as objects, repeated, and under names of inherited members', async () => {
    const attacks = gets().flatMap(({ path, parameters }) => {
      const names = parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name }) => [`${name}[]`, `${name}[a]`, `${name}[__proto__]`, `${name}.a`, name]);
      return [...names, ...NAMES].map((name) => ({
        what: `${name} of ${path}`,
        path: `${urlOf(path, parameters, {})}&${name}=1&${name}=NaN&${name}=%00`,
        init: {},
      }));
    });
    await attack(sampled(attacks, SAMPLE));
  });

  it('are answered by each body, one member at a time, and never by a 5xx', async () => {
    const attacks = operations.flatMap(({ path, method, members }) => {
      if (members.length === 0) return [];
      // Fewer attacks on `/v1/keys` are sent, because they are counted by client address: an address may send
      // a hundred requests and five wrong secrets per minute.
      const share = path === '/v1/keys' ? 3 : 1;
      return [...members, '__proto__', 'constructor'].flatMap((member, at) =>
        Object.entries(HOSTILE_JSON)
          .filter((_, i) => (i + at) % share === 0)
          .map(([name, json]) => ({
            what: `${member}: ${name} of ${path}`,
            path,
            init: { method, body: bodyOf(members, member, json) },
          })),
      );
    });
    const isGuess = ({ what }: { what: string }) => what.startsWith('admin_secret');
    await attack(
      sampled(
        attacks.filter((each) => !isGuess(each)),
        SAMPLE,
      ),
    );
    await attack(sampled(attacks.filter(isGuess), SAMPLE), true);
  });

  it('have no meaning to the engine: query syntax is text', async () => {
    const found = async (q: string) => skus((await api.get(`/v1/search?limit=100&${q}`)).body);
    const kettle = await found('q=kettle%207');
    assert.equal(kettle[0], 's7');
    for (const syntax of ['*', '*:*', '/.*/', '?', '~', '()', '%22%22', '^', '[*%20TO%20*]', '+-!', '%5C*']) {
      // Only "TO" is a word in these texts, and no listing contains it.
      assert.deepEqual(await found(`q=${syntax}`), [], syntax);
      assert.deepEqual(await found(`category=${syntax}`), [], syntax);
    }
    for (const text of ['kettle%20%2B7', 'NOT%20kettle%207', 'name:kettle%207'])
      assert.equal((await found(`q=${text}`))[0], 's7', text);
  });

  it('of 100,000 characters are refused before they are read', async () => {
    for (const path of ['/v1/search?q=', '/v1/products/', '/']) {
      const reply = await inTime(path, (signal) =>
        fetch(`${api.url}${path}${'x'.repeat(100_000)}`, { signal }),
      );
      assert.equal(reply.status, 431, path);
      assertRefusal(reply, path);
    }
  });

  it('in unknown paths cost no more than others, whatever the log searches for', async () => {
    // With a regular expression of quadratic cost, each of these requests took seconds, and delayed all
    // others.
    await Promise.all(
      Array.from({ length: 40 }, () =>
        inTime('a path of colons', (signal) => fetch(`${api.url}/a://${':'.repeat(15_000)}`, { signal })),
      ),
    );
  });
});

function operationsOf(document: any): Operation[] {
  const resolve = (schema: any): any =>
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)];
  return resolvedOperations(document as JsonObject).map(({ path, method, operation }) => {
    const { requestBody, parameters } = operation as any;
    const schema = resolve(requestBody?.content?.['application/json']?.schema);
    return { method, path, parameters, members: Object.keys(schema?.properties ?? {}) };
  });
}

/** Returns a URL with the hostile texts, and with valid values for the other required parameters. */
function urlOf(path: string, parameters: Operation['parameters'], texts: Record<string, string>): string {
  const all = { ...PLAIN, ...texts };
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || parameter.name in texts))
    .map(({ name }) => `${name}=${all[name] ?? ''}`);
  return `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => all[name] ?? '')}?${query.join('&')}`;
}

/** Returns a valid body in which one member is replaced by the hostile JSON. */
function bodyOf(members: string[], member: string, json: string): string {
  const good: Record<string, string> = {
    product_ids: '[1,2]',
    admin_secret: JSON.stringify(ADMIN_SECRET),
    tier: '"free"',
    developer_id: '"tests"',
    name: '"tests"',
  };
  const others = members.filter((name) => name !== member && name in good);
  return `{${[...others.map((name) => `"${name}":${good[name]}`), `"${member}":${json}`].join()}}`;
}
