import type { Client } from '@elastic/elasticsearch';
import { type LeasedOperation, readLease } from '../../engine/lease.js';

/** The last backups. Times are ISO 8601, UTC. */
export interface BackupState {
  /** When the last backup began that was complete; null: there was none. */
  verified_at: string | null;
  /** When and why a backup last failed since the complete one; null if none has failed. */
  failed: { at: string; reason: string } | null;
}

/** Taking a backup, which only one process at a time does. */
export const BACKUP: LeasedOperation<BackupState> = {
  name: 'backup',
  index: 'leases',
  initial: { verified_at: null, failed: null },
};

/** Reads when the last complete backup began, for metrics: in ms since 1970; 0 if there was none. */
export async function backupFigures(es: Client, indexPrefix: string): Promise<number> {
  const { verified_at: at } = await readLease(es, indexPrefix, BACKUP);
  return at === null ? 0 : Date.parse(at);
}
