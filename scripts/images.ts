/** npm run images: computes the perceptual hashes of the images of listings; see --help. */
import { hashImages } from './jobs/images.js';
import { command, GRACE_MS } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { flag, preset, text, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'images',
  about: `Fetches the image of every listing without a perceptual hash for its current image_url, and stores the hash (or the
reason why there is none) with the listing, for include_image_similarity of POST /v1/products/compare/diff. It writes nothing
else. Stop or kill it at any time and run it again: it continues. A failed image is tried again after 3 days; an image that
took too long or too much memory to decode is tried again only with --again.`,
  options: {
    source: text('SOURCE', 'only listings of this source'),
    limit: wholeNumber('at most N listings', { min: 1, max: 1_000_000_000 }),
    again: flag('fetch every image again'),
    concurrency: preset(
      wholeNumber('images that are processed at the same time, at most 4 of them from one host', {
        min: 1,
        max: 64,
      }),
      8,
    ),
  },
  notes: `Images are fetched only from public addresses, on ports 80 and 443, with limits of 5 s and 10 MB. IMAGE_ALLOWED_HOSTS (host
or host:port, comma-separated) allows further image servers.
Elasticsearch is the one at ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  exits: { done: 'done, even if some images failed', interrupted: 'interrupted' },
  onInterrupt: {
    message: 'Interrupted; what is counted above is kept. Run it again for the rest.',
    graceMs: GRACE_MS,
  },
  async run({ options }, env, io) {
    await hashImages(options, env, io);
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

await start(import.meta.url, main);
