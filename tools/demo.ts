/** npm run demo: starts the API with a loaded sample catalogue, from a fresh clone; see --help. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Client } from '@elastic/elasticsearch';
import { explorerRoutes } from '../src/http/explorer.js';
import { readFeed } from '../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../src/engine/indices.js';
import { loadRecords } from '../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../src/engine/client.js';
import { REVIEW_SCOPE } from '../src/platform/access/key.js';
import { type Config, readConfig } from '../src/platform/config/config.js';
import { createRedis } from '../src/platform/redis/create-redis.js';
import { kindOfIndex, kindOfRecord, storedIndex } from '../src/platform/stored.js';
import { createLogger } from '../src/telemetry/logger.js';
import { redactor } from '../src/telemetry/redact.js';
import { createKeys, isUsable } from './api-keys.js';
import { SAMPLE_DEFAULTS, sampleLines } from './sample-catalogue/catalogue.js';
import { EXAMPLE_SEARCH, MARKET_NAMES, marketNamed, SINGAPORE } from './sample-catalogue/market.js';
import { SAMPLE_IMAGES_PATH, sampleImages } from './sample-catalogue/image.js';
import { readSecret } from '../src/platform/config/secret-files.js';
import { flagListings } from '../src/usecases/quality/flag-listings.js';
import { readRates } from '../src/products/read-rates.js';
import { startService } from '../src/wiring.js';
import { showcase } from './showcase.js';
import { buildSuggestions, hasSuggestions } from '../src/usecases/suggest/build-suggestions.js';
import { readDemoState, removeDemoState, startServices, writeDemoState } from './local-services/index.js';
import { command, type Io, unlessInterrupted } from '../scripts/shared/command.js';
import { CommandError } from '../scripts/shared/exit.js';
import { flag, oneOf } from '../scripts/shared/options.js';
import { projectRoot } from '../scripts/shared/places.js';
import { start } from '../scripts/shared/start.js';

type Print = (line: string) => void;

/** Where the secrets of the demo of this checkout are kept, so that a restart changes neither. */
const SECRETS_FILE = join(projectRoot, '.demo', 'secrets.json');

interface Secrets {
  key: string;
  adminSecret: string;
}

function readSecrets(): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(SECRETS_FILE, 'utf8')) as Secrets;
  } catch {
    return {};
  }
}

function keepSecrets(secrets: Secrets): void {
  mkdirSync(dirname(SECRETS_FILE), { recursive: true });
  writeFileSync(SECRETS_FILE, JSON.stringify(secrets), { mode: 0o600 });
}

/** Returns the key of the last start if the service still accepts it, otherwise a new one. */
export async function demoKey(redisUrl: string, indexPrefix: string, before?: string): Promise<string> {
  if (before !== undefined && (await isUsable(redisUrl, indexPrefix, before))) return before;
  const [key] = await createKeys(redisUrl, indexPrefix, { count: 1, owner: 'demo', scopes: [REVIEW_SCOPE] });
  return key?.raw ?? '';
}

const isOfTheSample = (image: string | null | undefined): boolean =>
  image?.includes(`${SAMPLE_IMAGES_PATH}/`) ?? false;

/** The number of listings, the picture and currency of the first one, and when the index was created. */
async function whatIsThere(es: Client, indexPrefix: string) {
  const index = productsAlias(indexPrefix);
  const { hits } = await es.search<{ image_url: string | null; currency: string }>({
    index,
    size: 1,
    _source: ['image_url', 'currency'],
    track_total_hits: true,
    ignore_unavailable: true,
  });
  const listings = typeof hits.total === 'number' ? hits.total : (hits.total?.value ?? 0);
  const settings = await es.indices.getSettings({
    index,
    name: 'index.creation_date',
    ignore_unavailable: true,
  });
  const created = Object.values(settings).map(({ settings: { index: of } = {} }) =>
    Number(of?.creation_date),
  );
  const { image_url: image, currency } = hits.hits[0]?._source ?? {};
  return { listings, image: image ?? '', currency, created: new Date(Math.max(...created)) };
}

/** Deletes the catalogue and the keys of a prefix. In an Elasticsearch that the user named, only the sample is deleted. */
export async function clearDemo(
  es: Client,
  { redisUrl, indexPrefix }: { redisUrl: string; indexPrefix: string },
  isOwnEngine: boolean,
): Promise<void> {
  const { listings, image } = await whatIsThere(es, indexPrefix);
  if (!isOwnEngine && listings > 0 && !isOfTheSample(image)) {
    throw new CommandError(
      `--fresh deletes only the sample catalogue, and the ${listings} listings with the prefix ${indexPrefix} are not the sample.`,
    );
  }
  const found = await es.indices.resolveIndex({ name: `${indexPrefix}-*` });
  const own = (all: { name: string }[]) =>
    all.map(({ name }) => name).filter((name) => kindOfIndex(indexPrefix, name) !== null);
  const streams = own(found.data_streams);
  if (streams.length > 0) await es.indices.deleteDataStream({ name: streams });
  const indices = own(found.indices).filter((name) => !name.startsWith('.ds-'));
  if (indices.length > 0) await es.indices.delete({ index: indices });
  const redis = createRedis(redisUrl);
  redis.on('error', () => undefined);
  await once(redis, 'ready');
  for await (const names of redis.scanStream({ match: `${indexPrefix}:*` }) as AsyncIterable<string[]>) {
    const records = names.filter((name) => kindOfRecord(indexPrefix, name) !== null);
    if (records.length > 0) await redis.unlink(records);
  }
  redis.disconnect();
}

/** Loads the sample catalogue unless it is loaded already. Its listings have images if this demo serves them. */
async function loadSample(
  es: Client,
  { indexPrefix, publicUrl }: Config,
  marketName: string | undefined,
  print: Print,
): Promise<{ listings: number; isSample: boolean }> {
  await ensureCatalogue(es, indexPrefix);
  const imageBaseUrl = `${publicUrl}${SAMPLE_IMAGES_PATH}`;
  const { listings: there, image, currency } = await whatIsThere(es, indexPrefix);
  const market = marketNamed(marketName ?? SINGAPORE);
  if (there > 0 && marketName !== undefined && currency !== (market?.currency ?? 'SGD'))
    throw new CommandError(
      `The catalogue of an earlier start is of another market. --fresh deletes it: npm run demo -- --fresh --market ${marketName}`,
    );
  // Listings of the user are not changed. The sample is loaded again if it is incomplete or its images have other addresses.
  const isSample = isOfTheSample(image);
  const isComplete = there >= SAMPLE_DEFAULTS.listings && image.startsWith(imageBaseUrl);
  if (there > 0 && (!isSample || isComplete)) return { listings: there, isSample };
  print(`Loading a sample catalogue of ${SAMPLE_DEFAULTS.listings} listings`);
  const lines = Readable.from(sampleLines({ ...SAMPLE_DEFAULTS, now: new Date(), imageBaseUrl, market }));
  const summary = await loadRecords({ es, indexPrefix, records: readFeed(lines) });
  if (summary.rejected > 0)
    throw new Error(`records of the sample were rejected: ${JSON.stringify(summary)}`);
  return { listings: Math.max(there, summary.read), isSample: true };
}

/** Links listings in a separate process, which a signal ends. Returns whether it succeeded. */
export async function linkSample(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('bootstrap.mjs', import.meta.url)), join(projectRoot, 'scripts', 'link.ts')],
    { cwd: projectRoot, env, stdio: 'ignore' },
  );
  const end = () => void child.kill();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const [code] = (await once(child, 'exit')) as [number | null];
  signal.removeEventListener('abort', end);
  return code === 0;
}

const NOT_LINKED = 'The listings could not be linked into products; npm run link shows the reason.';

export const main = command({
  name: 'demo',
  onInterrupt: { graceMs: 0 },
  about: `Starts the API with a sample catalogue: finds or starts Elasticsearch and Redis, loads the catalogue if there is none, and
runs the API until Ctrl-C. The data and the key are kept for the next start.`,
  options: {
    fresh: flag('delete the data and the keys of earlier starts first'),
    market: oneOf(MARKET_NAMES, `the market of the catalogue; ${SINGAPORE} by default`),
  },
  notes: `PORT, HOST, PUBLIC_URL, ADMIN_SECRET, ELASTICSEARCH_URL, REDIS_URL, INDEX_PREFIX, LOG_LEVEL and the other
variables of the service apply to the demo as well: PORT=3900 npm run demo`,
  run: ({ options }, env, io) => demo(options, env, io),
});

async function demo(
  { fresh: isFresh, market }: { fresh: boolean; market: string | undefined },
  env: NodeJS.ProcessEnv,
  { out, signal }: Io,
): Promise<void> {
  const print: Print = (line) => void out.write(`${line}\n`);
  const running = readDemoState();
  if (running !== null) {
    throw new CommandError(
      `A demo of this checkout is running already: ${running.apiUrl} (process ${running.pid}). Stop it first with Ctrl-C.`,
    );
  }

  // Environment variables are read before anything is started, so that a wrong value is reported at once.
  const before = readSecrets();
  const adminSecret =
    readSecret(env, 'ADMIN_SECRET') ?? before.adminSecret ?? randomBytes(18).toString('base64url');
  const secret = { ADMIN_SECRET: adminSecret, ADMIN_SECRET_FILE: undefined };
  const defaults = { LOG_LEVEL: 'warn', EVENTS: 'on', ...env, ...secret };
  readConfig(defaults);

  const services = await unlessInterrupted(startServices({ purpose: 'demo', log: print }), signal);
  try {
    const urls = { ELASTICSEARCH_URL: services.elasticsearchUrl, REDIS_URL: services.redisUrl };
    const config = readConfig({ ...defaults, ...urls });
    const es = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 3 });
    const { indexPrefix, redisUrl } = config;
    const isOwnEngine = services.place !== null;
    if (isFresh) await clearDemo(es, { redisUrl, indexPrefix }, isOwnEngine);
    const { listings, isSample } = await loadSample(es, config, market, print);
    const products = productsAlias(indexPrefix);
    // Some listings are not linked at the first start of the demo, or after linking was interrupted.
    const unlinked = { bool: { must_not: { exists: { field: 'internal.linked_at' } } } };
    const { count } = await es.count({ index: products, query: unlinked, terminate_after: 1 });
    // The sample is linked before it is served, because without links each listing is shown as a product of its own.
    if (isSample && count > 0) {
      print('Linking the listings into products');
      const isLinked = await linkSample({ ...defaults, ...urls }, signal);
      if (!isLinked && !signal.aborted) print(NOT_LINKED);
    }
    // The catalogue of an earlier version may lack suggestions and quality flags.
    if (!(await hasSuggestions(es, storedIndex(indexPrefix, 'suggestions')))) {
      print('Updating quality flags and suggestions');
      await flagListings({ es, products, rates: readRates(config.exchangeRatesFile) });
      await buildSuggestions({ es, indexPrefix, products, requests: null, now: new Date() });
    }
    const { created } = await whatIsThere(es, indexPrefix);
    await es.close();
    const key = await demoKey(redisUrl, indexPrefix, before.key);
    keepSecrets({ key, adminSecret });
    const settings = { publicUrl: config.publicUrl, key };
    const service = await startService(config, createLogger(config, redactor(config)), [
      sampleImages(),
      await showcase({ ...settings, hasExplorer: config.explorer }),
      ...(config.explorer ? [explorerRoutes(settings)] : []),
    ]);
    writeDemoState({
      elasticsearchUrl: services.elasticsearchUrl,
      redisUrl: services.redisUrl,
      apiUrl: service.url,
      pid: process.pid,
    });
    print(`
The catalogue is up, with ${listings.toLocaleString('en')} listings.

  Explorer      ${service.url}/explore
  Review desk   ${service.url}/review
  API           ${service.url}
  Docs          ${service.url}/docs
  Showcase      ${service.url}/showcase
  Key           ${key}
  Admin secret  ${adminSecret}
  Data          since ${created.toISOString().slice(0, 16).replace('T', ' ')} UTC, in ${
    services.place ?? `${services.elasticsearchUrl}, prefix ${indexPrefix}`
  }

  curl -H 'Authorization: Bearer ${key}' '${service.url}/v1/search?${new URLSearchParams({ q: marketNamed(market ?? SINGAPORE)?.example ?? EXAMPLE_SEARCH, limit: '3' }).toString()}'

Ctrl-C stops it. The data and the key are kept for the next start; npm run demo -- --fresh deletes them first.`);
    if (!signal.aborted) await once(signal, 'abort');
    print('Stopping');
    await service.stop();
  } finally {
    removeDemoState();
    await services.stop();
  }
}

await start(import.meta.url, main);
