import type { Client } from '@elastic/elasticsearch';
import type { Access } from './access/index.js';
import type { Audit } from './access/audit.js';
import type { KeyStore } from './access/keys.js';
import type { Sealed } from './access/sealed.js';
import type { Tokens } from './access/token.js';
import type { Intake } from './catalogue/intake.js';
import type { Config } from './config.js';
import type { ReadListing } from './elasticsearch/batched-reads.js';
import type { Spellings } from './elasticsearch/spellings.js';
import type { Walks } from './elasticsearch/walks.js';
import type { ExchangeRates } from './rates/convert.js';

export type { Taken } from './catalogue/intake.js';

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
  exports: SharedPlaces;
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

export type DependencyState = 'ok' | 'unavailable';

/** What the service needs, and whether it answers. */
export interface Dependencies {
  elasticsearch: DependencyState;
  redis: DependencyState;
}

/** Answers of the dependencies to a short probe. */
export interface Health {
  /** Each dependency's state now; never rejects. */
  check(): Promise<Dependencies>;
  /** Each dependency's state as it was last seen, a second or two ago. */
  readonly last: Dependencies;
  /** This instance's clock minus Redis's; null: not measured yet. */
  readonly clockOffsetSeconds: number | null;
  /** Whether requests should come here: nothing has been away for long, and no shutdown has begun. */
  readonly ready: boolean;
  /** Set by the shutdown: readiness fails from then on. */
  shuttingDown: boolean;
}

/** Places for work that is done at the same time, shared fairly among clients, as handlers see them. */
export interface SharedPlaces {
  /** How many places this client has. */
  heldBy(client: string): number;
  /**
   * Takes places, at once or as soon as it is this client's turn.
   * @returns what gives them back (once, however often it is called).
   * @throws ApiError 503 where no place came in time.
   */
  take(wanted: { client: string; places: number }): Promise<() => void>;
}
