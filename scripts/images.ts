/** npm run images: gives listings the perceptual hash of their image; see --help. */
import { parseArgs } from 'node:util';
import { type HashOptions, hashImages } from './images/run.js';
import { interruptible } from './shared/interrupt.js';
import { CommandError, fail, formatCount } from './shared/terminal.js';

const HELP = `npm run images

Looks at the image of every listing that has no perceptual hash for its current image_url, and keeps the hash (or why
there is none) with the listing, for include_image_similarity of POST /v1/products/compare/diff. Writes nothing else.
Stop or kill it at any time and run it again: it goes on where it was. A failed image is tried again after 3 days,
one that took too long or too much memory to decode only with --again.

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

/** @returns null when only help is wanted. @throws CommandError when the command line makes no sense. */
function parse(args: string[]): HashOptions | null {
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

try {
  const options = parse(process.argv.slice(2));
  if (options === null) console.log(HELP.trimEnd());
  else {
    const interrupt = interruptible(() => {
      console.log('Interrupted while Elasticsearch does not answer. Run it again for the rest.');
    });
    await hashImages(options, interrupt.signal);
    interrupt.finish();
  }
} catch (error) {
  fail(error);
}
