import { execFileSync } from 'node:child_process';
import { productsAlias } from '../../src/engine/indices.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { loadCatalogue, startBuiltService, startEngines, withoutSecurity } from '../benchmark/environment.js';
import { createKeys } from '../api-keys.js';
import { freePort } from '../local-services/index.js';
import { CommandError } from '../../scripts/shared/exit.js';
import type { MeasuredService } from './measurements.js';
import type { Subjects } from './traffic.js';

const KEYS = 20;
const PREFIX = 'soak';
export interface Stage extends MeasuredService {
  url: string;
  keys: string[];
  stop(): Promise<void>;
}

export async function ownStage(listings: number): Promise<Stage> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  const engines = await startEngines({ data: null });
  try {
    const { elasticsearchUrl, redisUrl } = engines;
    await loadCatalogue(withoutSecurity(elasticsearchUrl), PREFIX, { listings, shards: 1 });
    const keys = (await createKeys(redisUrl, PREFIX, { count: KEYS, owner: 'soak' })).map(({ raw }) => raw);
    const metricsPort = String(await freePort());
    const service = await startBuiltService(
      {
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: PREFIX,
        METRICS_PORT: metricsPort,
      },
      `Bearer ${keys[0] ?? ''}`,
    );
    const es = createElasticsearch(withoutSecurity(elasticsearchUrl), {
      requestTimeout: 30_000,
      maxRetries: 2,
    });
    return {
      url: service.url,
      keys,
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      engine: { es, products: productsAlias(PREFIX) },
      async stop() {
        await service.stop();
        await es.close();
        await engines.stop();
      },
    };
  } catch (error) {
    await engines.stop();
    throw error;
  }
}

export async function subjectsOf({ url, keys }: Stage): Promise<Subjects> {
  const response = await fetch(new URL('/v1/products?limit=100', url), {
    headers: { authorization: `Bearer ${keys[0] ?? ''}` },
  }).catch((error: unknown) => {
    throw new CommandError(`${url} does not respond: ${String(error)}`);
  });
  if (!response.ok)
    throw new CommandError(`${url} responds with status ${response.status}: ${await response.text()}`);
  const { items } = (await response.json()) as {
    items: { id: number; name: string; category: string | null }[];
  };
  if (items.length < 5) throw new CommandError('The catalogue has too few listings: load some first.');
  const words = items.map(({ name }) => name.match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  return {
    ids: items.map(({ id }) => id),
    queries: words.flatMap((each) => [each.slice(0, 2).join(' '), each.slice(-3).join(' ')]).filter(Boolean),
    categories: [...new Set(items.map(({ category }) => category ?? 'a'))],
  };
}
