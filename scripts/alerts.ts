/** npm run alerts: checks alerts on what changes in the catalogue; see --help. */
import { CHANGES_SCHEMA } from '../src/listing/derived.js';
import { schemaVersionOf } from '../src/engine/index-versions.js';
import { formatCount, formatDuration } from '../src/text/quantities.js';
import { deliverEvents } from '../src/usecases/alerts/deliver-events.js';
import { createWebhookSender } from '../src/usecases/alerts/send-webhook.js';
import { watchAlerts } from '../src/usecases/alerts/watch-alerts.js';
import { command, GRACE_MS } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError, EXIT } from './shared/exit.js';
import { flag } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'alerts',
  about: `Checks the alerts of POST /v1/alerts: follows the changes of the catalogue, and stores an event for each alert whose condition
becomes true, and sends it to the URL of the alert. It runs until it is stopped. Only one process at a time checks alerts, which a lease ensures: another one ends with an
error, so let the system start it again. Stop or kill it at any time: the next run continues, and no event is lost or doubled.`,
  options: { once: flag('end after the changes that there are') },
  notes: `${ENGINE_HELP}, and so must PUBLIC_URL and AFFILIATE_URLS for the links in the events. WEBHOOK_ALLOWED_HOSTS
lists hosts that receive webhooks although their addresses are not public.`,
  exits: { done: 'done', interrupted: 'interrupted' },
  onInterrupt: { graceMs: GRACE_MS },
  async run({ options: { once } }, env, io) {
    return withEngine(env, async (engine) => {
      const products = await catalogueOf(engine);
      if ((await schemaVersionOf(engine.es, products)) < CHANGES_SCHEMA)
        throw new CommandError('The index does not record changes yet: run npm run reindex first.');
      const webhooks = createWebhookSender({ allowedHosts: engine.webhookAllowedHosts });
      const now = () => new Date();
      // If the lease is lost or the engine is away for long, the deliveries end as well.
      const ended = new AbortController();
      const signal = AbortSignal.any([io.signal, ended.signal]);
      const deliver = (follow: boolean) =>
        deliverEvents({ ...engine, signal, follow, now, send: webhooks.send });
      const watching = watchAlerts({
        ...engine,
        products,
        signal: io.signal,
        follow: !once,
        now,
        ...(once ? {} : { whileWatching: () => deliver(true) }),
        report: (line) => void io.err.write(`${line}\n`),
        onChecked({ changes, events, lagMs }) {
          const lag = formatDuration(lagMs);
          io.out.write(
            `${formatCount(changes)} changes checked, ${formatCount(events)} events, ${lag} behind\n`,
          );
        },
      });
      try {
        await watching;
        if (once) await deliver(false);
      } finally {
        ended.abort();
        await webhooks.close();
      }
      return io.signal.aborted ? EXIT.interrupted : EXIT.done;
    });
  },
});

await start(import.meta.url, main);
