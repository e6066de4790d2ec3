import { command } from './shared/command.js';

/** Runs the API. After a signal, the service ends the process itself, once all requests are answered. */
export const main = command({
  name: 'serve',
  about: `Runs the API. Environment variables alone configure it (docs/configuration.md). It starts even if Elasticsearch
and Redis are unavailable, serves requests as soon as they are available, and writes no files. SIGTERM and SIGINT end it with exit code 0 once every request in
flight is answered; with WORKERS=2 or more, SIGHUP replaces its processes one after the other. If a variable has an
invalid value, it ends at once with exit code 1.`,
  options: {},
  notes: `npm start, the image and the unit of systemd give Node.js the options --min-semi-space-size=16 --max-semi-space-size=32,
which cost about 30 MB of memory and save up to a tenth of the CPU time. Elsewhere, use the same ones:
node --min-semi-space-size=16 --max-semi-space-size=32 "$(which catalogue)" serve`,
  onInterrupt: { graceMs: 0 },
  async run(_given, _env, { signal }) {
    // The loaded service handles signals itself. One that arrived earlier is sent again.
    let missed: NodeJS.Signals | undefined;
    const miss = () => {
      const reason = signal.reason as NodeJS.Signals;
      if (process.listenerCount(reason) < 2) missed = reason;
    };
    if (signal.aborted) miss();
    else signal.addEventListener('abort', miss, { once: true });
    await import('../src/main.js');
    if (missed !== undefined) process.kill(process.pid, missed);
    return new Promise<never>(() => undefined);
  },
});
