import type { ChangeFilter } from '../../engine/queries/changes.js';
import type { StoredListing } from '../../listing/listing.js';
import type { ChangeKind } from '../../schemas/changes.js';
import type { ChangePosition } from './position.js';

/** A listing with the kinds of its changes. */
export interface Change {
  id: number;
  kinds: ChangeKind[];
  at: string;
  /** The fields of `FULL_SOURCE` or `IDS_SOURCE`; null if the listing was withdrawn or no longer passes the filter. */
  listing: StoredListing | null;
}

export interface ChangePage {
  changes: Change[];
  position: ChangePosition;
  hasMore: boolean;
  /** Whether changes are repeated because the alias has moved to another index. */
  resync: boolean;
}

export interface ReadOptions extends ChangeFilter {
  limit: number;
  kinds?: readonly ChangeKind[] | undefined;
  view?: 'ids' | 'full' | undefined;
}
