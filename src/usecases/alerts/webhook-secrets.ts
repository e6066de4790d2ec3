import { createSealed, type Sealed } from '../../platform/sealed.js';

/** Encrypts and decrypts the secrets of webhooks; null if they are stored as they are, because JWT_SECRET is not set. */
export type WebhookCipher = { current: Sealed; all: Sealed } | null;

/** @param keys JWT_SECRET and JWT_SECRET_PREVIOUS; the first one encrypts. */
export const createWebhookCipher = ([current, ...previous]: readonly string[]): WebhookCipher =>
  current === undefined
    ? null
    : { current: createSealed([current]), all: createSealed([current, ...previous]) };

/** What an encrypted secret begins with. The others begin with `whsec_`. */
const ENCRYPTED = 'sealed:';
const contextOf = (alertId: string): string => `webhook secret of ${alertId}`;

export const storedSecret = (secret: string, alertId: string, cipher: WebhookCipher): string =>
  cipher === null ? secret : `${ENCRYPTED}${cipher.current.seal(secret, contextOf(alertId))}`;

/** Returns the secret of a stored one; null if it was encrypted with another key. */
export function openSecret(stored: string, alertId: string, cipher: WebhookCipher): string | null {
  if (!stored.startsWith(ENCRYPTED)) return stored;
  const opened = cipher?.all.open(stored.slice(ENCRYPTED.length), contextOf(alertId));
  return typeof opened === 'string' ? opened : null;
}

/** Whether a stored secret should be encrypted again: with the current key, or because it is not encrypted. */
export const isStale = (stored: string, alertId: string, cipher: WebhookCipher): boolean =>
  cipher !== null &&
  (!stored.startsWith(ENCRYPTED) ||
    cipher.current.open(stored.slice(ENCRYPTED.length), contextOf(alertId)) === null);
