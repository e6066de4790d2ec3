import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createKeys } from '../api-keys.js';
import { SAMPLE_DEFAULTS, sampleLines } from '../sample-catalogue/catalogue.js';
import { startService } from '../../src/wiring.js';
import type { Services } from '../local-services/index.js';
import { removeElasticsearchTraces, removeRedisTraces } from '../local-services/traces.js';

const LISTINGS = 500;
/** The number of listing ids that the fuzz test uses. It exceeds the number of ids in any one request. */
const MAX_IDS = 50;
const KEYS = 10;

export interface Target {
  url: string;
  adminSecret: string;
  keys: { id: string; raw: string }[];
  listings: number[];
  stop(): Promise<void>;
}

export async function startTarget({ elasticsearchUrl, redisUrl }: Services): Promise<Target> {
  const prefix = `fuzz-${randomBytes(4).toString('hex')}`;
  const adminSecret = randomBytes(18).toString('base64url');
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'error',
    ELASTICSEARCH_URL: elasticsearchUrl,
    REDIS_URL: redisUrl,
    INDEX_PREFIX: prefix,
    ADMIN_SECRET: adminSecret,
    TRUST_PROXY: 'loopback',
  });
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 3 });
  const redis = createRedis(redisUrl);
  redis.on('error', () => undefined);
  await once(redis, 'ready');
  const clean = async () => {
    await removeElasticsearchTraces(es, prefix);
    await removeRedisTraces(redis, prefix);
    await es.close();
    redis.disconnect();
  };
  try {
    await ensureCatalogue(es, prefix);
    const imageBaseUrl = 'https://images.example';
    const lines = sampleLines({ ...SAMPLE_DEFAULTS, listings: LISTINGS, now: new Date(), imageBaseUrl });
    await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
    const index = productsAlias(prefix);
    await es.indices.refresh({ index });
    const { hits } = await es.search({ index, size: MAX_IDS, _source: false });
    const keys = await createKeys(redisUrl, prefix, { count: KEYS, owner: 'fuzz' });
    const service = await startService(config, createLogger(config));
    return {
      url: service.url,
      adminSecret,
      keys,
      listings: hits.hits.map(({ _id: id }) => Number(id)),
      async stop() {
        await service.stop();
        await clean();
      },
    };
  } catch (error) {
    await clean();
    throw error;
  }
}
