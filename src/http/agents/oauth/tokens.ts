import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { addressOf, networkOf } from '../../../platform/access/client-address.js';
import type { OAuthGrant } from '../../../platform/access/oauth-grants.js';
import { parseBody } from '../../transfer/request-body.js';
import { isResource } from './authorize.js';
import { formOf, OAuthError, once, refused } from './requests.js';
import type { OAuthContext } from './clients.js';

const invalidGrant = () => refused('The code or refresh token is not valid for this client', 'invalid_grant');

/** `POST /oauth/token`: exchanges a code or a refresh token for tokens. */
export function exchange(context: OAuthContext): RequestHandler {
  return async (request, response) => {
    const form = formOf(request);
    const type = once(form, 'grant_type');
    const grant =
      type === 'authorization_code'
        ? await codeGrant(context, form)
        : type === 'refresh_token'
          ? await refreshGrant(context, form)
          : null;
    if (grant === null)
      throw refused('grant_type must be authorization_code or refresh_token', 'unsupported_grant_type');
    // A token of a revoked or expired key would be refused anyway.
    const key = await context.keys.find({ id: grant.keyId });
    if (key === null) {
      await context.grants.end(grant);
      throw invalidGrant();
    }
    response
      .set('Cache-Control', 'no-store')
      .json(await context.grants.issue({ ...grant, counter: key.counter }));
  };
}

async function codeGrant({ grants, resource }: OAuthContext, form: URLSearchParams): Promise<OAuthGrant> {
  const [code, verifier] = [needed(form, 'code'), needed(form, 'code_verifier')];
  const [clientId, redirectUri] = [needed(form, 'client_id'), needed(form, 'redirect_uri')];
  checkTarget(form, resource);
  // The code is taken first, so that a wrong verifier cannot be tried again.
  const grant = await grants.takeCode(code);
  const isValid =
    grant !== null &&
    grant.clientId === clientId &&
    grant.redirectUri === redirectUri &&
    /^[\w.~-]{43,128}$/.test(verifier) &&
    hash('sha256', verifier, 'base64url') === grant.challenge;
  if (!isValid) throw invalidGrant();
  return grant;
}

async function refreshGrant({ grants, resource }: OAuthContext, form: URLSearchParams): Promise<OAuthGrant> {
  const [token, clientId] = [needed(form, 'refresh_token'), needed(form, 'client_id')];
  checkTarget(form, resource);
  const grant = await grants.takeRefreshToken(token);
  if (grant?.clientId === clientId) return grant;
  // A client presented the token of another client, so all tokens of its consent are revoked.
  if (grant !== null) await grants.end(grant);
  throw invalidGrant();
}

function needed(form: URLSearchParams, name: string): string {
  const value = once(form, name);
  if (value === null) throw refused(`${name} is missing`);
  return value;
}

function checkTarget(form: URLSearchParams, resource: string): void {
  if (!isResource(once(form, 'resource'), resource))
    throw refused(`resource must be ${resource}`, 'invalid_target');
}

/** `POST /oauth/revoke` (RFC 7009): revokes all tokens of a consent. An unknown token is not an error. */
export function revoke({ grants }: OAuthContext): RequestHandler {
  return async (request, response) => {
    await grants.revoke(needed(formOf(request), 'token'));
    response.status(200).end();
  };
}

/** `POST /oauth/register` (RFC 7591): registers a client, within limits by network and in total. */
export function register({ clients, grants, now }: OAuthContext): RequestHandler {
  return async (request, response) => {
    const metadata = clients.readMetadata(parseBody(request));
    // The total is of all, so a whole network counts: the /48 of one customer has 256 times a /56.
    if (!(await grants.countRegistration(networkOf(addressOf(request))))) {
      const headers = { 'Retry-After': '3600' };
      throw new OAuthError('temporarily_unavailable', 'Too many clients were registered', 429, headers);
    }
    const { client_id, client_name, redirect_uris } = await grants.register(metadata);
    response
      .status(201)
      .set('Cache-Control', 'no-store')
      .json({
        client_id,
        client_id_issued_at: Math.floor(now().getTime() / 1_000),
        ...(client_name === null ? {} : { client_name }),
        redirect_uris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
  };
}
