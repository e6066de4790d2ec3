import { parseUrl } from '../../listing/url.js';

/** How many visits at once: in all, and to one host. */
export interface Politeness {
  atOnce: number;
  perHost: number;
}

/**
 * Visits every URL once, no host too often at a time; a slow host does not hold up the others.
 * @throws what a visit throws; no further one is begun then.
 */
export async function visitPolitely(
  urls: readonly string[],
  { atOnce, perHost }: Politeness,
  visit: (url: string) => Promise<void>,
): Promise<void> {
  const waiting = new Map<string, string[]>();
  for (const url of urls) waiting.set(hostOf(url), [...(waiting.get(hostOf(url)) ?? []), url]);
  const active = new Map<string, number>();
  const running = new Set<Promise<void>>();

  const startOne = (): boolean => {
    for (const [host, queue] of waiting) {
      const busy = active.get(host) ?? 0;
      const url = busy < perHost ? queue.shift() : undefined;
      if (url === undefined) continue;
      active.set(host, busy + 1);
      const visiting = visit(url).finally(() => {
        active.set(host, (active.get(host) ?? 1) - 1);
        running.delete(visiting);
      });
      running.add(visiting);
      return true;
    }
    return false;
  };

  for (;;) {
    while (running.size < atOnce && startOne());
    if (running.size === 0) return;
    await Promise.race(running);
  }
}

/** A URL that is none is visited too, to be told so. */
export function hostOf(url: string): string {
  return parseUrl(url)?.host ?? '';
}
