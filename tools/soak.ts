/** npm run soak: sends mixed requests for a while, and checks for errors and leaks; see --help. */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, type Io } from '../scripts/shared/command.js';
import { CommandError, EXIT, UsageError } from '../scripts/shared/exit.js';
import { positive, preset, text, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { createElasticsearch } from '../src/engine/client.js';
import { productsAlias } from '../src/engine/indices.js';
import { formatCount } from '../src/text/quantities.js';
import { createKeys } from './api-keys.js';
import { loadCatalogue, startBuiltService, startEngines, withoutSecurity } from './benchmark/environment.js';
import { freePort } from './local-services/index.js';
import {
  describeMeasurement,
  FLAT_RULE,
  type MeasuredService,
  measure,
  type Measurement,
  memoryIsFlat,
  percentile,
  totals,
  trafficTable,
} from './soak-test/measurements.js';
import { startTraffic, type Subjects, type Traffic } from './soak-test/traffic.js';

const KEYS = 20;
const PREFIX = 'soak';
/** The time after the last response in which the service closes its points in time and writes its events. */
const SETTLES_WITHIN_MS = 10_000;

export const main = command({
  name: 'soak',
  onInterrupt: { graceMs: 0 },
  about: `Sends mixed requests at a steady rate, and watches the service: searches, filters, single listings, comparisons, deals,
exports, clients that leave early, and requests that must be refused. Without --url, it starts an Elasticsearch, a Redis and
the built service for itself, and stops them afterwards.`,
  options: {
    minutes: preset(positive('the duration in minutes; it may be a fraction'), 30),
    rate: positive(
      'the number of requests per second. The default is 20, or 10 with --url, because a premium key may send 1,000 per minute',
    ),
    warmUp: wholeNumber(
      'the number of seconds for which requests are sent first, at a quarter of the rate, and are not counted. The default is 60, or 0 with --url',
      { min: 0, max: 86_400 },
      'SECONDS',
    ),
    listings: preset(
      wholeNumber('the number of listings in the generated catalogue', { min: 5, max: 10_000_000 }),
      20_000,
    ),
    url: webUrl('test a running service'),
    key: text('KEY', 'an API key of the service at --url'),
    metrics: webUrl(
      'the metrics of the service at --url, such as http://127.0.0.1:9464/metrics. Without them, memory is not watched',
    ),
    every: preset(positive('the number of seconds between two measurements'), 15),
  },
  notes: `Prints a line per minute. At the end it prints the requests, errors and percentiles of each kind of request, and the
memory, points in time, sockets and waiting events at the start and at the end. Every unexpected response is an error,
including a refusal because of overload. Memory is constant if ${FLAT_RULE}.`,
  exits: { done: 'no error, constant memory, and nothing left open', failed: 'otherwise' },
  async run({ options }, _env, io) {
    const { url, key, metrics = null, minutes, listings, every } = options;
    if ((url === undefined) !== (key === undefined))
      throw new UsageError('--url and --key must be given together');
    if (metrics !== null && url === undefined) throw new UsageError('--metrics needs --url');
    const given = url !== undefined && key !== undefined;
    const { rate = given ? 10 : 20, warmUp = given ? 0 : 60 } = options;
    const stage = given
      ? { url, keys: [key], metricsUrl: metrics, engine: null, stop: () => Promise.resolve() }
      : await startStage(listings);
    try {
      const problems = await soak(stage, { minutes, rate, every, warmUp }, io);
      for (const problem of problems) io.err.write(`${problem}\n`);
      return problems.length > 0 ? EXIT.failed : EXIT.done;
    } finally {
      await stage.stop();
    }
  },
});

interface Stage extends MeasuredService {
  url: string;
  keys: string[];
  stop(): Promise<void>;
}

async function startStage(listings: number): Promise<Stage> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  const engines = await startEngines({ data: null });
  try {
    const { elasticsearchUrl, redisUrl } = engines;
    const elasticsearch = withoutSecurity(elasticsearchUrl);
    await loadCatalogue(elasticsearch, PREFIX, { listings, shards: 1 });
    const keys = (await createKeys(redisUrl, PREFIX, { count: KEYS, owner: 'soak' })).map(({ raw }) => raw);
    const metricsPort = String(await freePort());
    const service = await startBuiltService(
      {
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: PREFIX,
        METRICS_PORT: metricsPort,
      },
      `Bearer ${keys[0] ?? ''}`,
    );
    const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
    return {
      url: service.url,
      keys,
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      engine: { es, products: productsAlias(PREFIX) },
      async stop() {
        await service.stop();
        await es.close();
        await engines.stop();
      },
    };
  } catch (error) {
    await engines.stop();
    throw error;
  }
}

async function subjectsOf({ url, keys }: Stage): Promise<Subjects> {
  const response = await fetch(new URL('/v1/products?limit=100', url), {
    headers: { authorization: `Bearer ${keys[0] ?? ''}` },
  }).catch((error: unknown) => {
    throw new CommandError(`${url} does not respond: ${String(error)}`);
  });
  if (!response.ok)
    throw new CommandError(`${url} responds with status ${response.status}: ${await response.text()}`);
  const { items } = (await response.json()) as {
    items: { id: number; name: string; category: string | null }[];
  };
  if (items.length < 5) throw new CommandError('The catalogue has too few listings: load some first.');
  const words = items.map(({ name }) => name.match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  return {
    ids: items.map(({ id }) => id),
    queries: words.flatMap((each) => [each.slice(0, 2).join(' '), each.slice(-3).join(' ')]).filter(Boolean),
    categories: [...new Set(items.map(({ category }) => category ?? 'a'))],
  };
}

interface Plan {
  minutes: number;
  rate: number;
  /** The number of seconds between two measurements. */
  every: number;
  /** The number of seconds for which requests are sent before the test and are not counted. */
  warmUp: number;
}

/** Sends requests, prints a report, and returns the problems that were found. */
async function soak(stage: Stage, { minutes, rate, every, warmUp }: Plan, io: Io): Promise<string[]> {
  const print = (line: string) => void io.out.write(`${line}\n`);
  const target = { ...stage, subjects: await subjectsOf(stage) };
  if (warmUp > 0) {
    const warming = new AbortController();
    const warm = startTraffic(target, rate / 4, warming.signal);
    await pause(warmUp * 1_000, io.signal);
    warming.abort();
    await warm.done;
    const { requests, errors } = totals(warm);
    print(`Warm-up: ${requests} requests, ${errors} errors; they are not counted.`);
  }
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, io.signal]);
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const measured = [await measure(stage, 0)];
  const traffic = startTraffic(target, rate, signal);
  let reportedAt = 0;
  while (!signal.aborted) {
    await pause((measured.length * every - seconds()) * 1_000, signal);
    const measurement = await measure(stage, seconds());
    measured.push(measurement);
    if (measurement.at < reportedAt + 60) continue;
    reportedAt = measurement.at;
    print(progressLine(measurement, traffic));
  }
  clearTimeout(timer);
  await traffic.done;
  const last = await settled(stage, seconds);
  const { requests, errors } = totals(traffic);
  const [first = last] = measured;
  print(`\n${trafficTable(traffic)}\n`);
  print(`${requests} requests, ${errors} errors: ${((100 * errors) / Math.max(1, requests)).toFixed(3)} %`);
  print(`at start: ${describeMeasurement(first).join(', ') || 'no measurement'}`);
  print(`at end:   ${describeMeasurement(last).join(', ') || 'no measurement'}`);
  const memory = memoryIsFlat(measured);
  if (memory !== null)
    print(
      `median of resident memory: ${memory.second.toFixed(0)} MB in the second quarter, ${memory.last.toFixed(0)} MB in the last`,
    );
  return [
    ...(errors > 0 ? [`${errors} errors:\n  ${traffic.errors.join('\n  ')}`] : []),
    ...(memory?.flat === false ? [`Memory is not constant. It would be if ${FLAT_RULE}.`] : []),
    ...((last.openContexts ?? 0) > 0 ? [`${last.openContexts} points in time are still open`] : []),
    ...((last.dropped ?? 0) > (first.dropped ?? 0) ? ['events were lost'] : []),
  ];
}

function progressLine(measurement: Measurement, traffic: Traffic): string {
  const { requests, errors } = totals(traffic);
  return [
    `${(measurement.at / 60).toFixed(1)} min: ${formatCount(requests)} requests`,
    `${errors} errors`,
    `search p99 ${percentile(traffic, 'search', 99)} ms`,
    ...describeMeasurement(measurement),
  ].join(', ');
}

/** Takes a last measurement when nothing is open or waiting any more, or after a time limit. */
async function settled(stage: Stage, seconds: () => number): Promise<Measurement> {
  const deadline = performance.now() + SETTLES_WITHIN_MS;
  for (;;) {
    const measurement = await measure(stage, seconds());
    const open = (measurement.openContexts ?? 0) + (measurement.queued ?? 0);
    if (open === 0 || performance.now() > deadline) return measurement;
    await pause(250);
  }
}

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(Math.max(0, ms), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);

await start(import.meta.url, main);
