import type { Client } from '@elastic/elasticsearch';
import type { AliasMoveLease } from '../shared/alias-move.js';
import type { FirstPage } from '../shared/index-samples.js';
import type { ProgressDisplay } from '../shared/progress.js';

export interface RestoreContext {
  es: Client;
  indexPrefix: string;
  alias: string;
  lease: AliasMoveLease;
  firstPage: FirstPage;
  signal: AbortSignal;
  report: (line: string) => void;
  showProgress: (title: string) => ProgressDisplay;
}

/** The snapshot that the operator wants to restore. */
export interface SnapshotChoice {
  repository: string;
  /** The name of the snapshot, or `latest`. */
  snapshot: string;
  /** The index of listings to restore if the snapshot contains several of them. */
  index: string | undefined;
}
