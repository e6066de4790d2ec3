/** npm run images: gives listings the perceptual hash of their image; see --help. */
import { hashImages } from './jobs/images.js';
import { command, GRACE_MS } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { flag, preset, text, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'images',
  about: `Looks at the image of every listing that has no perceptual hash for its current image_url, and keeps the hash (or why
there is none) with the listing, for include_image_similarity of POST /v1/products/compare/diff. Writes nothing else.
Stop or kill it at any time and run it again: it goes on where it was. A failed image is tried again after 3 days,
one that took too long or too much memory to decode only with --again.`,
  options: {
    source: text('SOURCE', 'one source alone'),
    limit: wholeNumber('at most N listings', { min: 1, max: 1_000_000_000 }),
    again: flag('look at every image again'),
    concurrency: preset(
      wholeNumber('images at once (8), at most 4 of them from one host', { min: 1, max: 64 }),
      8,
    ),
  },
  notes: `Only public addresses are asked, on ports 80 and 443, for 5 s and 10 MB at most; IMAGE_ALLOWED_HOSTS (host or
host:port, comma-separated) names image servers of your own that are not public.
Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  exits: { done: 'done (failed images are no failure of the run)', interrupted: 'interrupted' },
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
