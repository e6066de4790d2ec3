import type { Client } from '@elastic/elasticsearch';
import type { Access } from '../platform/access/access.js';
import type { Audit, KeyIdentity } from '../platform/access/key.js';
import type { KeyStore } from '../platform/access/key-store.js';
import type { Sealed } from '../platform/access/sealed.js';
import type { Tokens } from '../platform/access/tokens.js';
import type { Config } from '../platform/config/config.js';
import type { ReadListing } from '../engine/documents.js';
import type { ValueLabels } from '../engine/value-labels.js';
import type { PointInTimeSessions } from '../engine/point-in-time-sessions.js';
import type { Health } from '../telemetry/health.js';
import type { ExchangeRates } from '../listing/rates.js';

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
  uploadListings: ListingUpload;
  /** The alias of the product index. */
  products: string;
  /** What version of the mapping the index has; known for some seconds. */
  schemaVersion: () => Promise<number>;
  /** For cursors: what clients carry from page to page. */
  sealed: Sealed;
  pointInTimeSessions: PointInTimeSessions;
  /** The alias of the index of suggestions. */
  suggestions: string;
  /** The index of what people decided of listings. */
  decisions: string;
  /** The index of what moves. */
  trends: string;
  valueLabels: ValueLabels;
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

/** The result for one record of an upload. */
export interface UploadResult {
  /** The position of the record, from 0. */
  index: number;
  /** `repeated`: a later record of the same listing counts in its place. */
  outcome: string;
  /** The first reasons why the record was rejected. */
  reasons?: string[];
  /** Members of the record that were ignored. */
  warnings?: string[];
}

/**
 * The result of an upload. Nothing was loaded if it is `foreign`: the sources that the key may not write, `unreadable`: why
 * the body cannot be read, or `unsupported`: its compression or archive format is not accepted. `unavailable`: Elasticsearch
 * could not be reached.
 */
export type UploadOutcome =
  | { results: UploadResult[] }
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

/** Loads listings from the body of a request: NDJSON or a JSON array, small enough to be held in memory. */
export type ListingUpload = (body: Buffer, admission: Admission) => Promise<UploadOutcome>;

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
