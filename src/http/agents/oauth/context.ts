import type { KeyStore } from '../../../platform/access/key-store.js';
import type { OAuthGrants } from '../../../platform/access/oauth-grants.js';
import type { Sealed } from '../../../platform/sealed.js';
import type { Clients } from './clients.js';

/** What the handlers of OAuth depend on. */
export interface OAuthContext {
  issuer: string;
  /** The URL of the resource for which tokens are issued. */
  resource: string;
  grants: OAuthGrants;
  keys: KeyStore;
  clients: Clients;
  sealed: Sealed;
  now: () => Date;
}
