import { readFileSync, writeFileSync } from 'node:fs';
import { assert } from 'chai';
import type { CatalogueReaders } from '../../src/telemetry/metrics/catalogue-metrics.js';
import { createMetrics } from '../../src/telemetry/metrics/metrics.js';
import type { ProcessParts } from '../../src/telemetry/metrics/process-metrics.js';

const FILE = 'docs/operations.md';
const [BEGIN, END] = ['<!-- metrics -->', '<!-- end -->'];
const TITLES = { counter: 'Counters', histogram: 'Histograms', gauge: 'Gauges' } as const;

interface Described {
  name: string;
  help: string;
  type: string;
  labelNames: string[];
}

/** The metrics of the service by type, each with the beginning of its help text, as Markdown. No value is read. */
function listOfMetrics(): string {
  const { registry } = createMetrics({ events: {} } as unknown as ProcessParts, {} as CatalogueReaders);
  const metrics = registry.getMetricsAsArray() as unknown as Described[];
  return Object.entries(TITLES)
    .map(([type, title]) => {
      const lines = metrics
        .filter((metric) => metric.type === type && metric.name.startsWith('catalog_'))
        .map(({ name, labelNames, help }) => {
          const labels = labelNames.length === 0 ? '' : `{${labelNames.join(',')}}`;
          return `- \`${name}${labels}\`: ${help.split(/[,;:]/, 1)[0]}`;
        });
      return `${title}:\n\n${lines.toSorted().join('\n')}\n`;
    })
    .join('\n');
}

/** Text without line breaks, which Prettier sets anew. */
const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe('the metrics in docs/operations.md', () => {
  it('are those of the service (UPDATE_SNAPSHOTS=1 rewrites them)', () => {
    const document = readFileSync(FILE, 'utf8');
    const [before, rest = ''] = document.split(BEGIN);
    const [documented = '', after] = rest.split(END);
    const generated = listOfMetrics();
    if (process.env['UPDATE_SNAPSHOTS'] === '1')
      writeFileSync(FILE, `${before}${BEGIN}\n\n${generated}\n${END}${after}`);
    else assert.equal(unwrapped(documented), unwrapped(generated));
  });
});
