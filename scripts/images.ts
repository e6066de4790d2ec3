/** npm run images: computes the perceptual hashes of the images of listings, and stores small pictures; see --help. */
import { formatCount, formatDuration } from '../src/text/quantities.js';
import { createImageFetcher } from '../src/usecases/images/fetch.js';
import { hashListings, type HashSummary, listingsOf } from '../src/usecases/images/hash-listings.js';
import { deleteUnused } from '../src/usecases/images/stored-pictures.js';
import { command, GRACE_MS, type Io, notice } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, openPictures, withEngine } from './shared/engine.js';
import { UsageError } from './shared/exit.js';
import { describeUnknownSource } from './shared/known-source.js';
import { flag, preset, text, type Values, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';
import { countRow, withProgress } from './shared/terminal.js';

const OPTIONS = {
  source: text('SOURCE', 'only listings of this source'),
  limit: wholeNumber('the maximum number of listings to process', { min: 1, max: 1_000_000_000 }),
  again: flag('fetch every image again'),
  concurrency: preset(
    wholeNumber('the number of images that are processed at the same time, at most 4 of them from one host', {
      min: 1,
      max: 64,
    }),
    8,
  ),
};

export const main = command({
  name: 'images',
  about: `Fetches the image of every listing without a perceptual hash for its current image_url, and stores the hash (or the
reason why there is none) with the listing, for include_image_similarity of POST /v1/products/compare/diff. With
PICTURES_FOLDER, it also stores a small picture, which the service shows at /pictures, and deletes those of no listing. Stop or kill it at any time and run it again: it continues. A failed image is tried again after 3 days; an image that
took too long or too much memory to decode is tried again only with --again.`,
  options: OPTIONS,
  notes: `Images are fetched only from public addresses, on ports 80 and 443, with limits of 5 s and 10 MB. IMAGE_ALLOWED_HOSTS (host
or host:port, comma-separated) allows further image servers. If the pictures exceed PICTURES_MAX_SIZE (2gb), the oldest are deleted.

${ENGINE_HELP}.`,
  exits: { done: 'done, even if some images failed', interrupted: 'interrupted' },
  onInterrupt: {
    message: 'Interrupted; what is counted above is kept. Run it again for the rest.',
    graceMs: GRACE_MS,
  },
  async run({ options }, env, io) {
    await hashImages(options, env, io);
  },
});

export const hashImages = (options: Values<typeof OPTIONS>, env: NodeJS.ProcessEnv, io: Io): Promise<void> =>
  withEngine(env, async (engine) => {
    const { es, imageAllowedHosts, demo } = engine;
    const index = await catalogueOf(engine);
    const allowedHosts = [...imageAllowedHosts, ...(demo === null ? [] : hostsOf(demo.apiUrl))];
    const fetcher = createImageFetcher({ allowedHosts });
    const started = performance.now();
    try {
      const { source } = options;
      const { count: total } = await es.count({ index, query: listingsOf(source) });
      if (total === 0 && source !== undefined) {
        const unknown = await describeUnknownSource(source, 'no image was fetched', engine);
        if (unknown !== null) throw new UsageError(unknown);
      }
      const pictures = await openPictures(engine, index);
      if (pictures !== null) await deleteUnused(es, index, pictures, pictures.settled);
      else if (engine.pictures !== null)
        notice(io, 'No pictures are stored until npm run reindex has updated the index.');
      const summary = await withProgress('images', io.err, (display) =>
        hashListings({
          ...options,
          es,
          index,
          fetcher,
          pictures,
          signal: io.signal,
          now: () => new Date(),
          onWait: display.line,
          onProgress(soFar) {
            const share = total === 0 ? null : Math.min(1, soFar.passed / total);
            const note = `${formatCount(soFar.hashed)} hashed, ${formatCount(failures(soFar))} failed`;
            display.update({ share, note });
          },
        }),
      );
      io.out.write(`${hashReport(summary, performance.now() - started)}\n`);
    } finally {
      await fetcher.close();
    }
  });

/** Returns the hosts from which the demo serves the images of the sample catalogue. */
function hostsOf(apiUrl: string): string[] {
  const { host, port } = new URL(apiUrl);
  return [host, `localhost:${port}`];
}

const failures = ({ failed }: HashSummary): number => Object.values(failed).reduce((sum, n) => sum + n, 0);

function hashReport(summary: HashSummary, elapsedMs: number): string {
  const reasons = Object.entries(summary.failed).sort(([, a], [, b]) => b - a);
  return [
    `images: ${formatCount(summary.passed)} listings in ${formatDuration(elapsedMs)}`,
    countRow(summary.hashed, 'hashed'),
    countRow(failures(summary), 'without a hash'),
    ...reasons.map(([reason, number]) => countRow(number, `  ${reason}`)),
    countRow(summary.left, 'left for the next run'),
  ].join('\n');
}

await start(import.meta.url, main);
