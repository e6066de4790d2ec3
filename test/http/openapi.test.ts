import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { assert } from 'chai';
import { openApiDocument } from '../../src/http/openapi/openapi.js';
import { agentPaths, documentedPaths } from '../../src/http/agents/index.js';
import { readCursor, toCursor } from '../../src/products/changes/cursor.js';
import { PRODUCT_FIELDS } from '../../src/schemas/product.js';
import { buildSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import { resolvedOperations } from '../../tools/openapi-operations.js';
import { ADMIN_SECRET, type Reply, useApi } from '../support/api.js';
import { offer } from '../support/listings.js';

type Json = Record<string, any>;

type Init = RequestInit & { json?: unknown };
/**
 * How an operation is requested: a query string, or a URL other than the path, and the options of the
 * request.
 */
type Call = string | Init | [url: string, init: Init];

/**
 * Closes every object schema, so that a member of a response that the document does not describe is found. The parts of an `allOf`
 * stay open, because each of them describes some members.
 */
function closed(value: unknown, isPart = false): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => closed(one));
  const schema = Object.fromEntries(
    Object.entries(value as Json).map(([key, inner]) => [
      key,
      key === 'allOf'
        ? (inner as Json[]).map((part) => closed(part, true))
        : key === 'example' || key === 'examples'
          ? inner
          : closed(inner, PARTS.has(key)),
    ]),
  );
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  if (isPart || !(isObject || Array.isArray(schema.allOf)) || 'additionalProperties' in schema) return schema;
  return { ...schema, unevaluatedProperties: false };
}

/** The components from which other schemas are derived by `allOf`. */
const PARTS = new Set(['SelectableFields', 'ListingFields', 'FoundPageFields', 'Alert', 'Assessment']);

/** The document with resolved operations, for readers that follow no references but those to schemas. */
function resolvedDocument(document: Json): Json {
  const paths: Json = {};
  for (const { path, method, operation } of resolvedOperations(document))
    (paths[path] ??= {})[method] = operation;
  return { ...document, paths };
}

describe('the OpenAPI document', () => {
  const api = useApi(
    [
      offer('a', 'Auralis AX-1000M5 headphones', '10.00', {
        source: 'shop_a',
        brand: 'Auralis',
        category: 'Headphones',
        is_available: true,
        rating: 4.5,
        last_checked: '2026-01-02T03:04:05Z',
        buy_url: 'https://shop.example/a',
        metadata: { colour: 'black' },
      }),
      offer('b', 'AX1000M5 by Auralis, headphones', '9.00', {
        source: 'shop_b',
        brand: 'Auralis',
        category: 'Headphones',
        list_price: '20.00',
        metadata: [1, 'two', null],
      }),
    ],
    { TRUST_PROXY: 'loopback' },
  );
  let served: Json;
  let document: Json;
  let ajv: Ajv2020;
  before(async () => {
    const { es, prefix: indexPrefix, products } = api;
    await buildSuggestions({ es, indexPrefix, products, requests: null, now: new Date() });
    served = (await api.open('/openapi.json')).body;
    document = resolvedDocument(served) as Json;
    ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    ajv.addSchema({ $id: 'openapi', ...(closed(document) as Json) });
  });

  it('has no different enums to which client generators give the same name', () => {
    const pascal = (name: string) =>
      name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
    const parameters = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .flatMap(({ operationId = '', parameters: given = [] }) =>
        given.map(({ name, schema }: Json) => [pascal(operationId) + pascal(name ?? ''), schema?.enum]),
      );
    const properties = Object.entries<Json>(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries<Json>(schema.properties ?? {}).map(([key, { enum: values }]) => [
        name + pascal(key),
        values,
      ]),
    );
    const enums = new Map<string, unknown>();
    for (const [name, values] of [...parameters, ...properties]) {
      if (values === undefined) continue;
      assert.deepEqual(enums.get(name) ?? values, values, name);
      enums.set(name, values);
    }
    assert.isAbove(enums.size, 3);
  });

  /** Returns every schema of the document with its path. */
  function* schemasIn(value: unknown, at: string[] = []): Generator<[at: string, schema: Json]> {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (['example', 'examples', 'default', 'enum', 'const', 'required'].includes(name)) continue;
      const isMap = ['properties', 'schemas'].includes(name);
      const schemas = isMap ? Object.entries(inner as Json) : [[name, inner] as const];
      for (const [key, schema] of schemas) {
        const here = isMap ? [...at, name, key] : [...at, key];
        if (isMap || ['schema', 'items', 'additionalProperties'].includes(name))
          yield [here.join('/'), schema as Json];
        yield* schemasIn(schema, here);
      }
    }
  }

  /** The paths of schemas that allow any JSON value, and of schemas that are unions by the API contract. */
  const ANY_JSON = /\/(?:metadata|additionalProperties)$/;
  const UNIONS =
    /(?:ValidationError\/properties\/detail\/items\/properties\/loc\/items|ExportedProduct\/allOf\/1\/properties\/gtin|product_ids\/items)$/;

  it('states the type of every enum and property, without unions that a typed client has to cast', () => {
    let schemas = 0;
    const wrong: string[] = [];
    for (const [at, schema] of schemasIn({ paths: document.paths, components: document.components })) {
      schemas += 1;
      // All client generators merge a component with an object that adds members to it.
      if (PARTS.has(schema.allOf?.[0].$ref?.split('/').at(-1)) && schema.allOf.length === 2) continue;
      // All client generators have a type for one of several components.
      const alternatives: Json[] = schema.oneOf ?? schema.anyOf ?? [];
      if (alternatives.length > 1 && alternatives.every(({ $ref: one }) => one !== undefined)) continue;
      const { type, $ref, anyOf, oneOf, allOf } = schema;
      const types = [type ?? []].flat().filter((one) => one !== 'null');
      // All client generators can handle a union of a component and null.
      const isNullable =
        anyOf?.length === 2 && anyOf[0].$ref !== undefined && anyOf[1].type === 'null' && oneOf === undefined;
      if (type === undefined && $ref === undefined && !isNullable && !UNIONS.test(at) && !ANY_JSON.test(at))
        wrong.push(`${at} has no type`);
      const isUnion = types.length > 1 || oneOf !== undefined || allOf !== undefined || anyOf !== undefined;
      if (isUnion && !isNullable && !UNIONS.test(at)) wrong.push(`${at} is a union`);
      if (schema.patternProperties !== undefined) wrong.push(`${at} has members that generators do not know`);
    }
    assert.deepEqual(wrong, []);
    assert.isAbove(schemas, 500);
  });

  it('sends lists as repeated parameters and states the meaning of an empty one', () => {
    const lists = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .flatMap(({ parameters = [] }) => parameters as Json[])
      .filter(({ schema }) => schema.type === 'array');
    for (const { name, style, explode, description } of lists) {
      assert.deepEqual([style, explode], ['form', true], name);
      assert.include(description, 'an empty list is ignored', name);
    }
    const names = new Set(lists.map(({ name }) => name as string));
    assert.includeMembers(
      [...names],
      ['brand', 'source', 'platform', 'currency', 'category_path', 'facets', 'fields', 'types', 'include'],
    );
  });

  it('states the limits that the service enforces', () => {
    const parameter = (path: string, name: string) =>
      (document.paths[path].get.parameters as Json[]).find((one) => one.name === name)?.schema;
    for (const path of ['/v1/search', '/v1/deals', '/v1/lookup', '/v1/quality/{flag}'])
      assert.equal(parameter(path, 'offset').maximum, 1_000_000, path);
    assert.isUndefined(parameter('/v1/products/export', 'offset').maximum);
    assert.equal(parameter('/v1/brands', 'offset').maximum, 9_999);
    const time = new RegExp(parameter('/v1/products/{product_id}/price-history', 'from').pattern);
    for (const text of ['2026-05-01', '2026-05-01T08:00:00Z', '2026-05-01T08:00:00.5+08:00'])
      assert.match(text, time);
    for (const text of ['soon', '2026-13-01', '01.05.2026', '2026-05-01T25:00:00Z'])
      assert.notMatch(text, time);
    assert.equal(document.components.schemas.Identifier.properties.value.type, 'string');
  });

  const pointer = (...steps: (string | number)[]) =>
    `openapi#/${steps.map((step) => encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

  /** Asserts that the OpenAPI document describes a response. */
  const assertDescribed = (method: string, path: string, reply: Reply) => {
    const { responses } = document.paths[path]?.[method] ?? {};
    const status = reply.status in responses ? reply.status : 'default';
    const described = responses[status];
    assert.isDefined(
      described,
      `${method} ${path} answers ${reply.status}, which is not in the document: ${reply.text}`,
    );
    for (const name of Object.keys(described.headers ?? {})) {
      if (name !== 'Link')
        assert.isTrue(reply.headers.has(name), `${method} ${path} ${reply.status} has no header ${name}`);
    }
    if (reply.text === '' && !reply.headers.has('content-type')) {
      assert.isUndefined(described.content, `${method} ${path} ${reply.status} is empty`);
      return;
    }
    const type = (reply.headers.get('content-type') ?? '').split(';')[0] ?? '';
    assert.property(described.content, type, `${method} ${path} ${reply.status}`);
    if (type !== 'application/json') return;
    const check = ajv.compile({
      $ref: pointer('paths', path, method, 'responses', status, 'content', type, 'schema'),
    });
    assert.isTrue(
      check(reply.body),
      `${method} ${path} ${reply.status}: ${JSON.stringify(check.errors)} ${reply.text.slice(0, 500)}`,
    );
  };

  it('requires what responses always contain', () => {
    const compiled = (name: string) =>
      ajv.compile({ $ref: `openapi#/components/schemas/${encodeURIComponent(name)}` });
    for (const name of ['FoundItem', 'BestPrice', 'ListedProduct', 'Offer', 'ProductMatch']) {
      const { required = [], ...schema } = document.components.schemas[name];
      assert.equal(schema.allOf[0].$ref, '#/components/schemas/ListingFields', name);
      assert.isEmpty(required);
    }
    const [product] = document.components.schemas.Product.examples;
    for (const name of ['FoundItem', 'BestPrice'])
      for (const field of PRODUCT_FIELDS) {
        const { [field]: _left, ...others } = product;
        assert.isTrue(compiled(name)(product), name);
        assert.isFalse(compiled(name)(others), `${name} without ${field}`);
      }
    const { id, name } = product;
    assert.isTrue(compiled('SelectedItem')({ id, name }));
    assert.isFalse(compiled('SelectedItem')({ name }));
    assert.isFalse(compiled('BestPrices')({ ...product, items: [] }));
  });

  it('states the URL of the service and the tags, with what linters demand', () => {
    const urls = ({ servers }: Json) => servers.map(({ url }: Json) => url);
    assert.deepEqual(urls(served), ['/', 'http://catalogue.example']);
    const local = openApiDocument(documentedPaths, {
      publicReadLimit: 1,
      publicUrl: 'http://localhost:3000',
    });
    assert.deepEqual(urls(local), ['/']);
    const tags = new Map((served.tags as Json[]).map(({ name, description }) => [name, description]));
    for (const item of Object.values<Json>(document.paths))
      for (const { operationId, tags: own, description, responses } of Object.values<Json>(item)) {
        assert.isNotEmpty(tags.get(own[0]), operationId);
        assert.isNotEmpty(description, operationId);
        const statuses = Object.keys(responses as Json);
        assert.isTrue(
          statuses.some((status) => status === 'default' || status.startsWith('2')),
          operationId,
        );
        assert.isTrue(
          statuses.some((status) => status.startsWith('4')),
          operationId,
        );
      }
  });

  it('states what requests may contain', () => {
    const body = (path: string) =>
      ajv.compile({
        $ref: pointer('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'),
      });
    const alert = (when: object) => body('/v1/alerts')({ product_id: 1, when });
    const prices = { price_below: '9.00', currency: 'EUR' };
    for (const when of [prices, { drop_pct: 5 }, { new_low: 'ever' }, { back_in_stock: true }])
      assert.isTrue(alert(when), JSON.stringify(when));
    for (const when of [{}, { price_below: '9.00' }, { ...prices, drop_pct: 5 }, { currency: 'EUR' }])
      assert.isFalse(alert(when), JSON.stringify(when));
    for (const path of ['/v1/products/compare', '/v1/products/compare/diff', '/v1/products/price-history']) {
      assert.isTrue(body(path)({ product_ids: ['12', 13] }), path);
      assert.isFalse(body(path)({ product_ids: ['1e2', 13] }), path);
    }
    const decimals = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .flatMap(({ parameters = [] }) => parameters as Json[])
      .filter(({ schema }) => schema.type === 'number');
    assert.isNotEmpty(decimals);
    for (const { name, description } of decimals) assert.include(description, 'without an exponent', name);
  });

  it('is valid OpenAPI 3.1', async () => {
    assert.equal(document.openapi, '3.1.0');
    const { valid, errors } = await new Validator().validate(
      structuredClone(served) as Record<string, never>,
    );
    assert.isTrue(valid, JSON.stringify(errors));
  });

  it('states the format of every time, in requests too', () => {
    const schemas = (document as { components: { schemas: Json } }).components.schemas as Record<
      string,
      { properties?: Record<string, unknown> }
    >;
    const without = Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([name, property]) => name.endsWith('_at') && !JSON.stringify(property).includes('date-time'))
        .map(([name]) => `${schema}.${name}`),
    );
    assert.deepEqual(without, []);
  });

  it('describes every endpoint, every parameter and every field of every schema', () => {
    assert.equal(
      Object.values(document.paths as Json).flatMap((item) => Object.keys(item as Json)).length,
      documentedPaths.length,
    );
    for (const [path, item] of Object.entries(document.paths as Json)) {
      for (const operation of Object.values(item as Json)) {
        assert.isString(operation.summary, path);
        for (const parameter of operation.parameters)
          assert.isString(parameter.description, `${path} ${parameter.name}`);
      }
    }
    const ids = Object.values(document.paths as Json).flatMap((item) =>
      Object.values(item as Json).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
    // Generated clients name functions after operation ids, so these must be valid names in all languages.
    for (const id of ids) {
      assert.match(id, /^[a-z][a-zA-Z0-9]{1,30}$/);
      assert.notInclude(['export', 'import', 'delete', 'from', 'new', 'in', 'is', 'global'], id);
    }
    assert.includeMembers(ids, ['search', 'compare', 'bestPrice', 'getProduct', 'lookup', 'deals']);
  });

  it('has examples that conform to their schemas', () => {
    let examples = 0;
    for (const [path, item] of Object.entries(document.paths as Json)) {
      for (const [method, operation] of Object.entries(item as Json)) {
        const contents: [string, Json][] = Object.entries(operation.responses as Json).map(
          ([status, response]) => [
            pointer('paths', path, method, 'responses', status, 'content', 'application/json', 'schema'),
            response.content?.['application/json'],
          ],
        );
        for (const [status, { content = {} }] of Object.entries<Json>(operation.responses))
          for (const type of Object.keys(content as Json))
            if (type.endsWith('+json'))
              assert.isObject(content[type].example, `${method} ${path} ${status} shows no example`);
        for (const [schema, content] of contents) {
          if (content?.example === undefined) continue;
          examples += 1;
          const check = ajv.compile({ $ref: schema });
          assert.isTrue(check(content.example), `${path}: ${JSON.stringify(check.errors)}`);
        }
      }
    }
    assert.isAbove(examples, 100);
    assert.isAtMost(JSON.stringify(served).length, 250_000);
    for (const [name, schema] of Object.entries(document.components.schemas as Json)) {
      for (const example of schema.examples ?? []) {
        const check = ajv.compile({ $ref: pointer('components', 'schemas', name) });
        assert.isTrue(check(example), `${name}: ${JSON.stringify(check.errors)}`);
      }
    }
  });

  const SHAPING = new Set([
    'include',
    'explain',
    'highlight',
    'nearest',
    'group',
    'rank_by',
    'match',
    'interpret',
    'format',
    'types',
    'interval',
  ]);

  /** For each parameter that changes the members of responses, a query with each of them, and one with all values of a list. */
  const optionsOf = (parameters: Json[]): string[] =>
    parameters.flatMap(({ name, schema, in: where }) => {
      if (where !== 'query' || !SHAPING.has(name)) return [];
      if (schema.type === 'boolean') return [`${name}=true`, `${name}=false`];
      const values: string[] = schema.enum ?? schema.items?.enum ?? [];
      const several = schema.type === 'array' && values.length > 1 ? [`${name}=${values.join()}`] : [];
      return [...values.map((value) => `${name}=${value}`), ...several];
    });

  it('describes the responses of each operation to valid and invalid requests', async () => {
    const [a, b] = [await api.id('a'), await api.id('b')];
    const admin = { headers: { 'x-admin-secret': ADMIN_SECRET } };
    const position = readCursor((await api.ok('/v1/changes')).cursor);
    assert(position);
    const oldCursor = toCursor({ ...position, time: 0 });
    const watched = { product_id: a, when: { drop_pct: 10 } };
    const { alert_id: alertId } = (await api.post('/v1/alerts', watched)).body;
    const sent = { ...watched, url: 'https://hooks.example.com/prices' };
    const { alert_id: sentId } = (await api.post('/v1/alerts', sent)).body;
    const { event_id: eventId } = (await api.post(`/v1/alerts/${sentId}/test`, '')).body;
    const newKey = { developer_id: 'd', name: 'n', tier: 'free', admin_secret: ADMIN_SECRET };
    const keyId = (await api.post('/v1/keys', newKey)).body.key_id as string;
    const writing = (await api.post('/v1/keys', { ...newKey, scopes: ['write:shop_a'] })).body
      .raw_key as string;
    const writer = { headers: { authorization: `Bearer ${writing}` } };
    const reviewing = (await api.post('/v1/keys', { ...newKey, scopes: ['review'] })).body.raw_key as string;
    const reviewer = { headers: { authorization: `Bearer ${reviewing}` } };
    const decided = { decisions: [{ a, b, decision: 'different' }] };
    const { results } = (await api.post('/v1/decisions', decided, reviewer)).body;
    const decisionId = results[0].decision_id as string;
    const authorization = `Bearer ${await api.key()}`;
    const no = { headers: { authorization: '' } };
    const rpc = (json: unknown, headers: Record<string, string> = {}) => ({
      json,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization,
        ...headers,
      },
    });
    const beyond = '?offset=1000001';
    const lists: Call[] = ['', '?q=headphones&min_price=1&in_stock=true', '?limit=0', beyond, ['', no]];
    const histories = (end: string): Call[] => [
      `/v1/products/${a}/price-history${end}`,
      `/v1/products/${b}/price-history${end}?from=2026-01-01&to=2026-02-01`,
      `/v1/products/${a}/price-history${end}?from=2026-02-01&to=2026-01-01`,
      `/v1/products/${a}/price-history${end}?from=soon`,
      `/v1/products/1/price-history${end}`,
    ];
    const rotate = `/v1/keys/${keyId}/rotate`;
    const identifiers = [
      { type: 'id', value: a },
      { type: 'gtin', value: 'x' },
      { type: 'sku', value: 'no' },
    ];
    const facets = '?facets=brand,price,attributes&attr.colour=black&brand=auralis|x&cursor=';
    const calls: Record<string, Call[]> = {
      'get /': ['', ['', { headers: { accept: 'text/html' }, redirect: 'manual' }]],
      'get /v1': ['', ['', no]],
      'get /health': [''],
      'get /livez': [''],
      'get /readyz': [''],
      'get /v1/search': [
        ...lists,
        facets,
        '?q=auralis&fields=name,price&highlight=true&sort=price_asc',
        '?cursor=x&facets=x',
        '?q=auralis headphnes -white&interpret=true&group=product',
        '?q=nothing-like-it&explain=true',
      ],
      'get /v1/products': lists,
      'get /v1/products/trending': ['?category=head', '?limit=x'],
      'get /v1/products/{product_id}': [
        `/v1/products/${a}`,
        `/v1/products/${a}?explain=true`,
        '/v1/products/1',
        '/v1/products/x',
      ],
      'get /v1/products/best-price': ['?q=AX-1000M5', '?q=nothing-like-it', ''],
      'get /v1/products/compare': [
        `?product_id=${a}`,
        '?product_id=1',
        '',
        `?product_id=${a}&min_price=2&max_price=1`,
      ],
      'post /v1/products/compare': [
        { json: { product_ids: [a, b] } },
        { json: { product_ids: [a] } },
        { json: { product_ids: [a, 1] } },
      ],
      'post /v1/products/compare/diff': [
        { json: { product_ids: [a, b], include_image_similarity: true, explain: true } },
        { json: { product_ids: [a, b] } },
        { json: {} },
        { json: { product_ids: [a, 1] } },
      ],
      'get /v1/products/export': ['', '?format=csv', '?format=ndjson', '?format=xml', beyond],
      'get /v1/quality': [''],
      'get /v1/quality/{flag}': [
        '/v1/quality/no_image?source=shop_a',
        '/v1/quality/ugly',
        `/v1/quality/stale${beyond}`,
      ],
      'get /v1/suggest': ['?q=headph', '?types=none'],
      'get /v1/lookup': [
        '?sku=a&source=shop_a',
        '?url=https://shop.example/nowhere',
        '?gtin=4006381333932',
        '',
        '?sku=a&offset=1000001',
      ],
      'post /v1/lookup': [{ json: { identifiers } }, { json: { identifiers: [] } }],
      'get /v1/products/{product_id}/price-history': histories(''),
      'get /v1/products/{product_id}/price-history.svg': histories('.svg'),
      'get /v1/products/{product_id}/offers': [
        ...['', '?currency=EUR', beyond, '?sort=name'].map((query) => `/v1/products/${a}/offers${query}`),
        '/v1/products/1/offers',
      ],
      'get /v1/products/{product_id}/similar': [
        ...['', '?sort=price_asc&max_price=5', beyond, '?sort=name'].map(
          (query) => `/v1/products/${a}/similar${query}`,
        ),
        '/v1/products/1/similar',
      ],
      'get /v1/products/{product_id}/compatible': [
        ...['', '?q=case', beyond, '?limit=101'].map((query) => `/v1/products/${a}/compatible${query}`),
        '/v1/products/1/compatible',
      ],
      'post /v1/products/price-history': [
        { json: { product_ids: [a, b] } },
        { json: { product_ids: [a, 1] } },
        { json: { product_ids: [] } },
      ],
      'get /v1/categories': ['?include=prices', '?include=x'],
      'get /v1/sources': ['', '?include=schedule', '?include=x'],
      'get /v1/brands': ['?q=au', '?limit=x', '?offset=10000'],
      'get /v1/changes': ['', '?from=start', '?cursor=x', `?cursor=${oldCursor}`],
      'post /v1/alerts': [
        { json: { product_id: a, when: { any_price_change: true } } },
        { json: { product_id: a, when: { any_price_change: true } } },
        { json: { product_id: 1, when: { any_price_change: true } } },
        { json: {} },
      ],
      'get /v1/alerts': ['', '?limit=x', ['', no]],
      'get /v1/alerts/{alert_id}': [`/v1/alerts/${alertId}`, '/v1/alerts/none'],
      'patch /v1/alerts/{alert_id}': [
        [`/v1/alerts/${alertId}`, { json: { state: 'paused' } }],
        [`/v1/alerts/${alertId}`, { json: { state: 'gone' } }],
        ['/v1/alerts/none', { json: {} }],
      ],
      'get /v1/alerts/{alert_id}/events': [
        `/v1/alerts/${alertId}/events`,
        `/v1/alerts/${alertId}/events?after=x`,
        '/v1/alerts/none/events',
      ],
      'post /v1/alerts/{alert_id}/test': [
        `/v1/alerts/${sentId}/test`,
        `/v1/alerts/${alertId}/test`,
        '/v1/alerts/none/test',
      ],
      'post /v1/alerts/{alert_id}/rotate': [`/v1/alerts/${sentId}/rotate`, '/v1/alerts/none/rotate'],
      'post /v1/alerts/{alert_id}/events/{event_id}/redeliver': [
        `/v1/alerts/${sentId}/events/${eventId}/redeliver`,
        `/v1/alerts/${sentId}/events/none/redeliver`,
        `/v1/alerts/${alertId}/events/none/redeliver`,
      ],
      'delete /v1/alerts/{alert_id}': [`/v1/alerts/${alertId}`, '/v1/alerts/none'],
      'get /v1/deals': ['?min_discount_pct=5', '?min_discount_pct=x', beyond],
      'get /v1/review': [['?limit=1', reviewer], ['?limit=0', reviewer], '', ['', no]],
      'post /v1/decisions': [
        { ...reviewer, json: { decisions: [{ a, b, decision: 'skip' }] } },
        { ...reviewer, json: { decisions: [] } },
        { json: { decisions: [{ a, b, decision: 'skip' }] } },
      ],
      'get /v1/decisions': [['', reviewer], ['?limit=0', reviewer], ''],
      'delete /v1/decisions/{decision_id}': [
        [`/v1/decisions/${decisionId}`, reviewer],
        ['/v1/decisions/none', reviewer],
        '/v1/decisions/none',
      ],
      'post /v1/keys': [
        { json: newKey },
        { json: { ...newKey, admin_secret: 'wrong' } },
        { json: {} },
        { body: 'x'.repeat(200_000) },
      ],
      'post /v1/listings': [
        { ...writer, body: '{"sku":"w","source":"shop_a","name":"W"}\n{}' },
        { ...writer, body: '{"sku":"w","source":"shop_b","name":"W"}' },
        { ...writer, body: '' },
        { body: '{}' },
        { ...no, body: '{}' },
      ],
      'get /v1/usage': ['', ['', no]],
      'post /v1/keys/{key_id}/rotate': [
        [rotate, { ...admin, json: { grace_s: 60 } }],
        ['/v1/keys/none/rotate', { ...admin, json: {} }],
        [rotate, { json: { grace_s: -1 } }],
        [rotate, { json: {} }],
      ],
      'get /v1/keys': [admin, no],
      'delete /v1/keys/{key_id}': [
        [`/v1/keys/${keyId}`, admin],
        ['/v1/keys/none', admin],
        `/v1/keys/${keyId}`,
      ],
      'post /v1/token': ['', ['', no]],
      'get /track/{product_id}': [[`/track/${a}`, { redirect: 'manual' }], '/track/1', '/track/x'],
      'post /mcp': [
        rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        rpc({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        rpc('no message'),
        rpc({}, { accept: 'text/html' }),
        rpc({}, { 'content-type': 'text/plain' }),
        rpc({}, { origin: 'https://evil.example' }),
        no,
      ],
    };
    const agent = { headers: { 'ucp-agent': 'profile="https://platform.example/.well-known/ucp"' } };
    const catalog = (...bodies: object[]): Call[] => [
      ...bodies.map((json) => ({ ...agent, json })),
      { ...agent, json: { query: 1, ids: 1, id: 1 } },
      { ...agent, body: '{' },
      { ...agent, body: 'x'.repeat(200_000) },
      { json: bodies[0] },
      { json: bodies[0], headers: { ...agent.headers, authorization: '' } },
    ];
    const meta = { 'ucp-agent': { profile: 'https://platform.example/.well-known/ucp' } };
    const tool = (name: string, args: object) =>
      rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { meta, catalog: args } },
      });
    Object.assign(calls, {
      'post /ucp/v1/catalog/search': catalog(
        { query: 'headphones', pagination: { limit: 1 } },
        { query: 'nothing-like-it' },
        { query: 'headphones', filters: { price: { max: 2000 } }, context: { currency: 'EUR' } },
        { filters: { price: { max: 2000 } } },
        { query: 'headphones', pagination: { cursor: 'x' } },
      ),
      'post /ucp/v1/catalog/lookup': catalog({ ids: [`l_${a}`, 'shop_b:b', 'gtin'] }, { ids: [] }),
      'post /ucp/v1/catalog/product': catalog({ id: `l_${a}` }, { id: 'nothing' }),
      'post /ucp/mcp': [
        rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        tool('search_catalog', { query: 'headphones' }),
        tool('get_product', {}),
        tool('no_such_tool', {}),
        rpc('no message'),
        no,
      ],
    });
    for (const { method, path } of agentPaths) if (method === 'get') calls[`get ${path}`] ??= [''];
    for (const [operation, [first]] of Object.entries(calls)) {
      const [method = '', path = ''] = operation.split(' ');
      const [url, init] = Array.isArray(first) ? first : typeof first === 'string' ? [first] : ['', first];
      const options = method === 'get' ? optionsOf(document.paths[path][method].parameters) : [];
      calls[operation]?.push(
        ...options.map((query): Call => [`${url}${url.includes('?') ? '&' : '?'}${query}`, init ?? {}]),
      );
    }
    for (const [operation, requests] of Object.entries(calls)) {
      const [method = '', path = ''] = operation.split(' ');
      for (const request of requests) {
        const [given, { json, ...init } = {}] =
          typeof request === 'string' ? [request] : Array.isArray(request) ? request : ['', request];
        const url = given.startsWith('/') ? given : path + given;
        const reply = await api.get(url, {
          method: method.toUpperCase(),
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
          ...init,
        });
        assert.isBelow(reply.status, 500, `${method} ${url}: ${reply.text}`);
        assertDescribed(method, path, reply);
      }
    }
    const operations = documentedPaths.map(({ method, path }) => `${method} ${path}`);
    assert.sameMembers(Object.keys(calls), operations, 'no operation is left out');
  });
});
