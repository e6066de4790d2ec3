/** npm run soak: mixed traffic for a while, and whether anything gives way; see --help. */
import { parseArgs } from 'node:util';
import { soak } from './soak/run.js';
import { givenStage, ownStage } from './soak/stage.js';
import { FLAT_RULE } from './soak/verdict.js';
import { CommandError, fail } from '../scripts/shared/terminal.js';

const HELP = `npm run soak -- --minutes N

Drives mixed traffic (searches, filters, single listings, comparisons, deals, exports, clients that leave, and requests
that must be refused) at a steady rate, and watches the service. Without --url it starts an Elasticsearch, a Redis and
the built service, all of its own, and stops them afterwards.

  --minutes N          how long, 30 by default; fractions are fine
  --rate N             requests a second, 20 by default, 10 with --url: a premium key has 1,000 a minute
  --warm-up N          seconds of such traffic before, at a quarter of the rate, that are told but not counted: 60 by
                       default, for an engine that has just started; 0 with --url
  --listings N         size of the generated catalogue, 20,000 by default
  --url URL            a service that runs already
  --key KEY            a key for it; with --url
  --metrics URL        its metrics, such as http://127.0.0.1:9464/metrics; with --url. Without, its memory is not watched
  --every N            seconds between readings, 15 by default
  --help

Prints a line a minute, and at the end requests, errors and percentiles by kind, and memory, points in time, sockets and
waiting events at start and end. An error is any answer but the expected one, a refusal for overload included.
Memory is flat when ${FLAT_RULE}.
Exit code: 0 no error, memory flat, nothing left open; 1 otherwise; 2 wrong use.`;

function options(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      ...{ minutes: { type: 'string', default: '30' }, rate: { type: 'string' }, url: { type: 'string' } },
      ...{
        key: { type: 'string' },
        metrics: { type: 'string' },
        listings: { type: 'string', default: '20000' },
      },
      ...{
        every: { type: 'string', default: '15' },
        'warm-up': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    },
  });
  const { url, key, metrics, help } = values;
  if ((url === undefined) !== (key === undefined)) throw new CommandError('--url and --key go together.');
  if (metrics !== undefined && url === undefined) throw new CommandError('--metrics goes with --url.');
  for (const address of [url, metrics]) {
    if (address !== undefined && !URL.canParse(address)) throw new CommandError(`"${address}" is no URL.`);
  }
  const given = url === undefined || key === undefined ? null : { url, key, metrics: metrics ?? null };
  const warmUp = values['warm-up'] ?? (given === null ? '60' : '0');
  return {
    help,
    given,
    minutes: positive('--minutes', values.minutes),
    rate: positive('--rate', values.rate ?? (given === null ? '20' : '10')),
    listings: positive('--listings', values.listings),
    every: positive('--every', values.every),
    warmUp: warmUp === '0' ? 0 : positive('--warm-up', warmUp),
  };
}

function positive(name: string, text: string): number {
  const number = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (number <= 0) throw new CommandError(`${name} takes a number above 0, not "${text}".`);
  return number;
}

function parsed(args: string[]): ReturnType<typeof options> | null {
  try {
    return options(args);
  } catch (error) {
    console.error(`${(error as Error).message} See --help.`);
    process.exitCode = 2;
    return null;
  }
}

async function main(): Promise<void> {
  const wanted = parsed(process.argv.slice(2));
  if (wanted === null) return;
  if (wanted.help) {
    console.log(HELP);
    return;
  }
  const stage = wanted.given === null ? await ownStage(wanted.listings) : givenStage(wanted.given);
  try {
    if ((await soak(stage, wanted)).length > 0) process.exitCode = 1;
  } finally {
    await stage.stop();
  }
}

main().catch(fail);
