import { request } from 'undici';
import { median } from '../../../scripts/shared/collections.js';
import { estimate } from '../estimate.js';
import { httpRequest, type Measure } from '../context.js';
import { alternately } from '../comparison.js';
import { type BenchContext, residentMegabytes } from '../environment.js';

const CLIENTS = 20;
const ROWS = 10_000;
const DIRECT_PAGE = 1_000;
/** The text with which each row of an export starts. The rows are counted by counting its occurrences. */
const ID = '{"_source":{"id":';

/** Measures exports of 10,000 rows to 20 clients, alternately by the service and by Elasticsearch. */
export const exports: Measure = async (context) => {
  const rows = Math.min(ROWS, context.listings);
  const path = `/v1/products/export?format=ndjson&limit=${rows}`;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(context.service.pid));
  }, 50);
  const rounds = await alternately(context.rounds.count, {
    async direct() {
      peak = 0;
      return { rate: await rowsASecond(rows, () => readSnapshot(context, rows)), peak };
    },
    async service() {
      const rate = await rowsASecond(rows, async () => {
        const { headers } = httpRequest(context, { path });
        const answer = await request(`${context.service.url}${path}`, { headers });
        if (answer.statusCode !== 200) throw new Error(`export: ${answer.statusCode}`);
        let lines = 0;
        for await (const chunk of answer.body)
          for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
        if (lines !== rows) throw new Error(`export: ${lines} rows instead of ${rows}`);
      });
      return { rate, peak };
    },
  });
  clearInterval(watch);
  const direct = rounds.direct.map(({ rate }) => rate);
  const service = rounds.service.map(({ rate }) => rate);
  const peaks = rounds.service.map((round) => round.peak);
  const work = `export of ${rows} rows, ${CLIENTS} clients at once`;
  const details = `${median(service).toFixed(0)} rows/s against ${median(direct).toFixed(0)} rows/s`;
  return [
    {
      work,
      figure: 'rows per second relative to direct',
      ...estimate(service.map((rate, round) => rate / (direct[round] ?? NaN))),
      target: { least: 0.55 },
      details,
    },
    {
      work,
      figure: 'peak resident memory',
      ...estimate(peaks),
      target: { most: 150 },
      better: 'less',
      worse: 'more',
      digits: 0,
      unit: ' MB',
      details,
    },
  ];
};

async function rowsASecond(rows: number, read: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, read));
  return (CLIENTS * rows * 1_000) / (performance.now() - started);
}

/** Reads rows as a direct client of Elasticsearch does: page after page of a point in time, sorted by id. */
async function readSnapshot({ engineUrl, prefix }: BenchContext, rows: number): Promise<void> {
  const call = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const answer = await request(`${engineUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return answer.body.text();
  };
  const { id } = JSON.parse(await call('POST', `/${prefix}-products/_pit?keep_alive=1m`)) as { id: string };
  let after: number | undefined;
  for (let read = 0; read < rows; read += DIRECT_PAGE) {
    const page = await call('POST', '/_search?filter_path=hits.hits._source', {
      pit: { id, keep_alive: '1m' },
      query: { bool: { filter: [] } },
      sort: [{ id: 'asc' }],
      size: Math.min(DIRECT_PAGE, rows - read),
      track_total_hits: false,
      _source: { excludes: ['internal'] },
      ...(after === undefined ? {} : { search_after: [after] }),
    });
    const last = page.lastIndexOf(ID);
    after = last < 0 ? NaN : parseInt(page.slice(last + ID.length), 10);
  }
  await call('DELETE', '/_pit', { id });
}
