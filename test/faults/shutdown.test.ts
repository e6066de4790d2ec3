// Chaos only (faults, sampled): it takes seconds.
import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';
import { type Balancer, startBalancer } from './balancer.js';
import { holdExport } from './held-export.js';
import { keepReading } from './traffic.js';

/** So many that some requests are in progress at any time, and so few that the export of a stopping instance is not held up. */
const READERS = 6;
const LISTINGS = 2_000;
const STOPS = 3;

/**
 * These tests were seen to fail with SHUTDOWN_DELAY_MS=0, because the balancer then still sent requests to
 * the stopped instance, and when connections were closed during requests.
 */
describe('instances that are stopped under load', function () {
  this.timeout(240_000);
  let api: Api;
  let instances: ApiProcess[];
  let balancer: Balancer;
  const start = () =>
    startApiProcess({
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: api.prefix,
      // The delay is long, because the balancer notices late on a busy machine that an instance is not ready.
      SHUTDOWN_DELAY_MS: '4000',
    });
  before(async () => {
    api = await startApi();
    await api.load(
      Array.from({ length: LISTINGS }, (_, i) =>
        record({ sku: `s${i}`, name: `Kettle ${i}`, description: 'long '.repeat(600) }),
      ),
    );
  });
  after(() => api.stop());

  it('drop no request, exports included, and end with 0', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => api.key()));
    const id = await api.id('s0');
    for (let stop = 0; stop < STOPS; stop += 1) {
      instances = await Promise.all([start(), start()]);
      balancer = await startBalancer(instances.map(({ url }) => url));
      const reads = keepReading({
        readers: READERS,
        urls: [balancer.url],
        paths: ['/v1/search?q=kettle', '/v1/products?limit=50', `/v1/products/${id}`, '/v1/categories'],
        keys,
      });
      const exports = keepReading({
        readers: 2,
        urls: [balancer.url],
        // On a busy machine, a longer export takes more time than a stopping instance gives its last requests.
        paths: ['/v1/products/export?limit=200'],
        keys,
      });
      const [first, second] = instances as [ApiProcess, ApiProcess];
      try {
        await until(() => reads.count > 20 && exports.count > 0);
        // An export from the instance that is being stopped. It is read when the balancer has stopped using the instance.
        const read = await holdExport(first.url, keys[0] ?? '', LISTINGS);
        const before = balancer.counts[1] ?? 0;
        const stopped = first.stop();
        await until(() => balancer.ready[0] === false);
        assert.lengthOf(JSON.parse(await read()) as unknown[], LISTINGS);
        // The exit code is 0 because the shutdown ended in time; otherwise it would be 1.
        assert.equal(await stopped, 0);
        assert.isAbove(balancer.counts[0] ?? 0, 0);
        await until(() => (balancer.counts[1] ?? 0) > before);
      } finally {
        await Promise.all([reads.stop(), exports.stop()]);
      }
      assert.deepEqual([...reads.failures, ...exports.failures], []);
      assert.isAbove(exports.count, 0);
      await balancer.close();
      assert.equal(await second.stop(), 0);
    }
  });
});
