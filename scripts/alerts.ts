/** npm run alerts: checks alerts on what changes in the catalogue; see --help. */
import { LeaseHeldError } from '../src/engine/lease.js';
import { CHANGES_SCHEMA } from '../src/listing/schema-versions.js';
import { schemaVersionOf } from '../src/engine/index-versions.js';
import { formatCount, formatDuration } from '../src/text/quantities.js';
import { createWebhookCipher } from '../src/usecases/alerts/webhook-secrets.js';
import { createWebhookSender } from '../src/usecases/alerts/send-webhook.js';
import { watchAlerts } from '../src/usecases/alerts/watch-alerts.js';
import { command, GRACE_MS, type Io, notice } from './shared/command.js';
import { catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError } from './shared/exit.js';
import { checkWatch, touch, WATCH_OPTIONS } from './shared/repeat.js';
import { start } from './shared/start.js';
import { redisUrlOf, useKeys } from './shared/use-keys.js';
import { pause } from '../src/platform/pause.js';

/** The pause before a process that cannot check the alerts tries again, in milliseconds. */
const PAUSE_MS = 5_000;

export const main = command({
  name: 'alerts',
  about: `Checks the alerts of POST /v1/alerts: follows the changes of the catalogue, stores an event for each alert whose condition
becomes true, and sends it to the URL of the alert. With --watch, it runs until it is stopped. Several may run, on one machine or on many: a lease
ensures that only one of them checks alerts, and another one takes over within 30 seconds if that one ends. Stop or kill it at any
time: the next one continues, and no event is lost or duplicated.`,
  options: WATCH_OPTIONS,
  notes: `${ENGINE_HELP}, and so must PUBLIC_URL and AFFILIATE_URLS for the links in the events. WEBHOOK_ALLOWED_HOSTS
lists hosts that receive webhooks although their addresses are not public. REDIS_URL is that of the service: alerts whose key was revoked
are paused within a minute. JWT_SECRET is that of the service, if it has one: it encrypts the secrets of webhooks.`,
  exits: { done: 'done', interrupted: 'interrupted' },
  onInterrupt: { graceMs: GRACE_MS },
  async run({ options }, env, io) {
    checkWatch(options);
    const { watch, alive } = options;
    return withEngine(env, async (engine) => {
      const isAlive = () => touch(alive);
      if (watch) await keepChecking(engine, env, io, isAlive);
      else {
        const report = (line: string) => notice(io, line);
        await checkAlerts(engine, env, io, { follow: false, isAlive, report });
      }
    });
  },
});

/** Checks alerts whenever no other process does and the index records changes. */
async function keepChecking(
  engine: CommandEngine,
  env: NodeJS.ProcessEnv,
  io: Io,
  isAlive: () => void,
): Promise<void> {
  let reported = '';
  const reportOnce = (line: string) => {
    if (line !== reported) notice(io, line);
    reported = line;
  };
  while (!io.signal.aborted) {
    isAlive();
    try {
      await checkAlerts(engine, env, io, { follow: true, isAlive, report: reportOnce });
      return;
    } catch (error) {
      if (!(error instanceof LeaseHeldError || error instanceof NotReadyError)) throw error;
      reportOnce(`${error.message} Waiting.`);
    }
    await pause(PAUSE_MS, io.signal);
  }
}

/** The index does not record changes yet. */
class NotReadyError extends CommandError {
  override name = 'NotReadyError';
}

async function checkAlerts(
  engine: CommandEngine,
  env: NodeJS.ProcessEnv,
  io: Io,
  { follow, isAlive, report }: { follow: boolean; isAlive: () => void; report: (line: string) => void },
): Promise<void> {
  const { out, signal } = io;
  const products = await catalogueOf(engine);
  if ((await schemaVersionOf(engine.es, products)) < CHANGES_SCHEMA)
    throw new NotReadyError('The index does not record changes yet: run npm run reindex first.');
  const webhooks = createWebhookSender({ targets: engine });
  try {
    await watchAlerts({
      ...engine,
      cipher: createWebhookCipher(engine.webhookSecretKeys),
      listKeys: redisUrlOf(env) === undefined ? null : () => useKeys(env, (keys) => keys.list(new Date())),
      products,
      signal,
      follow,
      now: () => new Date(),
      send: webhooks.send,
      report,
      onChecked({ changes, events, lagMs }) {
        isAlive();
        if (changes === 0 && events === 0) return;
        const lag = formatDuration(lagMs);
        out.write(`${formatCount(changes)} changes checked, ${formatCount(events)} events, ${lag} behind\n`);
      },
    });
  } finally {
    await webhooks.close();
  }
}

await start(import.meta.url, main);
