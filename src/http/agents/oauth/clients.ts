import type { OAuthClient, OAuthGrants } from '../../../platform/access/oauth-grants.js';
import { DocumentCache } from '../../../platform/document-cache.js';
import { DocumentError, type DocumentFetcher } from '../../../platform/fetch-document.js';
import { OAuthError } from './requests.js';
import { isRedirectUri } from './redirect-uris.js';

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

/**
 * Reads and finds clients: registered ones, and those whose id is the URL of a metadata document.
 * @param schemes the schemes of applications that redirect URIs may have, besides reversed domain names.
 */
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
    // A client may have registered while other schemes were allowed.
    const redirect_uris = client?.redirect_uris.filter((uri) => isRedirectUri(uri, schemes)) ?? [];
    return client && { ...client, redirect_uris };
  };
  return {
    /** Reads the metadata of a registration. @throws OAuthError */
    readMetadata: (document: unknown) => readMetadata(document, schemes),
    /**
     * @param address the address of who names the client.
     * @returns null if there is no such client, or if its document is not acceptable. @throws OAuthError 503
     */
    async find(id: string, address: string): Promise<OAuthClient | null> {
      if (/^https?:\/\//i.test(id)) return documents.get(id, address);
      return /^[\w-]{1,64}$/.test(id) ? registered(id) : null;
    },
  };
}

export type Clients = ReturnType<typeof createClients>;
