import type { Client } from '@elastic/elasticsearch';
import { figuresRequest, loadsRequest } from './queries/figures.js';

/** What is told of the catalogue as a whole. */
export interface CatalogueFigures {
  /** When each source was last loaded with success, in ms since 1970. */
  lastLoads: ReadonlyMap<string, number>;
  /** In how many currencies prices are. */
  currencies: number;
}

interface Figures {
  sources: { buckets: { key: string; changed: Latest; observed: Latest }[] };
  currencies: { value: number };
}

interface Loads {
  sources: { buckets: { key: string; last: Latest }[] };
}

interface Latest {
  value: number | null;
}

/** Nobody waits for these longer than a scrape may take. */
const DEADLINE_MS = 3_000;

/**
 * Reads them of the listings, which know when anything was last brought, and of the record of loads, which knows of those
 * that found everything as it was.
 * @param of.products an alias; `of.loads`: there may be none, or none that this user may read.
 * @throws as the engine does.
 */
export async function catalogueFigures(
  es: Client,
  { products, loads }: { products: string; loads: string },
): Promise<CatalogueFigures> {
  const options = { requestTimeout: DEADLINE_MS, maxRetries: 0 };
  const [listed, recorded] = await Promise.all([
    es.search<unknown, Figures>({ index: products, ...figuresRequest }, options),
    es.search<unknown, Loads>({ index: loads, ...loadsRequest }, { ...options, ignore: [403, 404] }),
  ]);
  const lastLoads = new Map<string, number>();
  const add = (source: string, ...times: Latest[]) => {
    const last = Math.max(lastLoads.get(source) ?? 0, ...times.map(({ value }) => value ?? 0));
    if (last > 0) lastLoads.set(source, last);
  };
  for (const { key, changed, observed } of listed.aggregations?.sources.buckets ?? [])
    add(key, changed, observed);
  // Of a source without a listing there is nothing to be stale.
  for (const { key, last } of recorded.aggregations?.sources.buckets ?? [])
    if (lastLoads.has(key)) add(key, last);
  return { lastLoads, currencies: listed.aggregations?.currencies.value ?? 0 };
}
