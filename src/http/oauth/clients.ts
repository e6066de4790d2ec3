import { LRUCache } from 'lru-cache';
import type { OAuthClient, OAuthGrants } from '../../platform/access/oauth-grants.js';
import { DocumentError, type DocumentFetcher } from '../../platform/fetch-document.js';
import { OAuthError } from './errors.js';

const MAX_URIS = 10;
const MAX_URI = 2_000;
const MAX_NAME = 100;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Schemes that run or show content in a browser instead of opening an application. */
const FORBIDDEN = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'filesystem:',
  'view-source:',
  'ws:',
  'wss:',
  'ftp:',
]);

/** Whether a client may have a redirect URI: https, http of a loopback address, or the scheme of an application. */
function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_URI || text.includes('#') || !URL.canParse(text))
    return false;
  // The URL parser removes these characters, so that the text would mean something else than it shows.
  if (/[\s\\]|\p{Cc}/u.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return !FORBIDDEN.has(protocol);
}

/**
 * Whether a redirect URI is one of a client's. They are compared as text, except for the port of a loopback address, which
 * an application on the person's machine chooses when it starts (RFC 8252, section 7.3).
 */
export function hasRedirectUri({ redirect_uris: registered }: OAuthClient, uri: string): boolean {
  return registered.includes(uri) || registered.some((one) => isLoopbackTwin(one, uri));
}

function isLoopbackTwin(one: string, other: string): boolean {
  if (!isRedirectUri(one) || !isRedirectUri(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== 'http:' || b.protocol !== 'http:') return false;
  a.port = '';
  b.port = '';
  return a.href === b.href;
}

/** Reads the metadata of a client, from a registration or a metadata document. @throws OAuthError */
export function readMetadata(document: unknown): Omit<OAuthClient, 'client_id'> {
  const { redirect_uris, client_name } = (document ?? {}) as Record<string, unknown>;
  const isList = Array.isArray(redirect_uris) && redirect_uris.length > 0 && redirect_uris.length <= MAX_URIS;
  if (!isList || !redirect_uris.every(isRedirectUri))
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must list 1 to ${MAX_URIS} URIs with https, a loopback address or the scheme of an application`,
    );
  return { redirect_uris, client_name: nameOf(client_name) };
}

const nameOf = (name: unknown): string | null =>
  typeof name === 'string' && name.trim() !== ''
    ? name
        .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
        .trim()
        .slice(0, MAX_NAME)
    : null;

const DOCUMENT_TTL_MS = 10 * 60_000;
const FAILURE_TTL_MS = 60_000;
const MAX_DOCUMENTS = 200;
const MAX_FETCHES = 4;

/** Finds clients: registered ones, and those whose id is the URL of a metadata document. */
export function createClients(grants: OAuthGrants, fetcher: DocumentFetcher) {
  const documents = new LRUCache<string, Promise<OAuthClient | null>>({
    max: MAX_DOCUMENTS,
    ttl: DOCUMENT_TTL_MS,
  });
  let fetching = 0;
  const read = async (id: string): Promise<OAuthClient | null> => {
    fetching += 1;
    try {
      const document = (await fetcher.fetch(id)) as Record<string, unknown> | null;
      const method = document?.['token_endpoint_auth_method'] ?? 'none';
      if (document?.['client_id'] !== id || method !== 'none') return null;
      return { client_id: id, ...readMetadata(document) };
    } catch (error) {
      if (error instanceof DocumentError || error instanceof OAuthError) return null;
      throw error;
    } finally {
      fetching -= 1;
    }
  };
  return {
    /** @returns null if there is no such client, or if its document is not acceptable. @throws OAuthError 503 */
    async find(id: string): Promise<OAuthClient | null> {
      if (!/^https?:\/\//i.test(id)) return /^[\w-]{1,64}$/.test(id) ? grants.client(id) : null;
      const known = documents.get(id);
      if (known !== undefined) return known;
      if (fetching >= MAX_FETCHES)
        throw new OAuthError(
          'temporarily_unavailable',
          'Too many client metadata documents are being fetched. Retry soon.',
          503,
        );
      const reading = read(id);
      documents.set(id, reading);
      const forgetSoon = () => documents.set(id, reading, { ttl: FAILURE_TTL_MS });
      reading.then((client) => (client === null ? forgetSoon() : undefined), forgetSoon);
      return reading;
    },
  };
}

export type Clients = ReturnType<typeof createClients>;
