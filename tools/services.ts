/** npm run services: an Elasticsearch and a Redis to develop against, until Ctrl-C. */
import { explainAndExit, startServices } from './services/index.js';
import { endBy, onFirstSignal } from '../scripts/shared/signals.js';

const started = Date.now();
const services = await startServices({ purpose: 'test', log: (line) => console.error(line) }).catch(
  explainAndExit,
);
console.error(`Ready in ${((Date.now() - started) / 1000).toFixed(1)} s; the data is gone after Ctrl-C.`);
console.log(`export ELASTICSEARCH_URL=${services.elasticsearchUrl}\nexport REDIS_URL=${services.redisUrl}`);

// Neither the engines nor a signal handler keep Node running.
setInterval(() => {}, 60_000);
onFirstSignal((signal) => {
  void services.stop().finally(() => endBy(signal));
});
