import type { TObject, TSchema } from 'typebox';
import type { Config } from '../../platform/config/config.js';
import { includedMembers } from '../../schemas/include.js';
import type { JsonObject } from '../../schemas/json-object.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { AlertSchema } from '../../schemas/alerts.js';
import { AssessmentSchema } from '../../schemas/quality.js';
import { FoundPageSchema } from '../../schemas/search.js';
import { type Described, header, type ResponseDoc } from '../endpoint.js';
import { operationId } from './operation-ids.js';
import { isVersioned, STRICT } from '../strict.js';
import { shareComponents, shareMembers, shareRequired } from './components.js';
import { patternsOf } from '../validation.js';
import { responsesOf } from './responses.js';

const QUICK_START = `## Quick start

1. Ask the operator of this service for an API key; \`npm run demo\` prints one.
2. On the docs page press **Authorize** and paste the key into the first field (the demo has done so), and try any operation with **Execute**.
3. In a terminal, search, find the cheapest offer of a product, and list deals, with the key in \`KEY\` and the address of this service in \`URL\`:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" "$URL/v1/search?q=wireless+headphones&max_price=100&limit=3"
curl -H "Authorization: Bearer $KEY" "$URL/v1/products/best-price?q=wireless+headphones"
curl -H "Authorization: Bearer $KEY" "$URL/v1/deals?category=headphones&limit=3"
\`\`\`

Every error response of \`/v1\` is JSON with \`detail\`: a message, or with status 422 the list of all validation errors.`;

/** The deep link of an operation on the docs page, relative to `/docs`. */
export const docsAnchor = (endpoint: Described): string =>
  `#/${encodeURIComponent(endpoint.tag)}/${operationId(endpoint)}`;

const TAGS = {
  Listings: 'Find, read, write and export listings',
  Comparison: 'The same product at several shops',
  Prices: 'Price histories',
  Alerts: 'Events when a price or the availability changes',
  Keys: 'API keys and their usage',
  Review: 'Decisions of people on which listings are the same product',
  Tracking: 'Links to shops whose clicks are counted',
  Agents:
    'The API for programs that follow the Model Context Protocol (MCP) or the Universal Commerce Protocol (UCP)',
  Service: 'The API itself and the health of the service',
};

const UNCONFIGURED = { publicReadLimit: null, publicUrl: null };

/** Generates the OpenAPI 3.1 document from the schemas that validate requests. By default, `/v1` needs a key. */
export function openApiDocument(
  endpoints: readonly Described[],
  config: Pick<Config, 'publicReadLimit'> & { publicUrl: string | null } = UNCONFIGURED,
): JsonObject {
  const { publicReadLimit, publicUrl } = config;
  const schemas: JsonObject = {};
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method] = operation(endpoint, publicReadLimit !== null, schemas);
  }
  const shared = shareComponents(paths);
  shareMembers(schemas, {
    name: 'SelectableFields',
    description: 'The fields of a listing, and the members that `include` adds',
    members: [...PRODUCT_FIELDS, ...Object.keys(includedMembers)],
  });
  shareRequired(schemas, {
    name: 'ListingFields',
    description: 'All fields of a listing, with the members that `include` adds',
    of: 'SelectableFields',
    members: PRODUCT_FIELDS,
  });
  shareMembers(schemas, {
    name: 'FoundPageFields',
    description: 'A page without its total and items',
    members: Object.keys(FoundPageSchema.properties).filter((name) => name !== 'total' && name !== 'items'),
  });
  shareMembers(schemas, { name: 'Alert', members: Object.keys(AlertSchema.properties) });
  shareMembers(schemas, { name: 'Assessment', members: Object.keys(AssessmentSchema.properties) });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product Catalog API',
      version: '1.0.0',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this service', ...(publicUrl === null ? {} : { url: publicUrl }) },
      description:
        'Product listings of many shops and marketplaces: search, best prices, offers of the same product, price histories, ' +
        `deals, changes, alerts and exports.\n\n${QUICK_START}\n\n## Keys, limits and parameters\n\n` +
        `${keyRule(publicReadLimit)} A call with a key counts ` +
        'against the limit of its key: 100 requests a minute (`free`, `basic`), 500 (`standard`) or 1,000 (`premium`). ' +
        '`GET /v1/suggest` and `POST /v1/listings` have separate limits. ' +
        'Unknown parameters are ignored. A list parameter may be repeated: all its values count (`brand=Dell&brand=HP`). Of any ' +
        'other repeated parameter, the last value counts. Every response has the header `X-Request-Id`, and those of counted requests have ' +
        '`RateLimit`, `RateLimit-Policy` and `X-RateLimit-Limit`, `-Remaining` and `-Reset`. ' +
        'A known path with another method is answered with 405 and `Allow`; a request that is not valid HTTP with 400 or 408, and one whose URL or headers are too long with 431.\n\n' +
        'Prices are decimal strings, times are ISO 8601 in UTC, and unknown values are null.',
    },
    // Relative, so that the docs page calls the service that served it. A URL with localhost would lead elsewhere on other machines.
    servers: [
      { url: '/', description: 'The service that serves this document' },
      ...(publicUrl === null || new URL(publicUrl).hostname === 'localhost'
        ? []
        : [{ url: publicUrl, description: 'The public URL' }]),
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      ...shared,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or a token from `POST /v1/token`',
        },
        adminSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Admin-Secret',
          description: 'The admin secret of the operator (`ADMIN_SECRET`)',
        },
      },
    },
  };
}

const keyRule = (publicReadLimit: number | null): string =>
  publicReadLimit === null
    ? 'Every `/v1` call needs `Authorization: Bearer <API_KEY>`.'
    : `Calls that only read work without a key, ${publicReadLimit} a minute for each client address. Exports, changes, ` +
      'alerts, usage and writing need `Authorization: Bearer <API_KEY>`.';

function operation(endpoint: Described, publicRead: boolean, schemas: JsonObject): JsonObject {
  const responses: JsonObject = {};
  const docs = Object.entries(responsesOf(endpoint));
  const succeeds = docs.some(([status]) => status.startsWith('2'));
  for (const [status, doc] of docs) {
    // Validators of documents expect a response 2xx or `default`, which an operation that redirects does not have otherwise.
    const key = status === '500' && !succeeds ? 'default' : status;
    responses[key] = response(doc, Number(status), schemas);
  }
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    security: security(endpoint, publicRead),
    parameters: [
      ...parameters(endpoint.pathParameters, 'path', schemas),
      ...parameters(endpoint.query, 'query', schemas),
      ...(endpoint.headers === undefined ? [] : parameters(endpoint.headers, 'header', schemas)),
      ...(isVersioned(endpoint) ? parameters(STRICT, 'query', schemas) : []),
      ...(endpoint.idempotent === undefined ? [] : [IDEMPOTENCY_KEY]),
    ],
    ...(endpoint.upload === undefined ? {} : { requestBody: uploadBody(endpoint.upload.types) }),
    ...(endpoint.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: reference(nullsAllowed(endpoint.body), schemas),
                example: exampleOf(endpoint.body),
              },
            },
          },
        }),
    responses,
  };
}

/** The example of a request body: its own, or else one with the examples of its required members. */
function exampleOf({ examples, properties, required }: TObject & { examples?: unknown[] }): unknown {
  const members = properties as Record<string, { examples?: unknown[] }>;
  const named = (required ?? ([] as readonly string[])).map((name) => [name, members[name]?.examples?.[0]]);
  return examples?.[0] ?? Object.fromEntries(named);
}

/** In request bodies, optional members are nullable, because `bodyCheck` treats null like a missing member. */
function nullsAllowed(body: TObject): TObject {
  const required = new Set<string>(body.required);
  const properties = Object.entries(body.properties).map(([name, property]) => {
    const { type, enum: values } = property as { type?: string | string[]; enum?: unknown[] };
    const orNull = {
      ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
      ...(values === undefined ? {} : { enum: [...values, null] }),
    };
    return [name, required.has(name) ? property : { ...property, ...orNull }];
  });
  return { ...body, properties: Object.fromEntries(properties) as TObject['properties'] };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A value of your choice that identifies the request. If it is repeated within 24 hours with the same body, nothing is done ' +
    'again, and the response is the first one, with `Idempotency-Replayed: true`; with another body, it is answered with 422. ' +
    'Errors are not stored. A secret is shown only once: its replay is 409 with the id of what was created. The stored responses ' +
    'of a key have at most 32 MB, compressed, within 24 hours; more are answered with 429',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

const RECORD = {
  sku: 'SPEE-204817',
  source: 'shopee_sg',
  name: 'Auralis AH-730M7 Headphones, Black',
  price: '349.00',
  currency: 'SGD',
  is_available: true,
};

const uploadBody = (types: readonly string[]): JsonObject => ({
  required: true,
  content: Object.fromEntries(
    types.map((type) => [
      type,
      {
        schema:
          type === 'application/json' ? { type: 'array', items: { type: 'object' } } : { type: 'string' },
        example: type === 'application/json' ? [RECORD] : `${JSON.stringify(RECORD)}\n`,
      },
    ]),
  ),
});

function response(
  { description, schema, example, content, headers }: ResponseDoc,
  status: number,
  schemas: JsonObject,
): JsonObject {
  const json: ResponseDoc['content'] =
    schema === undefined ? {} : { 'application/json': { schema, example } };
  const bodies = Object.entries(content ?? json).map(([type, { schema: bodySchema, example: shown }]) => [
    type,
    { schema: reference(bodySchema, schemas), ...(shown === undefined ? {} : { example: shown }) },
  ]);
  const allHeaders = { ...headers, ...(status === 429 ? RATE_HEADERS : {}) };
  return {
    description,
    ...(Object.keys(allHeaders).length === 0 ? {} : { headers: allHeaders }),
    ...(bodies.length === 0 ? {} : { content: Object.fromEntries(bodies) as JsonObject }),
  };
}

/** The headers of all counted responses. Only the response 429 states them, because repeating them would double the document. */
const RATE_HEADERS = {
  RateLimit: header('The requests left in this window (IETF draft)'),
  'RateLimit-Policy': header('The limit and its window (IETF draft)'),
  'X-RateLimit-Limit': header('Requests per window', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this window', 'integer'),
  'X-RateLimit-Reset': header('The end of the window, in seconds since 1970', 'integer'),
};

/** Documents that the admin secret is sent in a header, unless the body has a required member `admin_secret`. */
function security({ access, body }: Described, publicRead: boolean): JsonObject[] {
  if (publicRead && ['read', 'suggestions'].includes(access)) return [{ bearer: [] }, {}];
  if (['key', 'read', 'suggestions', 'writer'].includes(access)) return [{ bearer: [] }];
  const inBody: readonly string[] = body?.required ?? [];
  return access === 'admin' && !inBody.includes('admin_secret') ? [{ adminSecret: [] }] : [];
}

function parameters(schema: TObject, where: 'path' | 'query' | 'header', schemas: JsonObject): JsonObject[] {
  const required = new Set<string>(schema.required);
  const named = Object.entries(schema.properties).map(([name, property]) => {
    const { examples, separators, ...stated } = reference(property, schemas);
    // A schema that is a `$ref` has no description of its own, so that of the referenced schema is used.
    const { description = (property as { description?: string }).description, ...rest } = stated;
    return {
      name,
      in: where,
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      // With these options, generated clients repeat the query parameter for each of its values.
      ...(separators === undefined ? {} : { style: 'form', explode: true }),
      schema: rest,
      // The docs page fills examples into its form, where those of filters would exclude most listings, so these have none.
      ...(Array.isArray(examples) ? { example: examples[0] as unknown } : {}),
    };
  });
  return [...named, ...patternsOf(schema).map(([pattern, property]) => free(pattern, property, where))];
}

/** Documents parameters with names that the client chooses, such as `attr.NAME`, as members of one object. */
function free(pattern: string, property: TSchema, where: string): JsonObject {
  const { description } = property as { description?: string };
  const value = { type: 'string' };
  return {
    name: `${pattern.replace(/^\^/, '').replaceAll('\\', '')}NAME`,
    in: where,
    required: false,
    ...(description === undefined ? {} : { description }),
    style: 'form',
    explode: true,
    // Client generators do not support `patternProperties`.
    schema: { type: 'object', propertyNames: { pattern: `${pattern}\\s*\\S` }, additionalProperties: value },
    // Without an example, the docs page would send an invented parameter name.
    example: {},
  };
}

/** Copies a schema and replaces every schema with an `$id` by a reference to its component. */
function reference(schema: TSchema | JsonObject, schemas: JsonObject): JsonObject {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, documented, ...rest } = value as JsonObject;
    const stated = Object.entries({ ...rest, ...(documented as JsonObject | undefined) });
    const body = withAdditionalProperties(
      Object.fromEntries(stated.map(([key, inner]) => [key, copy(inner)])),
    );
    if (typeof $id !== 'string') return body;
    schemas[$id] ??= body;
    return { $ref: `#/components/schemas/${$id}` };
  };
  return copy(schema) as JsonObject;
}

const ANY_NAME = '^.*$';

function withAdditionalProperties({ patternProperties, ...schema }: JsonObject): JsonObject {
  if (patternProperties === undefined) return schema;
  const ofAnyName = (patternProperties as JsonObject)[ANY_NAME];
  return ofAnyName === undefined
    ? { ...schema, patternProperties }
    : { ...schema, additionalProperties: ofAnyName };
}
