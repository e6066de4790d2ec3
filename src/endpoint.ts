import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { KeyIdentity } from './access/identity.js';
import type { Answer } from './answer.js';
import type { Context } from './context.js';

/** What a handler may know of the request besides its validated input. */
export interface Caller {
  /** The client's address, by `TRUST_PROXY`. */
  address: string;
  /** `X-Admin-Secret`, if sent. */
  adminSecret: string | undefined;
  /** The key behind the request, and how it was shown; null where the endpoint needs none. */
  key: (KeyIdentity & { shown: 'raw' | 'token' }) | null;
}

/** One response in the OpenAPI document: JSON of a schema, or `content` by media type. */
export interface ResponseDoc {
  description: string;
  schema?: TSchema;
  example?: unknown;
  content?: Record<string, { schema: TSchema }>;
  headers?: Record<string, unknown>;
}

/** Who may call: anyone uncounted, anyone counted by address, holders of a key, holders of the admin secret. */
export type AccessRule = 'open' | 'counted' | 'key' | 'admin';

/**
 * One verb on one path. The same schemas validate requests, type the handler and make the OpenAPI document.
 */
export interface Endpoint<
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
> {
  method: 'get' | 'post' | 'delete';
  /** With parameters as OpenAPI writes them: `/v1/products/{product_id}`. */
  path: string;
  /** The short name under `endpoints` of the API root. */
  name?: string;
  access: AccessRule;
  tag: string;
  summary: string;
  description?: string;
  pathParameters: Path;
  query: Query;
  /** null: the request has no body. */
  body: Body | null;
  /** Its answers depend on nothing but parameters and what searches see; popular ones are kept while that stays as it is. */
  cached?: true;
  /** Responses of this endpoint's own; those of its access rule and of validation are added. */
  responses: Record<number, ResponseDoc>;
  handle(
    context: Context,
    input: { path: Static<Path>; query: Static<Query>; body: Static<Body> },
    caller: Caller,
  ): Promise<Answer> | Answer;
}

const NOTHING = Type.Object({});

/** Gives an endpoint its types; parameters and body that are left out are none. */
export function endpoint<
  Path extends TObject = typeof NOTHING,
  Query extends TObject = typeof NOTHING,
  Body extends TObject = typeof NOTHING,
>(
  definition: Omit<Endpoint<Path, Query, Body>, 'pathParameters' | 'query' | 'body'> & {
    pathParameters?: Path;
    query?: Query;
    body?: Body;
  },
): Endpoint {
  return { pathParameters: NOTHING, query: NOTHING, body: null, ...definition } as unknown as Endpoint;
}
