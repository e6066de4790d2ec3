import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { Answer } from '../platform/answer.js';
import type { Caller, Context } from '../usecases/context.js';
import type { Cost } from '../usecases/shared/cost.js';
import type { ValidationIssue } from '../platform/errors.js';

/** One response in the OpenAPI document: JSON of a schema, or `content` by media type. */
export interface ResponseDoc {
  description: string;
  schema?: TSchema;
  example?: unknown;
  content?: Record<string, { schema: TSchema; example?: unknown }>;
  headers?: Record<string, unknown>;
}

/**
 * Who may call: anyone uncounted, anyone counted by address, holders of a key, these counted in the window of
 * suggestions, holders of a key that may write, counted in the window of writes, holders of the admin secret.
 */
export type AccessRule = 'open' | 'counted' | 'key' | 'suggestions' | 'writer' | 'admin';

/** What the responses' schemas say of the body: all of them, since a handler may answer with any. */
type BodyOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { schema: infer Schema extends TSchema }
    ? Static<Schema>
    : never;
}[keyof Responses];

/**
 * What an endpoint does, wherever it is found. The same schemas validate requests, type the handler and its answers, and
 * make the OpenAPI document.
 */
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
  /** What is wrong with parameters that are each right; is asked of wrong ones too, so that all findings come at once. */
  check?(query: Static<Query>, context: Context): ValidationIssue[];
  /** null: the request has no body. */
  body: Body | null;
  /** The body is taken as it comes, of these media types. */
  upload?: { types: readonly string[] };
  /**
   * Its answers, or those to such a request, depend on nothing but parameters and what searches see; popular ones are
   * kept while that stays as it is.
   */
  cached?: true | ((query: Static<Query>) => boolean);
  /** Asked each second by whoever watches the service: counted in the metrics, but no event, and no line unless it fails. */
  probe?: true;
  /**
   * What a request takes of the places for those that are worked on; one light place unless said otherwise. null: what
   * asks nothing of the engine needs none, and goes on while the engine does not.
   */
  cost?(input: { query: Static<Query>; body: Static<Body> }): Cost | null;
  /** Responses of this endpoint's own; those of its access rule and of validation are added. */
  responses: Responses;
  handle(
    context: Context,
    input: { path: Static<Path>; query: Static<Query>; body: Static<Body> },
    caller: Caller,
  ): Promise<Answer<BodyOf<Responses>>> | Answer<BodyOf<Responses>>;
}

/** One verb on one path. */
export interface Endpoint extends Operation {
  method: 'get' | 'post' | 'delete';
  /** With parameters as OpenAPI writes them: `/v1/products/{product_id}`. */
  path: string;
  access: AccessRule;
  /** The short name under `endpoints` of the API root; or under `more`, for what goes beyond the spec. */
  name?: string | { more: string };
}

/** What documents, metrics and the API root know of an endpoint: of some they know no more, see `endpoints/agents.ts`. */
export type Described = Omit<Endpoint, 'handle' | 'cost' | 'cached'>;

const NOTHING = Type.Object({});

/** Gives an operation its types; parameters and body that are left out are none. */
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
  return { pathParameters: NOTHING, query: NOTHING, body: null, ...definition } as unknown as Operation;
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

/** Operations at their places. */
export const get = at('get');
export const post = at('post');
export const del = at('delete');
