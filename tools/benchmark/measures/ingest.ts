import { Readable } from 'node:stream';
import { request } from 'undici';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { ensureCatalogue } from '../../../src/engine/indices.js';
import { loadRecords } from '../../../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../../../src/engine/client.js';
import { chunksOf } from '../../../src/platform/chunks.js';
import { median, mapLimited } from '../../../scripts/shared/collections.js';
import { estimate, FEWEST_ROUNDS } from '../estimate.js';
import type { Measure } from '../context.js';
import { alternately } from '../comparison.js';
import { generatedFeed, withoutSecurity } from '../environment.js';

const LISTINGS = 20_000;
const IN_FLIGHT = 3;

/** Measures a first and a second load against a plain loader, which sends the feed as it is to an index with dynamic mappings. */
export const ingestion: Measure = async ({ engineUrl, prefix }) => {
  const deadlines = { requestTimeout: 120_000, maxRetries: 0 };
  const es = createElasticsearch(withoutSecurity(engineUrl), deadlines);
  const feed = [...generatedFeed(LISTINGS)];
  const load = async (indexPrefix: string) => {
    const started = performance.now();
    const summary = await loadRecords({ es, indexPrefix, records: readFeed(Readable.from(feed)) });
    if (summary.rejected > 0) throw new Error(`${summary.rejected} records were rejected`);
    return (LISTINGS * 1_000) / (performance.now() - started);
  };
  const fresh = async (name: string) => {
    const indexPrefix = `${prefix}-load-${name}`;
    await remove(indexPrefix);
    await ensureCatalogue(es, indexPrefix);
    return indexPrefix;
  };

  const plainIndex = `${prefix}-load-plain`;
  const { plain, first, unchanged } = await alternately(FEWEST_ROUNDS, {
    plain: async () => {
      await es.indices.delete({ index: plainIndex, ignore_unavailable: true });
      return plainLoad(engineUrl, plainIndex, feed.join(''));
    },
    first: async () => load(await fresh('first')),
    unchanged: () => load(`${prefix}-load-first`),
  });
  await remove(`${prefix}-load-first`);
  await es.indices.delete({ index: plainIndex });
  await es.close();
  const details =
    `plain ${median(plain).toFixed(0)}, first ${median(first).toFixed(0)}, ` +
    `unchanged ${median(unchanged).toFixed(0)} documents/s`;
  const ratio = (rates: number[]) => estimate(rates.map((rate, round) => rate / (plain[round] ?? NaN)));
  const share = { figure: 'throughput relative to a plain _bulk of the feed', details };
  return [
    { ...share, work: 'ingestion, first load', ...ratio(first), target: null },
    { ...share, work: 'ingestion, all unchanged', ...ratio(unchanged), target: null },
  ];

  async function remove(indexPrefix: string) {
    // By default, Elasticsearch rejects wildcards in the deletion of indices.
    const index = Object.keys(await es.indices.get({ index: `${indexPrefix}-products-v*` }));
    if (index.length > 0) await es.indices.delete({ index });
  }
};

const BATCH = 1_000;

async function plainLoad(engineUrl: string, index: string, feed: string): Promise<number> {
  const started = performance.now();
  const batches = chunksOf(feed.trimEnd().split('\n'), BATCH);
  await mapLimited(batches, IN_FLIGHT, async (lines) => {
    const answer = await request(`${engineUrl}/${index}/_bulk?filter_path=errors`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => `{"index":{}}\n${line}\n`).join(''),
    });
    if ((await answer.body.text()).includes('true')) throw new Error('a plain _bulk had errors');
  });
  await request(`${engineUrl}/${index}/_refresh`, { method: 'POST' }).then(({ body }) => body.text());
  return (LISTINGS * 1_000) / (performance.now() - started);
}
