import type { BrandDictionary } from '../published/brand-dictionary.js';
import type { ActiveVersions, LearnedVersion } from '../published/learned-versions.js';
import type { PublishedRules } from '../published/published-rules.js';
import type { ChangeFeed } from '../products/changes/change-feed.js';
import type { Client } from '@elastic/elasticsearch';
import type { ReadListing } from '../engine/documents.js';
import type { PointInTimeSessions } from '../engine/point-in-time-sessions.js';
import type { ValueLabels } from '../engine/value-labels.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { Access } from '../platform/access/access.js';
import type { KeyIdentity } from '../platform/access/key.js';
import type { KeyStore } from '../platform/access/key-store.js';
import type { Sealed } from '../platform/sealed.js';
import type { Tokens } from '../platform/access/tokens.js';
import type { Config } from '../platform/config/config.js';
import type { Audit } from '../telemetry/audit.js';
import type { Health } from '../telemetry/health.js';

/** The services that use cases depend on; created once when the process starts. */
export interface Context {
  config: Config;
  es: Client;
  /** The client that loads listings: it waits longer, and repeats no request. */
  writer: Client;
  readListing: ReadListing;
  keys: KeyStore;
  tokens: Tokens;
  access: Access;
  audit: Audit;
  health: Health;
  /** The concurrency slots for exports, which keep a page of listings and a snapshot open while their clients read. */
  exports: SharedSlots;
  uploadListings: ListingUpload;
  changes: ChangeFeed;
  /** The concurrency slots of clients that wait for changes, which cost nothing but a connection. */
  followers: SharedSlots;
  products: string;
  suggestions: string;
  decisions: string;
  matchingModel: () => Promise<LearnedVersion | null>;
  learnedVersions: () => Promise<ActiveVersions>;
  brands: () => Promise<BrandDictionary>;
  publishedRules: PublishedRules;
  trends: string;
  /** The version of the product index's schema, cached for a few seconds. */
  schemaVersion: () => Promise<number>;
  /** Whether the product index has several shards, cached for some seconds. */
  isSplit: () => Promise<boolean>;
  sealed: Sealed;
  pointInTimeSessions: PointInTimeSessions;
  valueLabels: ValueLabels;
  rates: ExchangeRates;
  now: () => Date;
}

export interface SharedSlots {
  heldBy(client: string): number;
  /** Waits for a slot. @returns a function that releases it, once. @throws ApiError 503 if no slot was free in time. */
  acquire(request: { client: string }): Promise<() => void>;
}

export interface UploadResult {
  index: number;
  /** What happened to the record, such as `created`. `repeated`: a later record of the upload replaces this one. */
  outcome: string;
  reasons?: string[];
  warnings?: string[];
}

/** The checks that a listing upload has to pass before anything is loaded. */
export interface UploadChecks {
  mayWrite(source: string): boolean;
  /** The sources that count as one owner, because one API key, which is not that of an aggregator, may write all of them. */
  together: readonly string[];
  /** Counts the records of each source against the daily write quotas of the key. @throws ApiError if a quota would be exceeded. */
  chargeQuotas(records: ReadonlyMap<string, number>): Promise<void>;
  /** The maximum percentage of a source's listings with a field that the upload may clear in it; undefined: the default. */
  maxCleared: number | undefined;
}

/**
 * Loads a listing upload, in one of `UPLOAD_FORMATS`.
 * @throws ApiError 400 if the body cannot be read, 403 for a record of another source, 415 for an unsupported compression, 422
 * if a field would be cleared in too many listings, 503 if the engine is unavailable or its disk is full.
 */
export type ListingUpload = (writer: Client, body: Buffer, checks: UploadChecks) => Promise<UploadResult[]>;

/** What a use case may know about a request apart from its validated input. */
export interface Caller {
  /** Charges the client for processor time in ms that a long response uses after it has begun. */
  spend(ms: number): void;
  /** A `HEAD` request returns the headers of the GET request and has no side effects such as counting a click. */
  method: string;
  requestId: string;
  /** The client with which the request shares limits: the id of its key, or its network. */
  client: string;
  /** Determines the client's network address according to the setting `TRUST_PROXY`. */
  address(): string;
  adminSecret: string | undefined;
  /** The unparsed body of a request that uploads listings, otherwise null. */
  upload: Buffer | null;
  idempotencyKey: string | undefined;
  isDisconnected(): boolean;
  /** The API key of the request, and whether the key or a token was presented; null if the request needs none. */
  key: (KeyIdentity & { presentedAs: 'raw' | 'token' }) | null;
}
