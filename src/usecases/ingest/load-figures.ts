import type { Client, estypes } from '@elastic/elasticsearch';
import { METRIC_READS } from '../../engine/client.js';
import type { SourceCounts } from './load-events.js';
import type { LoadFigures } from '../../telemetry/metrics/catalogue-metrics.js';
import { eventStream } from '../../telemetry/events/streams.js';

/** The maximum number of sources with metrics about loads. Those that were loaded last have metrics. */
const MAX_SOURCES = 200;

const lastOfEach = (action: string): estypes.SearchSearchRequestBody => ({
  query: { bool: { filter: { term: { 'event.action': action } } } },
  collapse: { field: 'catalog.load.source' },
  sort: [{ '@timestamp': 'desc' }],
  size: MAX_SOURCES,
  track_total_hits: false,
});

interface LoadEvent {
  event: { outcome: string };
  catalog: { load: SourceCounts & { source: string; available?: number; vanished?: number; newer?: number } };
}

/** Reads the figures for the metrics of loads from the events that `npm run ingest` recorded. */
export async function loadFigures(es: Client, indexPrefix: string): Promise<readonly LoadFigures[]> {
  // A missing index of load events is not an error, because it does not exist before the first load.
  const header = {
    index: eventStream('loads', { indexPrefix, retentionDays: 0 }).name,
    ignore_unavailable: true,
  };
  const searches = ['source', 'complete'].flatMap((action) => [header, lastOfEach(action)]);
  const { responses } = await es.msearch<LoadEvent>({ searches }, METRIC_READS);
  const [last = [], complete = []] = responses.map((response) => {
    if ('error' in response) throw new Error(response.error.reason ?? response.error.type);
    return response.hits.hits.flatMap(({ _source }) => _source ?? []);
  });
  const figures = new Map<string, LoadFigures>();
  for (const { event, catalog } of last) {
    const { source, rejected, records } = catalog.load;
    figures.set(source, { source, failed: event.outcome !== 'success', rejected: share(rejected, records) });
  }
  for (const { catalog } of complete) {
    const { source, available = 0, vanished = 0, newer = 0 } = catalog.load;
    figures.set(source, { ...figures.get(source), source, vanished: share(vanished + newer, available) });
  }
  return [...figures.values()].slice(0, MAX_SOURCES);
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
