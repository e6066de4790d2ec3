import { Readable } from 'node:stream';
import type { Client } from '@elastic/elasticsearch';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../../src/engine/indices.js';
import { loadRecords } from '../../../src/usecases/ingest/load-records.js';
import { emptySummary } from '../../../src/usecases/ingest/summary.js';
import { auditLog } from '../../../src/telemetry/audit.js';
import { LoadEvents, loadEventOfRun } from '../../../src/usecases/ingest/load-events.js';
import { begunRun, type RunRecord } from '../../../src/sources/runs.js';
import { requestEvent } from '../../../src/telemetry/request-event.js';
import {
  type EventKind,
  eventStream,
  eventTemplate,
  indexFor,
} from '../../../src/telemetry/events/streams.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import type { RequestRecord } from '../../../src/telemetry/request-record.js';
import { traceOf } from '../../../src/telemetry/trace-context.js';
import { generateCatalogue } from '../../../tools/sample-catalogue/catalogue.js';
import { record } from '../../support/listings.js';

const DAY_MS = 86_400_000;
const LISTINGS = 600;

/**
 * Fills indices with a catalogue like that of the demo, which has listings of every kind that a dashboard
 * distinguishes, and with the requests and loads of a day that ends at `now`.
 */
export async function fillIndices(es: Client, indexPrefix: string, now: Date): Promise<void> {
  const sample = { seed: 42, listings: LISTINGS, now, imageBaseUrl: 'http://shop.test/images' };
  await ensureCatalogue(es, indexPrefix);
  await load(es, indexPrefix, [...generateCatalogue(sample), ...specialListings(now)]);
  await markImages(es, productsAlias(indexPrefix), now);
  await writeEvents(es, indexPrefix, 'requests', requests(now), now);
  await writeEvents(es, indexPrefix, 'loads', [...loads(now), ...runs(now)], now);
  await writeEvents(es, indexPrefix, 'audit', audit(now), now);
  await es.indices.refresh({ index: `${indexPrefix}-*` });
}

async function load(es: Client, indexPrefix: string, records: unknown[]): Promise<void> {
  const lines = records.map((each) => `${JSON.stringify(each)}\n`);
  const summary = await loadRecords({ es, indexPrefix, records: readFeed(Readable.from(lines)) });
  if (summary.rejected > 0) throw new Error(`records were rejected: ${JSON.stringify(summary)}`);
}

const daysBefore = (now: Date, days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString();

function specialListings(now: Date): Record<string, unknown>[] {
  const checked = (days: number) => ({ last_checked: daysBefore(now, days) });
  const listing = (sku: string, fields: Record<string, unknown>) =>
    record({ sku, category: 'Kettles', is_available: true, ...fields });
  return [
    listing('older', checked(20)),
    listing('oldest', checked(50)),
    listing('never-checked', {}),
    listing('stock-unknown', { is_available: null }),
    listing('no-price', { price: '1.00', price_history: [{ price: '100.00', at: daysBefore(now, 40) }] }),
    listing('in-dollars', { currency: 'USD', price: '7.25' }),
    ...[3, 8, 13, 18, 25, 35, 45, 55, 70].flatMap((discount) => [
      listing(`observed-${discount}`, {
        ...checked(1),
        price: `${100 - discount}.00`,
        price_history: [{ price: '100.00', at: daysBefore(now, 40) }],
      }),
      ...[true, false].map((observed) =>
        listing(`declared-${discount}-${observed}`, {
          ...checked(1),
          price: `${100 - discount}.00`,
          list_price: '100.00',
          price_history: [{ price: observed ? '100.00' : '99.00', at: daysBefore(now, 60) }],
        }),
      ),
    ]),
  ];
}

/** Stores the results that `npm run images` would store. */
async function markImages(es: Client, index: string, now: Date): Promise<void> {
  const { hits } = await es.search<{ image_url: string | null }>({
    index,
    query: { term: { 'internal.has_image': true } },
    size: LISTINGS,
    _source: ['image_url'],
  });
  const operations = hits.hits.slice(0, LISTINGS / 2).flatMap(({ _id, _source }, i) => {
    const failed = i % 5 === 0;
    const image = {
      url: _source?.image_url,
      seen_at: now.toISOString(),
      hash: failed ? null : '00ff00ff00ff00ff',
      failure: failed ? 'HTTP 404' : null,
    };
    return [{ update: { _id: _id ?? '' } }, { doc: { internal: { image } } }];
  });
  const { errors } = await es.bulk({ index, operations, refresh: true });
  if (errors) throw new Error('images were not marked');
}

const SOURCES = ['shopee_sg', 'lazada_sg', 'courts_sg'];
const ROUTES = ['/v1/search', '/v1/deals', '/v1/products/{product_id}', '/v1/products/compare'];
const QUERIES = ['wireless headphones', 'kettle', 'wh-1000xm5', 'nothing like it'];
const STATUSES = [200, 200, 200, 200, 304, 404, 422, 429, 500, 503];
const KEYS = ['free', 'standard', 'premium'] as const;

/** Creates request events as the service writes them. */
function* requests(now: Date): Generator<Record<string, unknown>> {
  const exchange = (at: Date, more: Partial<RequestRecord>): RequestRecord => ({
    at,
    requestId: 'r',
    trace: traceOf(undefined, 'r', 0),
    method: 'GET',
    path: '/any',
    route: 'unknown',
    endpoint: null,
    status: 200,
    aborted: false,
    duration: 12.5,
    timings: { engine: 7.5, redis: 0.3 },
    bytes: null,
    userAgent: 'tests',
    key: null,
    event: undefined,
    ...more,
  });
  const document = (each: RequestRecord) =>
    requestEvent(each, { environment: 'test', redact: (text) => text, omitted: 0 });
  for (let i = 0; i < 400; i += 1) {
    const status = STATUSES[i % STATUSES.length] ?? 200;
    const route = ROUTES[i % ROUTES.length] ?? '';
    const query = QUERIES[(i / ROUTES.length) % QUERIES.length] ?? '';
    const results = query === QUERIES.at(-1) ? 0 : i;
    yield document(
      exchange(new Date(now.getTime() - (i * DAY_MS) / 500), {
        route,
        status,
        duration: 5 + (i % 40),
        timings: { engine: 3 + (i % 30), redis: 0.3 },
        key: {
          id: `key-${i % 3}`,
          counter: `key:${i % 3}`,
          tier: KEYS[i % 3] ?? 'free',
          environment: 'test',
          developerId: `developer-${i % 3}`,
        },
        ...(route === '/v1/search' && status === 200 ? { event: { query, results } } : {}),
      }),
    );
  }
  for (let i = 0; i < 30; i += 1) {
    const product = { id: i + 1, source: SOURCES[i % SOURCES.length] ?? '' };
    yield document(
      exchange(new Date(now.getTime() - i * 60_000), {
        route: '/track/{product_id}',
        status: 302,
        event: { action: 'click', product },
      }),
    );
  }
}

/** Creates the events of runs of sources as `npm run sync` writes them. */
function* runs(now: Date): Generator<Record<string, unknown>> {
  const run = (days: number, more: Partial<RunRecord>): RunRecord => {
    const begun = begunRun(new Date(daysBefore(now, days)), { name: 'a', files: ['a.csv'], map: null });
    return { ...begun, ended_at: begun.started_at, outcome: 'loaded', ...more };
  };
  for (const source of SOURCES) {
    yield loadEventOfRun(run(3, {}), source);
    yield loadEventOfRun(run(2, { outcome: 'not_modified' }), source);
    const reason = '400 of the 900 available listings of the source are not in the feed.';
    yield loadEventOfRun(run(1, { outcome: 'refused', rule: 'max_vanished', reason }), source);
  }
}

/** Creates load events as `npm run ingest` writes them. */
function* loads(now: Date): Generator<Record<string, unknown>> {
  for (const days of [0, 1, 2]) {
    const load = new LoadEvents(`load-${days}`, 'feed.ndjson.gz');
    const reasons = [['price is too large'], ['name is missing', 'price is too large']];
    for (const each of reasons) load.rejected({ record: { sku: 'x', source: 'shopee_sg' }, reasons: each });
    const counts = {
      created: 10,
      changed: 20,
      price_moved: 30,
      price_cleared: 4,
      unchanged: 35,
      rejected: 2,
    };
    yield* load.documents(
      { ...emptySummary(), ...counts, read: 101 },
      { at: new Date(daysBefore(now, days)), duration: 90_000, failed: false },
    );
  }
}

/** Creates audit events as the service and `npm run keys` write them. */
function audit(now: Date): Record<string, unknown>[] {
  const documents: Record<string, unknown>[] = [];
  const tell = auditLog(createLogger({ environment: 'test', logLevel: 'silent' }), {
    environment: 'test',
    secret: 'of these tests',
    now: () => now,
    write: (_at, document) => documents.push(document),
  });
  const key = { id: 'key-0', tier: 'standard', developerId: 'dev-42' } as const;
  const client = { requestId: 'r', address: () => '203.0.113.9' };
  for (const by of ['command', client] as const) {
    tell({ action: 'key-created', key }, by);
    tell({ action: 'key-rotated', key, replaces: 'key-9' }, by);
    tell({ action: 'key-revoked', key }, by);
  }
  for (const status of [403, 429]) tell({ action: 'admin-refused', status }, client);
  return documents;
}

async function writeEvents(
  es: Client,
  indexPrefix: string,
  kind: EventKind,
  documents: Iterable<Record<string, unknown>>,
  now: Date,
): Promise<void> {
  const stream = eventStream(kind, { indexPrefix, retentionDays: 30 });
  const index = indexFor(stream, 'daily indices', now);
  await es.indices.create({ index, ...eventTemplate(stream, 'daily indices').template });
  const operations = [...documents].flatMap((document) => [{ create: {} }, document]);
  const { errors } = await es.bulk({ index, operations });
  if (errors) throw new Error(`${kind} were not taken`);
}
