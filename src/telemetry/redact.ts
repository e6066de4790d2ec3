import type { Config } from '../platform/config/config.js';

/** Takes out of a text what must not be kept: keys, tokens, passwords. */
export type Redact = (text: string) => string;

export const REDACTED = '[redacted]';

/**
 * Raw keys, whole or cut, also with `_` and `-` as URLs may write them; passwords in URLs. A key is told by its prefix,
 * so one that a client has mistyped goes as well. A user name has no colon, or a text of colons would take the square
 * of its length.
 */
const PATTERNS =
  /svc(?:_|%5f)(?:live|test)(?:_|%5f)(?:[\w-]|%5f|%2d)*|(?<=[a-z]:\/\/)[^\s/?#@"':]*:[^\s/?#@"']*(?=@)/gi;

/** The letters of tokens, dots included. */
const RUN = /[\w.-]+/g;
const TOKEN_HEAD = 'eyJ';
const SHORTEST_HEAD = 8;

/** A text that is shorter may well be an ordinary word, and no secret worth the name. */
const MIN_SECRET_LENGTH = 8;

/** Of a stranger's text no more is read, and of what is read no more is kept. */
const MAX_READ = 4_000;
const MAX_KEPT = 1_000;

/** The end of what is read may hold the beginning of a secret, which nobody would know for one. No secret is longer. */
const UNSURE = 1_000;

/** Redacts by form alone, for where no configuration is known. In a time that grows as the text does. */
export const redactForms: Redact = (text) => withoutTokens(text.replace(PATTERNS, REDACTED));

/** JSON web tokens, with or without their signature. No pattern finds them without looking at some letters twice. */
function withoutTokens(text: string): string {
  if (!text.includes(TOKEN_HEAD)) return text;
  return text.replace(RUN, (run) => {
    const start = run.indexOf(TOKEN_HEAD);
    const lastDot = run.lastIndexOf('.', run.length - 2);
    return start >= 0 && start + SHORTEST_HEAD <= lastDot ? run.slice(0, start) + REDACTED : run;
  });
}

/** Redacts the secrets of this configuration, in every spelling that logs and URLs give them, and all that looks like one. */
export function redactor(config: Config): Redact {
  const spellings = secretsOf(config)
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const secrets = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => redactForms(secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text));
}

/** A stranger's text as it may be kept: redacted, and 1,000 characters of it at most. */
export const redactText = (text: string, redact: Redact): string =>
  kept(redact(text.slice(0, MAX_READ)), text.length > MAX_READ);

/**
 * A path as it may be kept, as any text. What is spelt with escapes is read first, as whoever reads it later would.
 */
export function redactPath(path: string, redact: Redact): string {
  const read = path.slice(0, MAX_READ);
  const plain = withoutEscapes(read);
  const redacted = redact(plain);
  return kept(redacted === plain ? redact(read) : redacted, path.length > MAX_READ);
}

function kept(redacted: string, hasMore: boolean): string {
  const sure = hasMore ? redacted.slice(0, -UNSURE) : redacted;
  return hasMore || sure.length > MAX_KEPT ? `${sure.slice(0, MAX_KEPT - 1)}…` : sure;
}

/** Where not all escapes are good, those of ASCII are read all the same. */
function withoutEscapes(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path.replace(/%[0-7][\da-f]/gi, decodeURIComponent);
  }
}

function secretsOf({
  adminSecret,
  jwtSecrets,
  redisUrl,
  redisSentinels,
  elasticsearch,
  traces,
}: Config): string[] {
  const { auth, nodes } = elasticsearch;
  const given = [
    adminSecret,
    redisSentinels?.password ?? null,
    ...jwtSecrets,
    ...authSecrets(auth),
    ...Object.values(traces?.headers ?? {}),
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
