import { gtinOf } from './gtin.js';

/** What shops and advertisers add to see where a visitor came from; it names no other page. */
const TRACKING =
  /^(?:utm_.*|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|ttclid|twclid|yclid|igshid|srsltid|epik|irclickid|irgwc|cjevent|li_fat_id|mc_[ce]id|mkt_tok|_ga|_gl|_hsenc|_hsmi|spm|scm|aff_.*|affid|affiliate_id|click_?id|ref_?|p[df]_rd_.*)$/i;
/** Of a marketplace's affiliate; elsewhere a tag may be what the page is about. */
const AFFILIATE_TAG = /-\d{2}$/;
const DEFAULT_PORTS = new Set(['', '80', '443']);
const UNRESERVED = /[\w.~-]/;

/**
 * The page that a URL names, in one spelling: `http://WWW.Shop.example:80/p?utm_source=x&b=2&a=1#top` is
 * `shop.example/p?a=1&b=2`. Scheme, login, `www.`, default port, fragment and tracking parameters are left out, the host
 * is folded, the other parameters are sorted by name. Paths keep their case and their last slash: shops differ there.
 * @returns null for what is no http or https URL.
 */
export function normaliseUrl(text: string): string | null {
  const url = webUrl(text);
  if (url === null) return null;
  const host = url.hostname.replace(/^www\./, '').replace(/\.$/, '');
  const port = DEFAULT_PORTS.has(url.port) ? '' : `:${url.port}`;
  for (const [name, value] of [...url.searchParams])
    if (TRACKING.test(name) || (name === 'tag' && AFFILIATE_TAG.test(value))) url.searchParams.delete(name);
  url.searchParams.sort();
  const query = url.searchParams.toString();
  return `${host}${port}${oneSpelling(url.pathname)}${query === '' ? '' : `?${query}`}`;
}

/** The GTIN of a GS1 Digital Link: `/01/` and a GTIN in the path, at any host; null: it is none. */
export function digitalLinkGtin(text: string): string | null {
  const path = webUrl(text)?.pathname ?? '';
  const digits = /\/01\/(\d{8,14})(?:\/|$)/.exec(path)?.[1];
  return digits === undefined ? null : gtinOf(digits);
}

function webUrl(text: string): URL | null {
  const url = parseUrl(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null;
}

/**
 * Reads a URL. Not by `URL.canParse`: once Node 20 has optimised it, after some thousand calls, it refuses what has a
 * letter of Latin-1 in its host, such as `https://größe.example`.
 * @returns null for what is none.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Percent-encoding where it is needed alone, in capitals. */
const oneSpelling = (path: string): string =>
  path.replace(/%([\da-f]{2})/gi, (escape, code: string) => {
    const character = String.fromCharCode(parseInt(code, 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
