import { Readable } from 'node:stream';
import { request } from 'undici';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../../src/engine/indices.js';
import { loadFeed } from '../../../src/usecases/ingest/load.js';
import { createElasticsearch } from '../../../src/engine/client.js';
import { median } from '../../../scripts/shared/collections.js';
import { estimate, FEWEST_ROUNDS } from '../estimate.js';
import { startRecorder } from '../recorder.js';
import type { Measure } from '../context.js';
import { alternately } from '../comparison.js';
import { generatedFeed, withoutSecurity } from '../environment.js';

const LISTINGS = 20_000;
const IN_FLIGHT = 3;

/** Measures a first and a second load of a feed against sending the recorded `_bulk` bodies directly. */
export const ingestion: Measure = async ({ engineUrl, prefix }) => {
  const deadlines = { requestTimeout: 120_000, maxRetries: 0 };
  const clientOf = (url: string) => createElasticsearch(withoutSecurity(url), deadlines);
  const es = clientOf(engineUrl);
  const feed = [...generatedFeed(LISTINGS)];
  const load = async (indexPrefix: string, client = es) => {
    const started = performance.now();
    const summary = await loadFeed({ es: client, indexPrefix, records: readFeed(Readable.from(feed)) });
    if (summary.rejected > 0) throw new Error(`${summary.rejected} records were rejected`);
    return (LISTINGS * 1_000) / (performance.now() - started);
  };
  const fresh = async (name: string) => {
    const indexPrefix = `${prefix}-load-${name}`;
    await remove(indexPrefix);
    await ensureCatalogue(es, indexPrefix);
    return indexPrefix;
  };

  const recorder = await startRecorder(engineUrl);
  const recording = clientOf(recorder.url);
  await load(await fresh('recorded'), recording);
  const bodies = recorder.take().flatMap(({ path, body = '' }) => (path.includes('_bulk') ? [body] : []));
  await recording.close();
  await recorder.close();

  const { raw, first, unchanged } = await alternately(FEWEST_ROUNDS, {
    raw: async () => rawBulk(engineUrl, productsAlias(await fresh('raw')), bodies),
    first: async () => load(await fresh('first')),
    unchanged: () => load(`${prefix}-load-first`),
  });
  for (const name of ['recorded', 'raw', 'first']) await remove(`${prefix}-load-${name}`);
  await es.close();
  const details =
    `raw ${median(raw).toFixed(0)}, first ${median(first).toFixed(0)}, ` +
    `unchanged ${median(unchanged).toFixed(0)} documents/s`;
  const ratio = (rates: number[]) => estimate(rates.map((rate, round) => rate / (raw[round] ?? NaN)));
  const share = { figure: 'throughput relative to raw _bulk', details };
  return [
    { ...share, work: 'ingestion, first load', ...ratio(first), target: { least: 0.9 } },
    { ...share, work: 'ingestion, all unchanged', ...ratio(unchanged), target: { least: 0.6 } },
  ];

  async function remove(indexPrefix: string) {
    // The names of the indices are listed before they are deleted, because by default Elasticsearch rejects
    // wildcards in the deletion of indices.
    const index = Object.keys(await es.indices.get({ index: `${indexPrefix}-products-v*` }));
    if (index.length > 0) await es.indices.delete({ index });
  }
};

async function rawBulk(engineUrl: string, index: string, bodies: readonly string[]): Promise<number> {
  const started = performance.now();
  const left = [...bodies];
  const worker = async () => {
    for (let body = left.shift(); body !== undefined; body = left.shift()) {
      const answer = await request(`${engineUrl}/${index}/_bulk?filter_path=errors`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: body.replaceAll(/"_index":"[^"]*",?/g, ''),
      });
      if ((await answer.body.text()).includes('true')) throw new Error('raw _bulk had errors');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  await request(`${engineUrl}/${index}/_refresh`, { method: 'POST' }).then(({ body }) => body.text());
  return (LISTINGS * 1_000) / (performance.now() - started);
}
