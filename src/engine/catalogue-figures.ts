import type { Client } from '@elastic/elasticsearch';
import { METRIC_READS } from './client.js';
import { figuresRequest, loadsRequest } from './queries/sources.js';

/** Metrics of the whole catalogue, which the service exports to Prometheus. */
export interface CatalogueFigures {
  /** For each source, the time of its last successful load, in milliseconds since 1970. */
  lastLoads: ReadonlyMap<string, number>;
  currencies: number;
}

interface Latest {
  value: number | null;
}

interface Figures {
  sources: { buckets: { key: string; changed: Latest; observed: Latest }[] };
  currencies: { value: number };
}

interface Loads {
  sources: { buckets: { key: string; last: Latest }[] };
}

/** Reads the metrics from the listings and from `loads`, the index of load records, which may be missing or not readable. */
export async function catalogueFigures(
  es: Client,
  { products, loads }: { products: string; loads: string },
): Promise<CatalogueFigures> {
  const [listed, recorded] = await Promise.all([
    es.search<unknown, Figures>({ index: products, ...figuresRequest }, METRIC_READS),
    es.search<unknown, Loads>({ index: loads, ...loadsRequest }, { ...METRIC_READS, ignore: [403, 404] }),
  ]);
  const lastLoads = new Map<string, number>();
  const add = (source: string, ...times: Latest[]) => {
    const last = Math.max(lastLoads.get(source) ?? 0, ...times.map(({ value }) => value ?? 0));
    if (last > 0) lastLoads.set(source, last);
  };
  for (const { key, changed, observed } of listed.aggregations?.sources.buckets ?? [])
    add(key, changed, observed);
  // A source whose listings were all removed has no metrics, although its last load is still recorded.
  for (const { key, last } of recorded.aggregations?.sources.buckets ?? [])
    if (lastLoads.has(key)) add(key, last);
  return { lastLoads, currencies: listed.aggregations?.currencies.value ?? 0 };
}
