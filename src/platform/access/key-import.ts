import type { KeyRecord, StoredKey } from './key.js';

/** The result of importing one key from another store, with its record in this store. */
export type ImportResult =
  | { outcome: 'added' | 'unchanged' | 'ended'; key: KeyRecord }
  /** The key exists in this store with other values in these fields, which stay. */
  | { outcome: 'differs'; fields: string[] }
  /** Another key in this store has the same id or hash, so nothing was imported. `by` is the id of that key. */
  | { outcome: 'taken'; by: string };

/** The fields of an API key that never change while the key exists. */
const FIXED_FIELDS = ['developerId', 'name', 'tier', 'environment', 'scopes', 'createdAt'] as const;

/** Decides what importing a key does: an existing one may only end earlier. @param owner the id of the key with the same hash, if any. */
export function importResult(
  key: StoredKey,
  existing: StoredKey | undefined,
  owner: string | undefined,
): ImportResult {
  if (owner !== undefined && owner !== key.id) return { outcome: 'taken', by: owner };
  if (existing === undefined) return { outcome: 'added', key };
  if (existing.hash !== key.hash) return { outcome: 'taken', by: existing.id };
  const ended = {
    ...existing,
    revokedAt: existing.revokedAt ?? key.revokedAt,
    expiresAt: earlier(existing.expiresAt, key.expiresAt),
  };
  const endsEarlier = ended.revokedAt !== existing.revokedAt || ended.expiresAt !== existing.expiresAt;
  if (endsEarlier) return { outcome: 'ended', key: ended };
  const fields = FIXED_FIELDS.filter((field) => String(existing[field]) !== String(key[field]));
  return fields.length > 0 ? { outcome: 'differs', fields } : { outcome: 'unchanged', key: existing };
}

function earlier(a: string | null = null, b: string | null = null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(b) < Date.parse(a) ? b : a;
}
