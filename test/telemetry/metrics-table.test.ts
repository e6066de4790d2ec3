import type { CatalogueReaders } from '../../src/telemetry/metrics/catalogue-metrics.js';
import { createMetrics } from '../../src/telemetry/metrics/metrics.js';
import type { ProcessParts } from '../../src/telemetry/metrics/process-metrics.js';
import { checkTable } from '../support/document-table.js';

describe('the table of metrics', () => {
  it('is that of docs/operations.md (UPDATE_SNAPSHOTS=1 rewrites it)', async () => {
    // A metric reads the parts of the process only when it is scraped.
    const { registry } = createMetrics({} as ProcessParts, {} as CatalogueReaders);
    const metrics = registry.getMetricsAsArray() as unknown as {
      name: string;
      help: string;
      labelNames: readonly string[];
    }[];
    const rows = metrics
      .filter(({ name }) => name.startsWith('catalog_'))
      .map(({ name, labelNames, help }) => {
        const labels = labelNames.map((label) => `\`${label}\``).join(', ');
        return `| \`${name}\` | ${labels} | ${help} |`;
      });
    await checkTable('src/telemetry/metrics', [
      '| Metric | Labels | Meaning |',
      '|---|---|---|',
      ...rows.sort(),
      '| `nodejs_…`, `process_…` | | Event loop lag, memory, garbage collection |',
    ]);
  });
});
