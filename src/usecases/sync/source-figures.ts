import type { Client } from '@elastic/elasticsearch';
import { METRIC_READS } from '../../engine/client.js';
import type { SourceFigures } from '../../telemetry/metrics/catalogue-metrics.js';
import { readSourceStates } from '../../sources/source-states.js';

/** The maximum number of sources with metrics, because each is a time series in Prometheus. */
const MAX_SOURCES = 200;

/** Reads the figures for the metrics of the sources that `npm run sync` loads. */
export async function sourceFigures(es: Client, indexPrefix: string): Promise<readonly SourceFigures[]> {
  const states = await readSourceStates(es, indexPrefix, METRIC_READS);
  return states
    .slice(0, MAX_SOURCES)
    .map(({ file, source, fresh_at, expected_freshness_s, last_run }) => ({
      source: source ?? file,
      freshAt: fresh_at === null ? 0 : Date.parse(fresh_at),
      expectedFreshnessS: expected_freshness_s,
      columnsChanged: (last_run?.columns.lost.length ?? 0) + (last_run?.columns.added.length ?? 0),
      priceChange: magnitudeOf(last_run?.price_change_pct ?? null),
      refusedBy: last_run?.outcome === 'refused' ? last_run.rule : null,
    }));
}

const magnitudeOf = (change: number | null): number | null => (change === null ? null : Math.abs(change));
