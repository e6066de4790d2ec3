import type { Client } from '@elastic/elasticsearch';
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { Access } from './access/index.js';
import type { KeyIdentity, KeyStore } from './access/keys.js';
import type { Tokens } from './access/token.js';
import type { Answers } from './http/response-cache.js';
import type { Audit } from './audit.js';
import type { Config } from './config.js';
import type { ReadListing } from './elasticsearch/batched-reads.js';
import type { Cost, Pool } from './http/load-shedding.js';
import type { Places } from './places.js';
import type { ExchangeRates } from './rates/convert.js';

/** What handlers may use. Made once at start. */
export interface Context {
  config: Config;
  es: Client;
  readListing: ReadListing;
  keys: KeyStore;
  tokens: Tokens;
  access: Access;
  audit: Audit;
  health: Health;
  /** For whatever is worked on: the router takes them. */
  pools: Record<Pool, Places>;
  /** For exports, each of which holds a page of rows and a snapshot for as long as its client reads. */
  exports: Places;
  /** Of the endpoints that are `remembered`. */
  answers: Answers;
  /** The alias of the product index. */
  products: string;
  /** To rank prices of different currencies against each other. */
  rates: ExchangeRates;
  now: () => Date;
}

/** Answers of the dependencies to a short probe. */
export interface Health {
  /** Each dependency's state now; never rejects. */
  check(): Promise<{ elasticsearch: 'ok' | 'unavailable'; redis: 'ok' | 'unavailable' }>;
  /** Set by the shutdown: readiness fails from then on. */
  shuttingDown: boolean;
}

/** What a handler may know of the request besides its validated input. */
export interface Caller {
  /** `HEAD` asks for what a GET would say, and does nothing that counts. */
  method: string;
  requestId: string;
  /** The client's address, by `TRUST_PROXY`. */
  address: string;
  /** `X-Admin-Secret`, if sent. */
  adminSecret: string | undefined;
  /** The key behind the request, and how it was shown; null where the endpoint needs none. */
  key: (KeyIdentity & { shown: 'raw' | 'token' }) | null;
}

/**
 * A handler's answer, status 200 unless said otherwise. A stream is sent as it comes, a Buffer is JSON already, and any
 * other body is sent as JSON.
 */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  event?: AnswerEvent;
}

/** What the request's event tells of its outcome besides what any request's does: only handlers know it. */
export interface AnswerEvent {
  /** `request` unless said otherwise. */
  action?: 'click';
  /** The text that was asked for. */
  query?: string;
  /** How many listings that found in all. */
  results?: number;
  /** The listing that the request was about. */
  product?: { id: number; source: string };
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
  remembered?: true;
  /** What a request takes of the places for those that are worked on; one light place unless said otherwise. */
  cost?(input: { query: Static<Query>; body: Static<Body> }): Cost;
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
