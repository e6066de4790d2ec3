import type { Config } from '../config.js';

/** Takes out of a text what must not be kept: keys, tokens, passwords. */
export type Redact = (text: string) => string;

export const REDACTED = '[redacted]';

/**
 * Raw keys, whole or cut, also with `_` and `-` as URLs may write them; JSON web tokens; passwords in URLs.
 * A key is told by its prefix, so one that a client has mistyped goes as well. The head of a token is bounded, or a
 * text of nothing but heads would take the square of its length, and for the same reason a user name has no colon.
 */
const PATTERNS =
  /svc(?:_|%5f)(?:live|test)(?:_|%5f)(?:[\w-]|%5f|%2d)*|eyJ[\w-]{5,512}\.[\w-]+(?:\.[\w-]*)?|(?<=[a-z]:\/\/)[^\s/?#@"':]*:[^\s/?#@"']*(?=@)/gi;

/** A text that is shorter may well be an ordinary word, and no secret worth the name. */
const MIN_SECRET_LENGTH = 8;

/** Redacts by form alone, for where no configuration is known. */
export const redactForms: Redact = (text) => text.replace(PATTERNS, REDACTED);

/** Redacts the secrets of this configuration, in every spelling that logs and URLs give them, and all that looks like one. */
export function redactor(config: Config): Redact {
  const spellings = secretsOf(config)
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const secrets = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => redactForms(secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text));
}

/**
 * A path as it may be kept. What is spelt with escapes is read first, as whoever reads it later would.
 */
export function redactPath(path: string, redact: Redact): string {
  const kept = redact(path);
  if (!path.includes('%')) return kept;
  try {
    const plain = decodeURIComponent(path);
    const redacted = redact(plain);
    return redacted === plain ? kept : redacted;
  } catch {
    return kept;
  }
}

function secretsOf({ adminSecret, jwtSecret, redisUrl, elasticsearch }: Config): string[] {
  const { auth, nodes } = elasticsearch;
  const given = [
    ...[adminSecret, jwtSecret],
    ...authSecrets(auth),
    ...[redisUrl, ...nodes].map((url) => new URL(url).password),
  ].filter((secret) => secret !== null);
  return given.flatMap((secret) => [secret, unescaped(secret)]);
}

function authSecrets(auth: Config['elasticsearch']['auth']): string[] {
  if (auth === null) return [];
  if ('apiKey' in auth) return [auth.apiKey];
  const { username, password } = auth;
  // As it stands in the header.
  return [password, Buffer.from(`${username}:${password}`).toString('base64')];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
