import type { Client, estypes } from '@elastic/elasticsearch';
import type { Counts } from './load-record.js';
import type { LoadFigures } from '../../telemetry/metrics.js';
import { eventStream } from '../../telemetry/events/streams.js';

/** So many sources have figures, those that were loaded last: a feed can invent sources without end. */
const MAX_SOURCES = 200;

const DEADLINES = { requestTimeout: 3_000, maxRetries: 0 };

const isAction = (action: string): estypes.QueryDslQueryContainer => ({ term: { 'event.action': action } });

/** The last event of each source. */
const lastOfEach = (filter: estypes.QueryDslQueryContainer): estypes.SearchSearchRequestBody => ({
  query: { bool: { filter } },
  collapse: { field: 'catalog.load.source' },
  sort: [{ '@timestamp': 'desc' }],
  size: MAX_SOURCES,
  track_total_hits: false,
});

interface Event {
  event: { outcome: string };
  catalog: { load: Counts & { source: string; available?: number; vanished?: number; newer?: number } };
}

/**
 * Reads what `npm run ingest` recorded of loads.
 * @throws as the engine does.
 */
export async function loadFigures(es: Client, indexPrefix: string): Promise<readonly LoadFigures[]> {
  // Before the first load there is no such index.
  const header = {
    index: eventStream('loads', { indexPrefix, retentionDays: 0 }).name,
    ignore_unavailable: true,
  };
  const searches = [isAction('source'), isAction('complete')].flatMap((filter) => [
    header,
    lastOfEach(filter),
  ]);
  const { responses } = await es.msearch<Event>({ searches }, DEADLINES);
  const [last = [], complete = []] = responses.map((response) => {
    if ('error' in response) throw new Error(response.error.reason ?? response.error.type);
    return response.hits.hits.flatMap(({ _source }) => _source ?? []);
  });
  const figures = new Map<string, LoadFigures>();
  const tell = (events: Event[], toFigures: (event: Event) => Omit<LoadFigures, 'source'>) => {
    for (const event of events) {
      const { source } = event.catalog.load;
      figures.set(source, { ...figures.get(source), source, ...toFigures(event) });
    }
  };
  tell(last, ({ event, catalog: { load } }) => ({
    failed: event.outcome !== 'success',
    rejected: share(load.rejected, load.records),
  }));
  tell(complete, ({ catalog: { load } }) => ({
    vanished: share((load.vanished ?? 0) + (load.newer ?? 0), load.available ?? 0),
  }));
  return [...figures.values()].slice(0, MAX_SOURCES);
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
