import type { Client } from '@elastic/elasticsearch';
import type { AliasMoveLease } from '../shared/alias-move.js';
import type { FirstPage } from '../shared/index-samples.js';
import type { ProgressDisplay } from '../shared/progress.js';

/** What a restore and its rehearsal work with. */
export interface RestoreContext {
  es: Client;
  indexPrefix: string;
  alias: string;
  lease: AliasMoveLease;
  firstPage: FirstPage;
  signal: AbortSignal;
  /** Prints a line for the operator. */
  report: (line: string) => void;
  showProgress: (title: string) => ProgressDisplay;
}

/** The snapshot that the operator names. */
export interface SnapshotChoice {
  repository: string;
  /** A name, or `latest`. */
  snapshot: string;
  /** The index of listings to restore if the snapshot contains several. */
  index: string | undefined;
}
