import type { Client } from '@elastic/elasticsearch';
import type { Access } from '../platform/access/index.js';
import type { Audit } from '../platform/access/audit.js';
import type { KeyStore } from '../platform/access/keys.js';
import type { Sealed } from '../platform/access/sealed.js';
import type { KeyIdentity } from '../platform/access/identity.js';
import type { Tokens } from '../platform/access/token.js';
import type { Config } from '../platform/config/config.js';
import type { ReadListing } from '../engine/batched-reads.js';
import type { Spellings } from '../engine/spellings.js';
import type { Walks } from '../engine/point-in-time-sessions.js';
import type { Health } from '../telemetry/health.js';
import type { ExchangeRates } from '../listing/rates/convert.js';

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
  /** For exports, each of which holds a page of rows and a snapshot for as long as its client reads. */
  exports: SharedSlots;
  /** Loads what came over HTTP. */
  intake: Intake;
  /** The alias of the product index. */
  products: string;
  /** What version of the mapping the index has; known for some seconds. */
  schemaVersion: () => Promise<number>;
  /** For cursors: what clients carry from page to page. */
  sealed: Sealed;
  walks: Walks;
  /** The alias of the index of suggestions. */
  suggestions: string;
  /** The index of what people decided of listings. */
  decisions: string;
  /** The index of what moves. */
  trends: string;
  spellings: Spellings;
  /** To rank prices of different currencies against each other. */
  rates: ExchangeRates;
  now: () => Date;
}

/** Concurrency slots, shared fairly among clients, as handlers use them. */
export interface SharedSlots {
  /** The number of slots that a client holds. */
  heldBy(client: string): number;
  /**
   * Acquires slots, at once or after waiting.
   * @returns a function that releases the slots; further calls have no effect.
   * @throws ApiError 503 if no slot was free in time.
   */
  acquire(wanted: { client: string; slots: number }): Promise<() => void>;
}

/** What became of one record of a request. */
export interface IntakeResult {
  /** Which record it is, from 0. */
  index: number;
  /** `repeated`: a later record of the same listing counts in its place. */
  outcome: string;
  /** The first reasons why the record was rejected. */
  reasons?: string[];
  /** Members of the record that were ignored. */
  warnings?: string[];
}

/**
 * What came of a body. `foreign`: the sources that may not be written; nothing was loaded. `unreadable`: why it cannot be
 * read. `unsupported`: its compression or archive format is not accepted. `unavailable`: the engine could not be reached.
 */
export type Taken =
  | { results: IntakeResult[] }
  | { foreign: string[] }
  | { unreadable: string }
  | { unsupported: string }
  | { unavailable: unknown };

/** The checks before anything of a body is loaded. */
interface Admission {
  mayWrite(source: string): boolean;
  /** Called with the number of records of each source. An error that it throws is passed on, and nothing is loaded. */
  admit(sources: ReadonlyMap<string, number>): Promise<void>;
}

/** Loads listings that came over HTTP: NDJSON or a JSON array, small enough to be held in memory. */
export type Intake = (body: Buffer, admission: Admission) => Promise<Taken>;

/** What a handler may know of the request besides its validated input. */
export interface Caller {
  /** `HEAD` asks for what a GET would say, and does nothing that counts. */
  method: string;
  requestId: string;
  /** The client's address, by `TRUST_PROXY`. */
  address: string;
  /** `X-Admin-Secret`, if sent. */
  adminSecret: string | undefined;
  /** The body of an endpoint that takes an `upload`, as it came. */
  upload: Buffer | null;
  /** `Idempotency-Key`, if sent. */
  idempotencyKey: string | undefined;
  /** The key behind the request, and how it was shown; null where the endpoint needs none. */
  key: (KeyIdentity & { shown: 'raw' | 'token' }) | null;
}
