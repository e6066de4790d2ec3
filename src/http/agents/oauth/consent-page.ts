import { hash } from 'node:crypto';
import type { OAuthClient } from '../../../platform/access/oauth-grants.js';
import { escapeMarkup } from '../../../text/clean.js';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}' +
  'h1{font-size:1.4rem}input{width:100%;box-sizing:border-box;padding:.6rem;font:inherit;border:1px solid #767676;border-radius:4px}' +
  'button{padding:.6rem 1.2rem;font:inherit;border:1px solid #0a5c36;border-radius:4px;background:#0a5c36;color:#fff;margin:1rem .5rem 0 0}' +
  'button[value=deny]{background:#fff;color:#1a1a1a;border-color:#767676}.wrong{color:#a00000}code{overflow-wrap:anywhere}';

const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** The headers of a page: no scripts and frames. @param redirectUri where the form leads in the end, which browsers check as well. */
export function pageHeaders(redirectUri?: string): Record<string, string> {
  const target = redirectUri === undefined ? '' : ` ${sourceOf(new URL(redirectUri))}`;
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      `form-action 'self'${target}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
  };
}

/** The source expression of a redirect URI: its origin, or its scheme if that belongs to an application. */
const sourceOf = ({ protocol, origin }: URL): string =>
  protocol === 'https:' || protocol === 'http:' ? origin : protocol;

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta name="robots" content="noindex"><title>${escapeMarkup(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;

/** The page on which a person allows a client to use the catalogue, by pasting an API key once. */
export function consentPage(
  client: OAuthClient,
  redirectUri: string,
  /** The request, which the form sends back unchanged. */
  sealedRequest: string,
  wrong?: string,
): string {
  const { protocol, host } = new URL(redirectUri);
  const target = host === '' ? `the application of ${protocol}` : host;
  const name = client.client_name ?? 'An application';
  return page(
    'Connect to the product catalogue',
    `<h1>Connect ${escapeMarkup(name)} to the product catalogue</h1>` +
      `<p>The name is what the application calls itself. It will be connected at <strong><code>${escapeMarkup(target)}</code></strong>. ` +
      'Continue only if you started this there.</p>' +
      '<p>With your API key it can search the catalogue and manage your alerts, until the key is revoked.</p>' +
      (wrong === undefined ? '' : `<p class="wrong" role="alert">${escapeMarkup(wrong)}</p>`) +
      '<form method="post" action="/oauth/authorize">' +
      `<input type="hidden" name="request" value="${escapeMarkup(sealedRequest)}">` +
      '<label for="api_key">API key</label>' +
      '<input id="api_key" name="api_key" type="password" autocomplete="off" spellcheck="false" autofocus>' +
      '<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Cancel</button></form>',
  );
}

/** The page that tells a person that an application sent a wrong request. Nobody is redirected. */
export const errorPage = (description: string): string =>
  page(
    'The application cannot be connected',
    `<h1>The application cannot be connected</h1><p>${escapeMarkup(description)}</p>`,
  );
