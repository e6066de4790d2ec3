/** npm run services: an Elasticsearch and a Redis to develop against, until Ctrl-C. */
import { startServices } from './services/index.js';

const started = Date.now();
const services = await startServices({ purpose: 'test', log: (line) => console.error(line) });
console.error(`Ready in ${((Date.now() - started) / 1000).toFixed(1)} s; the data is gone after Ctrl-C.`);
console.log(`export ELASTICSEARCH_URL=${services.elasticsearchUrl}\nexport REDIS_URL=${services.redisUrl}`);

const signal = await new Promise<NodeJS.Signals>((resolve) => {
  // The engines do not keep this process alive; something has to.
  const alive = setInterval(() => {}, 60_000);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      clearInterval(alive);
      resolve(name);
    });
  }
});
await services.stop();
process.kill(process.pid, signal);
