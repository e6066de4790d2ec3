import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../../../platform/access/client-address.js';
import type { OAuthClient } from '../../../platform/access/oauth-grants.js';
import { toApiError } from '../../errors.js';
import { hasRedirectUri, type OAuthContext } from './clients.js';
import { consentPage, errorPage, pageHeaders } from './consent-page.js';
import { formOf, once, refused } from './requests.js';

/** The request of a client for authorization, as the form of the consent page contains it. */
interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  challenge: string;
  state: string | null;
  resource: string;
  /** When the consent page was made, in ms since 1970. */
  at: number;
  /** The hash of the cookie of the browser that opened the page. */
  browser: string;
}

const SEALED_AS = 'oauth-request';
const COOKIE = 'oauth_consent';

/** How long a person may take to paste a key, in ms. */
const MAX_AGE_MS = 15 * 60_000;
const MAX_STATE = 2_000;

/** Answers a browser with a page. A wrong request is explained on the page, because its redirect URI cannot be trusted. */
const onPage =
  (answer: (request: Request, response: Response) => Promise<void>): RequestHandler =>
  async (request, response) => {
    try {
      await answer(request, response);
    } catch (thrown) {
      const { status, detail } = toApiError(thrown);
      const isShown = status < 500 && typeof detail === 'string';
      const text = isShown ? detail : 'The service is not available. Try again soon.';
      sendPage(response, status, errorPage(text));
    }
  };

export const showConsent = (context: OAuthContext): RequestHandler =>
  onPage(async (request, response) => {
    const { client, wanted } = await readRequest(context, request);
    const cookie = cookieOf(request) ?? randomBytes(32).toString('base64url');
    response.cookie(COOKIE, cookie, {
      httpOnly: true,
      sameSite: 'strict',
      secure: context.issuer.startsWith('https:'),
      path: '/oauth',
      maxAge: MAX_AGE_MS,
    });
    const kept = { ...wanted, at: context.now().getTime(), browser: hashed(cookie) };
    sendConsent(context, response, client, kept);
  });

/** Reads the form of the consent page, and sends the person back to the client with a code. */
export const decide = (context: OAuthContext): RequestHandler =>
  onPage(async (request, response) => {
    const form = formOf(request);
    const kept = context.sealed.open(once(form, 'request') ?? '', SEALED_AS) as AuthorizationRequest | null;
    const cookie = cookieOf(request);
    const isOwn = kept !== null && cookie !== null && isSame(kept.browser, hashed(cookie));
    if (kept === null || !isOwn || !isFromPage(request, context.issuer))
      throw refused('The form was not sent by the page of this browser. Start again.');
    if (context.now().getTime() - kept.at > MAX_AGE_MS)
      throw refused('The page was open for too long. Start again.');
    const { clientId, redirectUri, challenge, resource } = kept;
    const client = await context.clients.find(clientId, addressOf(request));
    if (client === null || !hasRedirectUri(client, redirectUri))
      throw refused('The application is not registered any more. Start again.', 'invalid_client');
    if (once(form, 'decision') !== 'allow')
      return redirect(context, response, kept, { error: 'access_denied' });
    const key = await context.keys.findByRawKey((once(form, 'api_key') ?? '').trim());
    if (key === null) return sendConsent(context, response, client, kept, 'This is not a valid API key.');
    const grant = { clientId, redirectUri, challenge, keyId: key.id, counter: key.counter, resource };
    redirect(context, response, kept, { code: await context.grants.createCode(grant) });
  });

/** Checks the parameters of a request for authorization. @throws OAuthError */
async function readRequest({ clients, resource }: OAuthContext, request: Request) {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const clientId = once(query, 'client_id');
  const client = clientId === null ? null : await clients.find(clientId, addressOf(request));
  if (client === null) throw refused('client_id is not a registered application', 'invalid_client');
  const redirectUri = once(query, 'redirect_uri');
  if (redirectUri === null || !hasRedirectUri(client, redirectUri))
    throw refused('redirect_uri is not one of the application’s');
  if (once(query, 'response_type') !== 'code') throw refused('response_type must be code');
  const challenge = once(query, 'code_challenge');
  if (once(query, 'code_challenge_method') !== 'S256' || challenge === null || !/^[\w-]{43}$/.test(challenge))
    throw refused('code_challenge must be one of PKCE with code_challenge_method S256');
  const state = once(query, 'state');
  if (state !== null && state.length > MAX_STATE) throw refused('state is too long');
  if (!isResource(once(query, 'resource'), resource))
    throw refused(`resource must be ${resource}`, 'invalid_target');
  return { client, wanted: { clientId: client.client_id, redirectUri, challenge, state, resource } };
}

/** Whether a request names the resource of this service, or none, because there is only one. */
export const isResource = (given: string | null, resource: string): boolean =>
  given === null || (URL.canParse(given) && new URL(given).href.replace(/\/$/, '') === resource);

function sendConsent(
  { sealed }: OAuthContext,
  response: Response,
  client: OAuthClient,
  kept: AuthorizationRequest,
  wrong?: string,
): void {
  const { redirectUri } = kept;
  const html = consentPage(client, redirectUri, sealed.seal(kept, SEALED_AS), wrong);
  sendPage(response, wrong === undefined ? 200 : 403, html, redirectUri);
}

function sendPage(response: Response, status: number, html: string, redirectUri?: string): void {
  response.status(status).set(pageHeaders(redirectUri)).send(html);
}

/** Sends the person back to the client, with the issuer, so that clients of several servers mix up none (RFC 9207). */
function redirect(
  { issuer }: OAuthContext,
  response: Response,
  { redirectUri, state }: AuthorizationRequest,
  answer: Record<string, string>,
): void {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, iss: issuer })) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set('state', state);
  response.clearCookie(COOKIE, { path: '/oauth' });
  response.status(303).set({ Location: url.href, 'Cache-Control': 'no-store' }).end();
}

/** Whether the form was sent by a page of this service, as the browser states. */
const isFromPage = (request: Request, issuer: string): boolean => {
  const origin = request.get('origin');
  const site = request.get('sec-fetch-site');
  return (
    (origin === undefined || origin === 'null' || origin === issuer) &&
    (site === undefined || site === 'same-origin')
  );
};

const cookieOf = (request: Request): string | null =>
  new RegExp(`(?:^|; )${COOKIE}=([\\w-]{43})(?:;|$)`).exec(request.get('cookie') ?? '')?.[1] ?? null;

const hashed = (text: string): string => hash('sha256', text, 'base64url');

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
