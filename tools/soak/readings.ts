import type { Client } from '@elastic/elasticsearch';

/** The state of the service at a moment; null where nobody can tell. */
export interface Reading {
  /** Seconds since the traffic began. */
  at: number;
  /** Megabytes. */
  resident: number | null;
  heap: number | null;
  sockets: number | null;
  /** Request events that wait to be written. */
  queued: number | null;
  dropped: number | null;
  /** Points in time and scrolls open in the engine, of this catalogue's indices. */
  openContexts: number | null;
}

/** Where to look. */
export interface Sources {
  /** Of Prometheus's page; null: not served. */
  metricsUrl: string | null;
  /** The engine and the alias of the products; null: not known. */
  engine: { es: Client; products: string } | null;
}

const MEGABYTE = 1_048_576;

export async function read({ metricsUrl, engine }: Sources, at: number): Promise<Reading> {
  const metrics = metricsUrl === null ? null : await metricsOf(metricsUrl);
  const megabytes = (name: string) => {
    const bytes = metrics?.get(name);
    return bytes === undefined ? null : bytes / MEGABYTE;
  };
  return {
    at,
    resident: megabytes('process_resident_memory_bytes'),
    heap: megabytes('nodejs_heap_size_used_bytes'),
    sockets: metrics?.get('nodejs_active_resources{type="TCPSocketWrap"}') ?? null,
    queued: metrics?.get('catalog_events_queue_length') ?? null,
    dropped: metrics?.get('catalog_events_dropped_total') ?? null,
    openContexts: engine === null ? null : await openContexts(engine),
  };
}

/** Series and their values. */
async function metricsOf(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

async function openContexts({ es, products }: NonNullable<Sources['engine']>): Promise<number> {
  const { _all: all } = await es.indices.stats({ index: products, metric: 'search' });
  return all.total?.search?.open_contexts ?? 0;
}
