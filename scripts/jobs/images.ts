import { type Client, errors } from '@elastic/elasticsearch';
import { productsAlias } from '../../src/engine/indices.js';
import { createImageFetcher } from '../../src/usecases/images/fetch.js';
import { hashListings, type HashSummary, listingsOf } from '../../src/usecases/images/hash-listings.js';
import type { Io } from '../shared/command.js';
import { connectEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import { showProgress } from '../shared/terminal.js';

/** Which listings `npm run images` hashes, and how many images it fetches concurrently. */
export interface HashOptions {
  source: string | undefined;
  limit: number | undefined;
  again: boolean;
  concurrency: number;
}

/** Returns the hosts from which the demo serves the images of the sample catalogue. */
function hostsOf(apiUrl: string): string[] {
  const { host, port } = new URL(apiUrl);
  return [host, `localhost:${port}`];
}

/** Counts listings. Throws a CommandError that says what to do if there is no catalogue. */
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

export async function hashImages(
  options: HashOptions,
  env: NodeJS.ProcessEnv,
  { out, err, signal }: Io,
): Promise<void> {
  const { es, indexPrefix, url, imageAllowedHosts, demo } = connectEngine(env);
  const index = productsAlias(indexPrefix);
  const fetcher = createImageFetcher({
    allowedHosts: [...imageAllowedHosts, ...(demo === null ? [] : hostsOf(demo.apiUrl))],
  });
  const started = performance.now();
  const display = showProgress('images', err);
  try {
    const total = await countListings(es, index, url, options.source);
    const summary = await hashListings({
      ...options,
      es,
      index,
      fetcher,
      signal,
      now: () => new Date(),
      onWait: display.line,
      onProgress(soFar) {
        const share = total === 0 ? null : Math.min(1, soFar.passed / total);
        display.update({
          share,
          note: `${formatCount(soFar.hashed)} hashed, ${formatCount(failures(soFar))} failed`,
        });
      },
    });
    display.stop();
    out.write(`${describe(summary, performance.now() - started)}\n`);
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
