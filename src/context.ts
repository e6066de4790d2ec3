import type { Client } from '@elastic/elasticsearch';
import type { Access } from './access/index.js';
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

/** A fixed number of places. */
export interface Places {
  /** Takes a place. @returns what gives it back; null: all are taken. */
  take(): (() => void) | null;
}
