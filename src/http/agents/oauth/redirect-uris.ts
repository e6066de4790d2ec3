import type { OAuthClient } from '../../../platform/access/oauth-grants.js';

const MAX_URI = 2_000;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A scheme that is a reversed domain name, such as `com.example.app:`, as RFC 8252, section 7.1, requires of applications. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;

/**
 * Whether a client may have a redirect URI: https, http of a loopback address, or the scheme of an application. Other schemes
 * are refused, because they start programs of the operating system, such as `ms-msdt:`, or run scripts.
 * @param schemes the schemes of applications that are not reversed domain names, without a colon.
 */
export function isRedirectUri(text: unknown, schemes: readonly string[]): text is string {
  if (typeof text !== 'string' || text.length > MAX_URI || text.includes('#') || !URL.canParse(text))
    return false;
  // The URL parser removes these characters, so that the text would mean something else than it shows.
  if (/[\s\\]|\p{Cc}/u.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return protocol === 'https:' || REVERSED_DOMAIN.test(protocol) || schemes.includes(protocol.slice(0, -1));
}

/**
 * Whether a redirect URI is one of a client's. They are compared as text, except for the port of a loopback address, which
 * an application on the person's machine chooses when it starts (RFC 8252, section 7.3).
 */
export function hasRedirectUri({ redirect_uris: registered }: OAuthClient, uri: string): boolean {
  return registered.includes(uri) || registered.some((one) => isSameLoopback(one, uri));
}

function isSameLoopback(one: string, other: string): boolean {
  if (!isRedirectUri(one, []) || !isRedirectUri(other, [])) return false;
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== 'http:' || b.protocol !== 'http:') return false;
  a.port = '';
  b.port = '';
  return a.href === b.href;
}
