import type { KeyHolder } from './keys.js';

/** Who does something with keys: a request, or a command of the operator's. */
export type Actor = { requestId: string; address: string } | 'command';

/** What is done; `replaces` is the id of the old key. A refusal is a wrong or missing admin secret. */
export type AuditEvent =
  | { action: 'key-created' | 'key-imported' | 'key-revoked'; key: KeyHolder }
  | { action: 'key-rotated'; key: KeyHolder; replaces: string }
  | { action: 'admin-refused'; status: number };

/** Writes down who did what with keys. */
export type Audit = (event: AuditEvent, by: Actor) => void;
