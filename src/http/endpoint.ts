import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { Answer } from '../platform/answer.js';
import type { Caller, Context } from '../usecases/context.js';
import type { ValidationIssue } from '../platform/errors.js';

/** One response in the OpenAPI document: JSON with a schema, or `content` by media type. */
export interface ResponseDoc {
  description: string;
  schema?: TSchema;
  example?: unknown;
  content?: Record<string, { schema: TSchema; example?: unknown }>;
  headers?: Record<string, unknown>;
}

/** A header of a response in the OpenAPI document. */
export const header = (description: string, type = 'string') => ({ description, schema: { type } });

/**
 * Who may call an endpoint, and which rate limit applies:
 *
 * - `open`: anyone, without a limit;
 * - `counted`: anyone, with the limit of an address;
 * - `key`, `suggestions`, `writer`: a key (for `writer`, one that may write), each rule with a window of its own;
 * - `read`: like `key`. If `PUBLIC_READ` is on, a request to `read` or `suggestions` needs no key; then it has the limit
 *   of its address;
 * - `admin`: whoever has the admin secret.
 */
export type AccessRule = 'open' | 'counted' | 'key' | 'read' | 'suggestions' | 'writer' | 'admin';

/** The union of the schemas of all responses, because a handler may return any of them. */
type BodyOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { schema: infer Schema extends TSchema }
    ? Static<Schema>
    : never;
}[keyof Responses];

/** An endpoint without its path. Its schemas validate requests, type the handler, and generate the OpenAPI document. */
export interface Operation<
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Responses extends Record<number, ResponseDoc> = Record<number, ResponseDoc>,
> {
  tag: string;
  summary: string;
  description?: string;
  pathParameters: Path;
  query: Query;
  /** The headers of the request that the documentation describes. */
  headers?: TObject;
  /** Returns errors in combinations of parameters. It is also called if some parameters are invalid by themselves. */
  check?(query: Static<Query>, context: Context): ValidationIssue[];
  /** The schema of the request body; null if the endpoint has no body. */
  body: Body | null;
  /** Set if the handler receives the raw body, which must have one of these media types. */
  upload?: { types: readonly string[] };
  /** Whether responses are cached until the catalogue changes; a function decides by the query. */
  cached?: true | ((query: Static<Query>) => boolean);
  /** Set if a client can repeat a request with an `Idempotency-Key`; the use case calls `idempotently`. */
  idempotent?: true;
  /** Set for a probe that monitoring systems call every second: it is not recorded, and logged only if it fails. */
  probe?: true;
  /** The pool in which a request waits: `requests` by default; `load` for writes of listings; null without Elasticsearch. */
  pool?: 'load' | null;
  /** The documented responses, besides those that follow from the access rule and from validation. */
  responses: Responses;
  handle(
    context: Context,
    input: { path: Static<Path>; query: Static<Query>; body: Static<Body> },
    caller: Caller,
  ): Promise<Answer<BodyOf<Responses>>> | Answer<BodyOf<Responses>>;
}

export interface Endpoint extends Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** The path of the endpoint in OpenAPI notation, such as `/v1/products/{product_id}`. */
  path: string;
  access: AccessRule;
  /** The name in the API root: in `endpoints`, or in `more` if the original specification lacks the endpoint. */
  name?: string | { more: string };
}

/** The part of an endpoint that the documentation, the metrics and the API root need. */
export type Described = Omit<Endpoint, 'handle' | 'pool' | 'cached' | 'responses'> & {
  responses: Record<number | 'default', ResponseDoc> | Record<number, ResponseDoc>;
};

const NOTHING = Type.Object({});

export const NO_INPUT = { pathParameters: NOTHING, query: NOTHING, body: null };

/** Declares an operation with the types of its schemas; by default without parameters and body. */
export function endpoint<
  Responses extends Record<number, ResponseDoc>,
  Path extends TObject = typeof NOTHING,
  Query extends TObject = typeof NOTHING,
  Body extends TObject = typeof NOTHING,
>(
  definition: Omit<Operation<Path, Query, Body, Responses>, 'pathParameters' | 'query' | 'body'> & {
    pathParameters?: Path;
    query?: Query;
    body?: Body;
  },
): Operation {
  return { ...NO_INPUT, ...definition } as unknown as Operation;
}

const at =
  (method: Endpoint['method']) =>
  (path: string, access: AccessRule, operation: Operation, name?: Endpoint['name']): Endpoint => ({
    ...operation,
    method,
    path,
    access,
    ...(name === undefined ? {} : { name }),
  });

export const get = at('get');
export const post = at('post');
export const patch = at('patch');
export const del = at('delete');
