import type { Client } from '@elastic/elasticsearch';
import type { Access } from './access/index.js';
import type { Audit } from './access/audit.js';
import type { KeyStore } from './access/keys.js';
import type { Tokens } from './access/token.js';
import type { Config } from './config.js';
import type { ReadListing } from './elasticsearch/batched-reads.js';
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
  /** For exports, each of which holds a page of rows and a snapshot for as long as its client reads. */
  exports: Places;
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

/** Places for work that is done at the same time, shared fairly among clients. */
export interface Places {
  /** How many places this client has. */
  heldBy(client: string): number;
  /**
   * Takes places, at once or as soon as it is this client's turn.
   * @returns what gives them back (once, however often it is called).
   * @throws ApiError 503 where no place came in time.
   */
  take(wanted: { client: string; places: number }): Promise<() => void>;
}
