/** npm run soak: sends mixed requests for a while, and checks for errors and leaks; see --help. */
import { command } from '../scripts/shared/command.js';
import { EXIT, UsageError } from '../scripts/shared/exit.js';
import { flag, parsed, positive, preset, text, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { soak } from './soak-test/run.js';
import { redundantStage } from './soak-test/redundant-stage.js';
import { givenStage, ownStage } from './soak-test/stage.js';
import { FLAT_RULE } from './soak-test/verdict.js';

export const main = command({
  name: 'soak',
  onInterrupt: { graceMs: 0 },
  about: `Drives mixed traffic (searches, filters, single listings, comparisons, deals, exports, clients that leave, and requests
that must be refused) at a steady rate, and watches the service. Without --url it starts an Elasticsearch, a Redis and
the built service, all of its own, and stops them afterwards.`,
  options: {
    minutes: preset(positive('how long, 30 by default; fractions are fine'), 30),
    rate: positive('requests a second, 20 by default, 10 with --url: a premium key has 1,000 a minute'),
    'warm-up': wholeNumber(
      'seconds of such traffic before, at a quarter of the rate, that are told but not counted: 60 by default, for an engine that has just started; 0 with --url',
      { min: 0, max: 86_400 },
    ),
    listings: preset(
      wholeNumber('size of the generated catalogue, 20,000 by default', { min: 5, max: 10_000_000 }),
      20_000,
    ),
    url: parsed('URL', 'a service that runs already', webAddress),
    key: text('KEY', 'a key for it; with --url'),
    metrics: parsed(
      'URL',
      'its metrics, such as http://127.0.0.1:9464/metrics; with --url. Without, its memory is not watched',
      webAddress,
    ),
    every: preset(positive('seconds between readings, 15 by default'), 15),
    faults: flag(
      'also lets things go wrong, one after another, on three Elasticsearch nodes and two instances behind HAProxy of its own, and compares every answer with the one from before; requests may fail only while there is no engine or no key store; not with --url',
    ),
    'fault-every': preset(positive('seconds from one fault to the next, 120 by default; with --faults'), 120),
  },
  notes: `Prints a line a minute, and at the end requests, errors and percentiles by kind, and memory, points in time, sockets and
waiting events at start and end. An error is any answer but the expected one, a refusal for overload included.
Memory is flat when ${FLAT_RULE}.`,
  exits: { done: 'no error, memory flat, nothing left open', failed: 'otherwise' },
  async run({ options }, _env, io) {
    const { url, key, metrics, minutes, listings, every } = options;
    if ((url === undefined) !== (key === undefined)) throw new UsageError('--url and --key go together');
    if (metrics !== undefined && url === undefined) throw new UsageError('--metrics goes with --url');
    if (options.faults && url !== undefined) throw new UsageError('--faults does not go with --url');
    const given = url !== undefined && key !== undefined;
    const stage = given
      ? givenStage({ url, key, metrics: metrics ?? null })
      : await (options.faults ? redundantStage : ownStage)(listings);
    const { rate = given ? 10 : 20, 'warm-up': warmUp = given ? 0 : 60 } = options;
    try {
      const wrong = await soak(
        stage,
        { minutes, rate, every, warmUp, faultEvery: options['fault-every'] },
        io,
      );
      return wrong.length > 0 ? EXIT.failed : EXIT.done;
    } finally {
      await stage.stop();
    }
  },
});

function webAddress(given: string, name: string): string {
  if (URL.canParse(given)) return given;
  throw new UsageError(`${name} must be a URL, not "${given}"`);
}

await start(import.meta.url, main);
