import type { Config } from '../platform/config/config.js';

export type Redact = (text: string) => string;

export const REDACTED = '[redacted]';

/**
 * Raw API keys, cut off or percent-encoded ones too, codes and tokens of OAuth, and passwords in URLs. In linear time: user names lack
 * colons, and each alternative starts with a character, because one that starts with a look-behind takes twenty times as long.
 */
const PATTERNS =
  /svc(?:_|%5f)(?:live|test)(?:_|%5f)(?:[\w-]|%5f|%2d)*|o(?<![a-z\d]o)(?:ac|at|rt)(?:_|%5f)(?:[\w-]|%5f|%2d){20,}|(:\/\/)(?<=[a-z]:\/\/)[^\s/?#@"':]*:[^\s/?#@"']*(?=@)/gi;

const RUN = /[\w.-]+/g;
const TOKEN_HEAD = 'eyJ';
const SHORTEST_HEAD = 8;

/** The minimum length of a configured secret that is redacted, because shorter ones may be ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** The maximum numbers of characters of a client's text that are redacted, and that are kept after redaction. */
const MAX_READ = 4_000;
const MAX_STORED = 1_000;

/** The maximum length of a secret. So many characters before a cut are dropped, because they may be the beginning of one. */
const MAX_SECRET = 1_000;

/** Redacts secrets that are recognised by their form, in linear time. */
export const redactForms: Redact = (text) => withoutTokens(text.replace(PATTERNS, `$1${REDACTED}`));

/** Redacts JSON Web Tokens. A single regular expression would take quadratic time. */
function withoutTokens(text: string): string {
  if (!text.includes(TOKEN_HEAD)) return text;
  return text.replace(RUN, (run) => {
    const start = run.indexOf(TOKEN_HEAD);
    const lastDot = run.lastIndexOf('.', run.length - 2);
    return start >= 0 && start + SHORTEST_HEAD <= lastDot ? run.slice(0, start) + REDACTED : run;
  });
}

/** Creates a function that redacts the secrets of a configuration in any encoding, and everything that has the form of one. */
export function redactor(config: Config): Redact {
  const encodings = secretsOf(config)
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const secrets = [...new Set(encodings)].sort((a, b) => b.length - a.length);
  return (text) => redactForms(secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text));
}

export const redactText = (text: string, redact: Redact): string =>
  truncated(redact(text.slice(0, MAX_READ)), text.length > MAX_READ);

/** Redacts and truncates a path, after decoding percent-encoded characters, which may hide a secret. */
export function redactPath(path: string, redact: Redact): string {
  const read = path.slice(0, MAX_READ);
  const plain = withoutEscapes(read);
  const redacted = redact(plain);
  return truncated(redacted === plain ? redact(read) : redacted, path.length > MAX_READ);
}

function truncated(redacted: string, hasMore: boolean): string {
  const sure = hasMore ? redacted.slice(0, -MAX_SECRET) : redacted;
  return hasMore || sure.length > MAX_STORED ? `${sure.slice(0, MAX_STORED - 1)}…` : sure;
}

/** Decodes percent-encoding. If some of it is invalid, the ASCII characters are still decoded. */
function withoutEscapes(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path.replace(/%[0-7][\da-f]/gi, decodeURIComponent);
  }
}

function secretsOf({ elasticsearch: { auth, nodes }, ...config }: Config): string[] {
  const given = [
    config.adminSecret,
    config.redisSentinels?.password ?? null,
    ...config.jwtSecrets,
    ...authSecrets(auth),
    ...Object.values(config.traces?.headers ?? {}),
    ...[config.redisUrl, ...nodes].map((url) => new URL(url).password),
  ].filter((secret) => secret !== null);
  return given.flatMap((secret) => [secret, unescaped(secret)]);
}

function authSecrets(auth: Config['elasticsearch']['auth']): string[] {
  if (auth === null) return [];
  if ('apiKey' in auth) return [auth.apiKey];
  const { username, password } = auth;
  // The Authorization header (Basic) contains the password with the user name, in base64.
  return [password, Buffer.from(`${username}:${password}`).toString('base64')];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
