/** npm run services: runs an Elasticsearch and a Redis for development until Ctrl-C; see --help. */
import { once } from 'node:events';
import { command, unlessInterrupted } from '../scripts/shared/command.js';
import { EXIT } from '../scripts/shared/exit.js';
import { start } from '../scripts/shared/start.js';
import { startServices } from './local-services/index.js';

export const main = command({
  name: 'services',
  onInterrupt: { graceMs: 0 },
  about: `Finds or starts an Elasticsearch and a Redis for other commands, and prints the two variables with their addresses.
Ctrl-C stops them and deletes their data.`,
  options: {},
  async run(_given, _env, { out, err, signal }) {
    const started = performance.now();
    const log = (line: string) => void err.write(`${line}\n`);
    const services = await unlessInterrupted(startServices({ purpose: 'test', log }), signal);
    try {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      log(`Ready in ${seconds} s. Ctrl-C deletes the data.`);
      out.write(
        `export ELASTICSEARCH_URL=${services.elasticsearchUrl}\nexport REDIS_URL=${services.redisUrl}\n`,
      );
      // The timer keeps Node.js running until the signal.
      const running = setInterval(() => undefined, 60_000);
      if (!signal.aborted) await once(signal, 'abort');
      clearInterval(running);
    } finally {
      await services.stop();
    }
    return EXIT.interrupted;
  },
});

await start(import.meta.url, main);
