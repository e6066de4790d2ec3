import { oauthResource } from '../../../platform/access/oauth-grants.js';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** The paths of the metadata of the resource: by its path, and at the root for clients that look there. */
export const resourceMetadataPaths = (publicUrl: string): string[] => [
  `${RESOURCE_METADATA}${new URL(oauthResource(publicUrl)).pathname}`,
  RESOURCE_METADATA,
];

/** The header `WWW-Authenticate` of a 401 (RFC 9728, section 5.1). */
export const challenge = (publicUrl: string): string => {
  const { origin } = new URL(publicUrl);
  return `Bearer resource_metadata="${origin}${resourceMetadataPaths(publicUrl)[0]}"`;
};

/** Describes the protected resource (RFC 9728). */
export const resourceMetadata = (publicUrl: string, issuer: string): object => ({
  resource: oauthResource(publicUrl),
  authorization_servers: [issuer],
  bearer_methods_supported: ['header'],
  resource_name: 'Product catalogue',
  resource_documentation: `${publicUrl}/docs`,
});

/** Describes the authorization server (RFC 8414). */
export const serverMetadata = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});
