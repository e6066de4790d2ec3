/** npm run soak: sends mixed requests for a while, and checks for errors and leaks; see --help. */
import { command } from '../scripts/shared/command.js';
import { EXIT, UsageError } from '../scripts/shared/exit.js';
import { flag, positive, preset, text, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { FLAT_RULE } from './soak-test/measurements.js';
import { soak } from './soak-test/run.js';
import { redundantStage } from './soak-test/redundant-stage.js';
import { ownStage, type Stage } from './soak-test/stage.js';

export const main = command({
  name: 'soak',
  onInterrupt: { graceMs: 0 },
  about: `Sends mixed requests at a steady rate, and watches the service: searches, filters, single listings, comparisons, deals,
exports, clients that disconnect early, and requests that must be refused. Without --url, it starts an Elasticsearch, a Redis and
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
    faults: flag(
      'cause faults one after the other in three Elasticsearch nodes, a Redis and two instances behind HAProxy, and compare every response with the one before the first fault. Requests may fail only while Elasticsearch or Redis is unavailable. It cannot be combined with --url',
    ),
    faultEvery: preset(positive('with --faults, the number of seconds from one fault to the next'), 120),
  },
  notes: `Prints a line per minute. At the end it prints the requests, errors and percentiles of each kind of request, and the
memory, points in time, sockets and waiting events at the start and at the end. Every unexpected response is an error,
including a refusal because of overload. Memory is constant if ${FLAT_RULE}.`,
  exits: { done: 'no error, constant memory, and nothing left open', failed: 'otherwise' },
  async run({ options }, _env, io) {
    const { url, key, metrics, minutes, listings, every } = options;
    if ((url === undefined) !== (key === undefined))
      throw new UsageError('--url and --key must be given together');
    if (metrics !== undefined && url === undefined) throw new UsageError('--metrics needs --url');
    if (options.faults && url !== undefined) throw new UsageError('--faults cannot be combined with --url');
    const given = url !== undefined && key !== undefined;
    const stage: Stage = given
      ? { url, keys: [key], metricsUrl: metrics ?? null, engine: null, stop: () => Promise.resolve() }
      : await (options.faults ? redundantStage : ownStage)(listings);
    const { rate = given ? 10 : 20, warmUp = given ? 0 : 60 } = options;
    try {
      const wrong = await soak(stage, { minutes, rate, every, warmUp, faultEvery: options.faultEvery }, io);
      return wrong.length > 0 ? EXIT.failed : EXIT.done;
    } finally {
      await stage.stop();
    }
  },
});

await start(import.meta.url, main);
