import type { ErrorRequestHandler, Router } from 'express';
import { oauthResource } from '../../../platform/access/oauth-grants.js';
import { ApiError } from '../../../platform/errors.js';
import { toApiError } from '../../errors.js';
import { serveDocument } from '../documents.js';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

const resourcePath = (publicUrl: string): string =>
  RESOURCE_METADATA + new URL(oauthResource(publicUrl)).pathname;

/**
 * Adds to a 401 where the protected resource is described (RFC 9728, section 5.1), so that clients can find the
 * authorization server.
 */
export function challengeClients(publicUrl: string): ErrorRequestHandler {
  const challenge = `Bearer resource_metadata="${new URL(publicUrl).origin}${resourcePath(publicUrl)}"`;
  return (thrown, _request, _response, next) => {
    const { status, detail, headers } = toApiError(thrown);
    next(status === 401 ? new ApiError(401, detail, { ...headers, 'WWW-Authenticate': challenge }) : thrown);
  };
}

/** Serves the descriptions of the protected resource (RFC 9728) and of the authorization server (RFC 8414). */
export function serveMetadata(router: Router, publicUrl: string, issuer: string): void {
  // Some clients look for the metadata of the resource at the root.
  for (const path of [resourcePath(publicUrl), RESOURCE_METADATA])
    serveDocument(router, path, {
      resource: oauthResource(publicUrl),
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Product catalogue',
      resource_documentation: `${publicUrl}/docs`,
    });
  serveDocument(router, '/.well-known/oauth-authorization-server', {
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
}
