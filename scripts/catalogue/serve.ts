import { command } from '../shared/command.js';

/** The service as a command. It ends its process itself, once it was asked to and all is answered. */
export const main = command({
  name: 'serve',
  about: `The API. It is told by variables alone (docs/configuration.md), starts without its engines, serves as soon as they
are there, and writes nowhere. SIGTERM and SIGINT end it with 0 once every request in flight is answered; with WORKERS=2 or more, SIGHUP replaces its
processes one after the other. A variable with a wrong value ends it with 1 at once.`,
  options: {},
  notes: `With NODE_OPTIONS=--max-semi-space-size=4 it holds some 20 MB less and needs a fifth more processor time.`,
  ending: { graceMs: 0 },
  async run(_given, _env, { signal }) {
    // The service handles its signals itself once it is loaded. One that arrives before that is sent again.
    let missed: NodeJS.Signals | undefined;
    const miss = () => {
      const reason = signal.reason as NodeJS.Signals;
      if (process.listenerCount(reason) < 2) missed = reason;
    };
    if (signal.aborted) miss();
    else signal.addEventListener('abort', miss, { once: true });
    await import('../../src/main.js');
    if (missed !== undefined) process.kill(process.pid, missed);
    return new Promise<never>(() => undefined);
  },
});
