/** npm run images: gives listings the perceptual hash of their image; see --help. */
import { parseArgs } from 'node:util';
import { type Client, errors } from '@elastic/elasticsearch';
import { productsAlias } from '../src/catalogue/indices.js';
import { createElasticsearch } from '../src/clients.js';
import { ConfigError, readConfig } from '../src/config.js';
import { createImageFetcher } from '../src/images/fetch.js';
import { hashListings, type HashSummary } from '../src/images/hash-listings.js';
import { listingsOf } from '../src/images/pending.js';
import { endBy, onFirstSignal } from './services/signals.js';
import { readDemoState } from './services/state.js';
import { CommandError, fail, formatCount, formatDuration, showProgress } from './terminal.js';

const HELP = `npm run images

Looks at the image of every listing that has no perceptual hash for its current image_url, and keeps the hash (or why
there is none) with the listing, for include_image_similarity of POST /v1/products/compare/diff. Writes nothing else.
Stop or kill it at any time and run it again: it goes on where it was. A failed image is tried again after 3 days.

  --source SOURCE      one source alone
  --limit N            at most N listings
  --again              look at every image again
  --concurrency N      images at once (8), at most 4 of them from one host
  --help

Only public addresses are asked, on ports 80 and 443, for 5 s and 10 MB at most; IMAGE_ALLOWED_HOSTS (host or
host:port, comma-separated) names image servers of your own that are not public.
Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.
Exit code: 0 done (failed images are no failure of the run), 1 failed, 130 interrupted.
`;

interface Options {
  source: string | undefined;
  limit: number | undefined;
  again: boolean;
  concurrency: number;
}

/** @returns null when only help is wanted. @throws CommandError when the command line makes no sense. */
function parse(args: string[]): Options | null {
  const values = parseCommandLine(args);
  if (values.help === true) return null;
  if (values.source === '') throw new CommandError('--source needs the name of a source.');
  return {
    source: values.source,
    limit: values.limit === undefined ? undefined : count('--limit', values.limit),
    again: values.again ?? false,
    concurrency: count('--concurrency', values.concurrency ?? '8', 64),
  };
}

function parseCommandLine(args: string[]) {
  try {
    const options = {
      source: { type: 'string' },
      limit: { type: 'string' },
      again: { type: 'boolean' },
      concurrency: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

function count(option: string, value: string, max = 1_000_000_000): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > max) {
    throw new CommandError(`${option} must be a whole number from 1 to ${formatCount(max)}, not "${value}".`);
  }
  return number;
}

function connect() {
  const { env } = process;
  const demo = readDemoState();
  const { elasticsearch, indexPrefix, imageAllowedHosts } = readConfig({
    ELASTICSEARCH_URL: env['ELASTICSEARCH_URL'] || demo?.elasticsearchUrl,
    ELASTICSEARCH_API_KEY: env['ELASTICSEARCH_API_KEY'],
    ELASTICSEARCH_USERNAME: env['ELASTICSEARCH_USERNAME'],
    ELASTICSEARCH_PASSWORD: env['ELASTICSEARCH_PASSWORD'],
    ELASTICSEARCH_CA_FILE: env['ELASTICSEARCH_CA_FILE'],
    INDEX_PREFIX: env['INDEX_PREFIX'],
    IMAGE_ALLOWED_HOSTS: env['IMAGE_ALLOWED_HOSTS'],
  });
  return {
    es: createElasticsearch(elasticsearch, { requestTimeout: 60_000, maxRetries: 4 }),
    index: productsAlias(indexPrefix),
    url: elasticsearch.nodes.join(', '),
    allowedHosts: [...imageAllowedHosts, ...(demo === null ? [] : hostsOf(demo.apiUrl))],
  };
}

/** The demo serves the pictures of its sample catalogue itself, under its address or as localhost. */
function hostsOf(apiUrl: string): string[] {
  const { host, port } = new URL(apiUrl);
  return [host, `localhost:${port}`];
}

/** @throws CommandError that says what to do when there is no catalogue to walk. */
async function countListings(es: Client, index: string, url: string, source?: string): Promise<number> {
  try {
    return (await es.count({ index, query: listingsOf(source) })).count;
  } catch (error) {
    if (!(error instanceof errors.ElasticsearchClientError)) throw error;
    const status = error instanceof errors.ResponseError ? error.statusCode : undefined;
    if (status === 404) throw new CommandError(`There is no catalogue ${index} at ${url}; load one first.`);
    throw new CommandError(
      `Elasticsearch at ${url} cannot be used${status === undefined ? '' : ` (status ${status})`}; set ELASTICSEARCH_URL and its credentials.`,
      { cause: error },
    );
  }
}

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const { es, index, url, allowedHosts } = connect();
  const fetcher = createImageFetcher({ allowedHosts });
  const started = performance.now();
  const display = showProgress('images');
  try {
    const total = await countListings(es, index, url, options.source);
    const summary = await hashListings({
      ...{ ...options, es, index, fetcher, signal, now: () => new Date() },
      onProgress(soFar) {
        const share = total === 0 ? null : Math.min(1, soFar.passed / total);
        display.update({
          share,
          note: `${formatCount(soFar.hashed)} hashed, ${formatCount(failures(soFar))} failed`,
        });
      },
    });
    display.stop();
    console.log(describe(summary, performance.now() - started));
    if (signal.aborted) console.log('Interrupted; what is counted above is kept. Run it again for the rest.');
  } finally {
    display.stop();
    await Promise.all([es.close(), fetcher.close()]);
  }
}

const failures = ({ failed }: HashSummary): number => Object.values(failed).reduce((sum, n) => sum + n, 0);

function describe(summary: HashSummary, elapsedMs: number): string {
  const row = (number: number, label: string) => `${formatCount(number).padStart(12)}  ${label}`;
  const reasons = Object.entries(summary.failed).sort(([, a], [, b]) => b - a);
  return [
    `images: ${formatCount(summary.passed)} listings in ${formatDuration(elapsedMs)}`,
    row(summary.hashed, 'hashed'),
    row(failures(summary), 'without a hash'),
    ...reasons.map(([reason, number]) => row(number, `  ${reason}`)),
    row(summary.left, 'left for the next run'),
  ].join('\n');
}

try {
  const options = parse(process.argv.slice(2));
  if (options === null) console.log(HELP.trimEnd());
  else {
    const abort = new AbortController();
    let ending: NodeJS.Signals | undefined;
    onFirstSignal((signal) => {
      ending = signal;
      abort.abort();
    });
    await run(options, abort.signal);
    if (ending !== undefined) endBy(ending);
  }
} catch (error) {
  fail(error instanceof ConfigError ? new CommandError(error.message) : error);
}
