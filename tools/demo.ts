/** npm run demo: starts the API with a loaded sample catalogue, from a fresh clone; see --help. */
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Client } from '@elastic/elasticsearch';
import { explorerRoutes } from '../src/http/explorer.js';
import { readFeed } from '../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../src/engine/indices.js';
import { loadFeed } from '../src/usecases/ingest/load.js';
import { createElasticsearch } from '../src/engine/client.js';
import { REVIEW_SCOPE } from '../src/platform/access/key.js';
import { type Config, readConfig } from '../src/platform/config/config.js';
import { createLogger } from '../src/telemetry/logger.js';
import { redactor } from '../src/telemetry/redact.js';
import { createKeys } from './api-keys.js';
import { SAMPLE_DEFAULTS, sampleLines } from './sample-catalogue/catalogue.js';
import { SAMPLE_IMAGES_PATH, sampleImages } from './sample-catalogue/image.js';
import { readSecret } from '../src/platform/config/secret-files.js';
import { flagListings } from '../src/usecases/quality/flag-listings.js';
import { readRates } from '../src/usecases/shared/read-rates.js';
import { startService } from '../src/wiring.js';
import {
  buildSuggestions,
  hasSuggestions,
  suggestionsAlias,
} from '../src/usecases/suggest/build-suggestions.js';
import { readDemoState, removeDemoState, startServices, writeDemoState } from './local-services/index.js';
import { command, type Io, unlessInterrupted } from '../scripts/shared/command.js';
import { CommandError } from '../scripts/shared/exit.js';
import { projectRoot } from '../scripts/shared/places.js';
import { start } from '../scripts/shared/start.js';

type Print = (line: string) => void;

/**
 * Loads the sample catalogue unless it is loaded already. Its listings have images if this demo serves them.
 */
async function loadSample(
  es: Client,
  { indexPrefix, publicUrl }: Config,
  print: Print,
): Promise<{ listings: number; isSample: boolean }> {
  await ensureCatalogue(es, indexPrefix);
  const index = productsAlias(indexPrefix);
  const imageBaseUrl = `${publicUrl}${SAMPLE_IMAGES_PATH}`;
  const { hits } = await es.search<{ image_url: string | null }>({
    index,
    size: 1,
    _source: ['image_url'],
    track_total_hits: true,
  });
  const there = typeof hits.total === 'number' ? hits.total : (hits.total?.value ?? 0);
  const image = hits.hits[0]?._source?.image_url ?? '';
  // Listings that the user loaded are not changed. The sample catalogue is loaded again if an earlier load
  // was interrupted, or if the addresses of its images have changed.
  const isSample = image.includes(`${SAMPLE_IMAGES_PATH}/`);
  const isComplete = there >= SAMPLE_DEFAULTS.listings && image.startsWith(imageBaseUrl);
  if (there > 0 && (!isSample || isComplete)) return { listings: there, isSample };
  print(`Loading a sample catalogue of ${SAMPLE_DEFAULTS.listings} listings`);
  const lines = Readable.from(sampleLines({ ...SAMPLE_DEFAULTS, now: new Date(), imageBaseUrl }));
  const summary = await loadFeed({ es, indexPrefix, records: readFeed(lines) });
  if (summary.rejected > 0)
    throw new Error(`records of the sample were rejected: ${JSON.stringify(summary)}`);
  return { listings: Math.max(there, summary.read), isSample: true };
}

/**
 * Links listings in a separate process, because linking would delay the API's responses. Returns whether it
 * succeeded.
 */
export async function linkInBackground(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
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

const LINKED =
  'The listings are linked into products: group=product shows each product once, with all its offers.';
const NOT_LINKED = 'The listings could not be linked into products; npm run link shows the reason.';

export const main = command({
  name: 'demo',
  onInterrupt: { graceMs: 0 },
  about: `Starts the API with a sample catalogue: finds or starts Elasticsearch and Redis, loads the catalogue if there is none, and
runs the API until Ctrl-C. The data is kept for the next start.`,
  options: {},
  notes: `PORT, HOST, PUBLIC_URL, ADMIN_SECRET, ELASTICSEARCH_URL, REDIS_URL, INDEX_PREFIX, LOG_LEVEL and the other
variables of the service apply to the demo as well: PORT=3900 npm run demo`,
  run: (_given, env, io) => demo(env, io),
});

async function demo(env: NodeJS.ProcessEnv, { out, signal }: Io): Promise<void> {
  const print: Print = (line) => void out.write(`${line}\n`);
  const running = readDemoState();
  if (running !== null) {
    throw new CommandError(
      `A demo of this checkout is running already: ${running.apiUrl} (process ${running.pid}). Stop it first with Ctrl-C.`,
    );
  }

  // Environment variables are read before anything is started, so that a wrong value is reported at once.
  const adminSecret = readSecret(env, 'ADMIN_SECRET') ?? randomBytes(18).toString('base64url');
  const secret = { ADMIN_SECRET: adminSecret, ADMIN_SECRET_FILE: undefined };
  const defaults = { LOG_LEVEL: 'warn', EVENTS: 'on', ...env, ...secret };
  readConfig(defaults);

  const services = await unlessInterrupted(startServices({ purpose: 'demo', log: print }), signal);
  const stopping = new AbortController();
  let linking: Promise<boolean> | null = null;
  try {
    const config = readConfig({
      ...defaults,
      ELASTICSEARCH_URL: services.elasticsearchUrl,
      REDIS_URL: services.redisUrl,
    });
    const es = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 3 });
    const { listings, isSample } = await loadSample(es, config, print);
    const { indexPrefix } = config;
    const products = productsAlias(indexPrefix);
    // Some listings are not linked at the first start of the demo, or after linking was interrupted.
    const unlinked = { bool: { must_not: { exists: { field: 'internal.linked_at' } } } };
    const { count } = await es.count({ index: products, query: unlinked, terminate_after: 1 });
    if (isSample && count > 0) {
      print('Linking the listings into products in the background');
      const env = { ...defaults, ELASTICSEARCH_URL: services.elasticsearchUrl };
      linking = linkInBackground(env, AbortSignal.any([signal, stopping.signal]));
    }
    // The catalogue of an earlier version may lack suggestions and quality flags.
    if (!(await hasSuggestions(es, suggestionsAlias(indexPrefix)))) {
      print('Updating quality flags and suggestions');
      await flagListings({ es, products, rates: readRates(config.exchangeRatesFile) });
      await buildSuggestions({ es, indexPrefix, products, requests: null, now: new Date() });
    }
    await es.close();
    const [key] = await createKeys(config.redisUrl, indexPrefix, {
      count: 1,
      owner: 'demo',
      scopes: [REVIEW_SCOPE],
    });
    const explorer = explorerRoutes({ publicUrl: config.publicUrl, key: key?.raw ?? null });
    const service = await startService(config, createLogger(config, redactor(config)), [
      sampleImages(),
      ...(config.explorer ? [explorer] : []),
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
  Key           ${key?.raw}
  Admin secret  ${adminSecret}

  curl -H 'Authorization: Bearer ${key?.raw}' '${service.url}/v1/search?q=wireless+headphones&limit=3'

Ctrl-C stops it. The data is kept for the next start.`);
    void linking?.then((isLinked) => {
      if (!signal.aborted) print(isLinked ? LINKED : NOT_LINKED);
    });
    if (!signal.aborted) await once(signal, 'abort');
    print('Stopping');
    await service.stop();
  } finally {
    stopping.abort();
    await linking;
    removeDemoState();
    await services.stop();
  }
}

await start(import.meta.url, main);
