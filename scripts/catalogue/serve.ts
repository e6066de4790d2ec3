import { command } from '../shared/command.js';

/** The service as a command. It ends its process itself, once it was asked to and all is answered. */
export const main = command({
  name: 'serve',
  about: `The API. It is told by variables alone (docs/configuration.md), starts without its engines, serves as soon as they
are there, and writes nowhere. SIGTERM and SIGINT end it with 0 once every request in flight is answered; a variable with
a wrong value ends it with 1 at once.`,
  options: {},
  notes: `With NODE_OPTIONS=--max-semi-space-size=4 it holds some 20 MB less and needs a fifth more processor time.`,
  ending: { graceMs: 0 },
  async run(_given, _env, { signal }) {
    // The service knows of SIGTERM and SIGINT; the end of a terminal is one as well.
    signal.addEventListener('abort', () => process.kill(process.pid, 'SIGTERM'), { once: true });
    await import('../../src/server.js');
    return new Promise<never>(() => undefined);
  },
});
