import { collectDefaultMetrics, Registry } from 'prom-client';
import { catalogueMetrics, type CatalogueReaders } from './catalogue-metrics.js';
import { processMetrics, type ProcessParts } from './process-metrics.js';
import { requestMetrics } from './request-metrics.js';

/** Matches default metrics that have a limit for each process, so that the maximum over all processes is exported. */
const AGGREGATED_BY_MAXIMUM =
  /^(nodejs_eventloop_lag_((mean|p\d+)_)?seconds|process_(resident_memory_bytes|open_fds|max_fds)$)/;

export function createMetrics(parts: ProcessParts, readers: CatalogueReaders) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray())
    if (AGGREGATED_BY_MAXIMUM.test(metric.name)) Object.assign(metric, { aggregator: 'max' });
  for (const metric of [...processMetrics(parts), ...catalogueMetrics(readers)])
    registry.registerMetric(metric);
  return { registry, ...requestMetrics(registry) };
}
