import type { KeyStore } from '../../../platform/access/key-store.js';
import type { OAuthClient, OAuthGrants } from '../../../platform/access/oauth-grants.js';
import { DocumentCache } from '../../../platform/document-cache.js';
import { DocumentError, type DocumentFetcher } from '../../../platform/fetch-document.js';
import type { Sealed } from '../../../platform/sealed.js';
import { OAuthError } from './requests.js';

const MAX_URI = 2_000;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A scheme that is a reversed domain name, such as `com.example.app:`, as RFC 8252, section 7.1, requires of applications. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;

/** Whether a redirect URI is https, http of a loopback address or the scheme of an application; others start programs, as `ms-msdt:`. */
function isRedirectUri(text: unknown, schemes: readonly string[]): text is string {
  if (typeof text !== 'string' || text.length > MAX_URI || text.includes('#') || !URL.canParse(text))
    return false;
  // The URL parser would remove or change these characters, so that the URI would differ from the text that a person sees.
  if (/[\s\\]|\p{Cc}/u.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return protocol === 'https:' || REVERSED_DOMAIN.test(protocol) || schemes.includes(protocol.slice(0, -1));
}

/** Whether a redirect URI is one of a client's: the same text, except for the port of a loopback address (RFC 8252, section 7.3). */
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

const MAX_URIS = 10;
const MAX_NAME = 100;

/** Reads the metadata of a client, from a registration or a metadata document. @throws OAuthError */
function readMetadata(document: unknown, schemes: readonly string[]): Omit<OAuthClient, 'client_id'> {
  const { redirect_uris, client_name } = (document ?? {}) as Record<string, unknown>;
  const isList = Array.isArray(redirect_uris) && redirect_uris.length > 0 && redirect_uris.length <= MAX_URIS;
  if (!isList || !redirect_uris.every((uri) => isRedirectUri(uri, schemes)))
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must list 1 to ${MAX_URIS} URIs with https, a loopback address or the scheme of an application: ` +
        `a reversed domain name such as com.example.app, or one of ${schemes.join(', ')}`,
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

/** Reads and finds clients. @param schemes the schemes that redirect URIs may have, besides reversed domain names. */
export function createClients(grants: OAuthGrants, fetcher: DocumentFetcher, schemes: readonly string[]) {
  const documents = new DocumentCache<OAuthClient | null>({
    async read(id) {
      try {
        const document = (await fetcher.fetch(id)) as Record<string, unknown> | null;
        const method = document?.['token_endpoint_auth_method'] ?? 'none';
        if (document?.['client_id'] !== id || method !== 'none') return null;
        return { client_id: id, ...readMetadata(document, schemes) };
      } catch (error) {
        if (error instanceof DocumentError || error instanceof OAuthError) return null;
        throw error;
      }
    },
    isFailure: (client) => client === null,
    busy: () =>
      new OAuthError(
        'temporarily_unavailable',
        'Too many client metadata documents are being fetched. Retry soon.',
        503,
      ),
  });
  const registered = async (id: string): Promise<OAuthClient | null> => {
    const client = await grants.client(id);
    // Schemes may have been removed from the configuration since the client registered, so its URIs are checked again.
    const redirect_uris = client?.redirect_uris.filter((uri) => isRedirectUri(uri, schemes)) ?? [];
    return client && { ...client, redirect_uris };
  };
  return {
    readMetadata: (document: unknown) => readMetadata(document, schemes),
    /** @param address of who names it. @returns null without such a client or an acceptable document. @throws OAuthError 503 */
    async find(id: string, address: string): Promise<OAuthClient | null> {
      if (/^https?:\/\//i.test(id)) return documents.get(id, address);
      return /^[\w-]{1,64}$/.test(id) ? registered(id) : null;
    },
  };
}

export interface OAuthContext {
  issuer: string;
  resource: string;
  grants: OAuthGrants;
  keys: KeyStore;
  clients: ReturnType<typeof createClients>;
  sealed: Sealed;
  now: () => Date;
}
