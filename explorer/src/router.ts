import { useEffect, useState } from 'preact/hooks';

/** Shows another view without loading the page again. */
export function navigate(url: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  dispatchEvent(new Event('viewchange'));
}

/** The address of the view that is shown. */
export function useLocation(): { path: string; query: URLSearchParams } {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const changed = () => setHref(location.href);
    addEventListener('popstate', changed);
    addEventListener('viewchange', changed);
    return () => {
      removeEventListener('popstate', changed);
      removeEventListener('viewchange', changed);
    };
  }, []);
  const { pathname, searchParams } = new URL(href);
  return { path: pathname.replace(/\/$/, ''), query: searchParams };
}

/** Follows links to views of the explorer and of the review desk, unless a new tab or window is wanted. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest('a');
  if (link === null || link.target !== '' || link.origin !== location.origin) return;
  if (!/^\/(explore|review)(\/|$)/.test(link.pathname)) return;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  // The browser goes to a part of the view itself.
  if (isHere && link.hash !== '') return;
  event.preventDefault();
  if (link.href !== location.href) {
    navigate(link.href);
    // The search keeps its own state, and reads it from the address again.
    dispatchEvent(new Event('viewlink'));
  }
  if (link.hash === '') {
    scrollTo(0, 0);
    document.querySelector('main')?.focus({ preventScroll: true });
  } else document.querySelector<HTMLElement>(link.hash)?.focus();
}

/** The address of a view with parameters; those without a value are left out. */
export function viewUrl(
  path: string,
  parameters: Record<string, string | number | null | undefined> = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
