/** Query parameters that shops and advertisers add to track visitors; they do not change the page. */
const TRACKING =
  /^(?:utm_.*|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|ttclid|twclid|yclid|igshid|srsltid|epik|irclickid|irgwc|cjevent|li_fat_id|mc_[ce]id|mkt_tok|_ga|_gl|_hsenc|_hsmi|spm|scm|aff_.*|affid|affiliate_id|click_?id|ref_?|p[df]_rd_.*)$/i;
/** Matches an affiliate tag of a marketplace. Other values of `tag` may select the content of the page. */
const AFFILIATE_TAG = /-\d{2}$/;
const DEFAULT_PORTS = new Set(['', '80', '443']);
const UNRESERVED = /[\w.~-]/;

/**
 * Normalizes a web address: `http://WWW.Shop.example:80/p?utm_source=x&b=2&a=1#top` becomes `shop.example/p?a=1&b=2`.
 * Paths keep their case and trailing slash, because some shops need them. Null for another text.
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
  return `${host}${port}${normalisePath(url.pathname)}${query === '' ? '' : `?${query}`}`;
}

/** The digits after `/01/` in the path of a GS1 Digital Link on any host. The check digit may be wrong. */
export const digitalLinkDigits = (text: string): string | null =>
  /\/01\/(\d{8,14})(?:\/|$)/.exec(webUrl(text)?.pathname ?? '')?.[1] ?? null;

function webUrl(text: string): URL | null {
  const url = parseUrl(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null;
}

/** Parses a URL; null if it is invalid. Node 20 optimizes `URL.canParse` so that it rejects hosts such as `https://größe.example`. */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Decodes percent-encoded characters that do not need it, and writes the other codes in capitals. */
const normalisePath = (path: string): string =>
  path.replace(/%([\da-f]{2})/gi, (escape, code: string) => {
    const character = String.fromCharCode(parseInt(code, 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
