import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { main as alerts } from '../../scripts/alerts.js';
import { main as brands } from '../../scripts/brands.js';
import { main as followUp } from '../../scripts/follow-up.js';
import { main as ingest } from '../../scripts/ingest.js';
import { main as link } from '../../scripts/link.js';
import { main as reindex } from '../../scripts/reindex.js';
import { main as rules } from '../../scripts/rules.js';
import { main as sync } from '../../scripts/sync.js';
import { main as withdraw } from '../../scripts/withdraw.js';
import type { Main } from '../../scripts/shared/command.js';
import { OAuthGrants } from '../../src/platform/access/oauth-grants.js';
import { previousSecret } from '../../src/platform/access/tokens.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import {
  INDICES,
  type IndexKind,
  kindOfRecord,
  SPACES,
  storedIndex,
  storedIndices,
} from '../../src/platform/stored.js';
import { matchingModels } from '../../src/published/matching-models.js';
import { ADMIN_SECRET, type Api } from './api.js';
import { ends, run } from './command.js';
import { record } from './listings.js';
import { until } from './until.js';

/** The settings of a service that `exerciseEverything` needs. */
export const EXERCISED = { EVENTS: 'on', REVIEWERS: 'on', PARTNERS: 'on' };

interface Issued {
  key_id: string;
  raw_key: string;
}

/** The keys that an exercise leaves: one for each purpose, and one that is revoked. */
export type ExercisedKeys = Record<'writer' | 'reviewer' | 'revoked', Issued>;

/**
 * Uses every part of the service that stores something, so that each index and each space of Redis has content.
 * @param env the variables with which commands reach the engine.
 */
export async function exerciseEverything(
  api: Api,
  redis: Redis,
  env: NodeJS.ProcessEnv,
): Promise<ExercisedKeys> {
  const folder = mkdtempSync(path.join(tmpdir(), 'everything-'));
  const file = (name: string, content: string) => {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const command = (main: Main, ...args: string[]) =>
    ends(run(main, args, { env: { ...env, INDEX_PREFIX: api.prefix, EVENTS: 'on' } }), 0);
  const lines = (records: unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
  const issue = async (more: object): Promise<Issued> => {
    const named = { developer_id: 'dev-9', name: 'exercise', tier: 'premium', admin_secret: ADMIN_SECRET };
    const { body, status, text } = await api.open('/v1/keys', {
      method: 'POST',
      body: JSON.stringify({ ...named, ...more }),
    });
    assert.equal(status, 201, text);
    return body as Issued;
  };
  try {
    const kettles = ['shop_a', 'shop_b', 'shop_c'].flatMap((source) =>
      [1, 2, 3].map((nth) =>
        record({
          sku: `k${nth}`,
          source,
          name: `Ombrello Kettle ${nth}00 steel`,
          brand: 'Ombrello',
          price: `${nth}9.00`,
          is_available: true,
          metadata: { model: `OK${nth}00` },
        }),
      ),
    );
    // Different makers state the same GTIN, which is a question for people.
    const disputed = ['Vortek', 'Brixalo'].map((brand, nth) =>
      record({
        sku: `g${nth}`,
        source: `shop_${nth}`,
        name: `${brand} Blender 55`,
        brand,
        gtin: '4006381333931',
      }),
    );
    await command(ingest, file('kettles.ndjson', lines([...kettles, ...disputed])));
    await command(withdraw, '--source', 'shop_c', '--skus', file('gone.txt', 'k3\n'));
    const writer = await issue({ scopes: ['write:shop_b'] });
    const reviewer = await issue({ scopes: ['review'] });
    const revoked = await issue({});
    const written = await api.open('/v1/listings', {
      method: 'POST',
      body: lines([record({ sku: 'k9', source: 'shop_b', name: 'Ombrello Toaster 900' })]),
      headers: { authorization: `Bearer ${writer.raw_key}`, 'idempotency-key': 'exercise-1' },
    });
    assert.equal(written.status, 200, written.text);
    await command(link);
    const decided = await api.open('/v1/decisions', {
      method: 'POST',
      body: JSON.stringify({ decisions: [{ a: 'shop_a:k1', b: 'shop_b:k2', decision: 'different' }] }),
      headers: { authorization: `Bearer ${reviewer.raw_key}`, 'content-type': 'application/json' },
    });
    assert.equal(decided.status, 200, decided.text);
    await command(alerts);
    const product_id = await api.id('k9');
    const alert = await api.post('/v1/alerts', { product_id, when: { any_price_change: true } });
    assert.equal(alert.status, 201, alert.text);
    await api.load([record({ sku: 'k9', source: 'shop_b', name: 'Ombrello Toaster 900', price: '8.00' })]);
    await command(alerts);
    file('feed.csv', 'sku,name,price,currency\ns1,Kettle stand 1,5.00,SGD\n');
    file('shop_d.yaml', 'folder: .\nfiles: feed.csv\n');
    await command(sync, '--sources', folder, 'shop_d');
    await command(brands, 'add', 'Ombrello Casa');
    await command(
      rules,
      'publish',
      file('rules.yaml', 'rules:\n  - {name: one, query: {exact: [kettle]}, hide: [{brand: Nobody}]}\n'),
    );
    await matchingModels(api.es, api.prefix).store(
      { trees: [] },
      { now: new Date(), counts: {}, figures: {} },
    );
    const { status } = await api.open(`/v1/keys/${revoked.key_id}`, {
      method: 'DELETE',
      headers: { 'x-admin-secret': ADMIN_SECRET },
    });
    assert.oneOf(status, [200, 204]);
    const breaker = new RedisBreaker(redis, { deadlineMs: 5_000 });
    await new OAuthGrants(breaker, api.prefix).register({
      client_name: 'connector',
      redirect_uris: ['http://127.0.0.1/'],
    });
    const secrets = ['a'.repeat(40), 'b'.repeat(40)] as [string, string];
    await previousSecret({
      redis: breaker,
      config: { jwtSecrets: secrets, indexPrefix: api.prefix },
    })?.ageSeconds();
    await api.ok('/v1/search?q=kettle');
    await command(followUp);
    await command(reindex);
    await until(async () => {
      await api.es.indices.refresh({ index: `${api.prefix}-*`, expand_wildcards: 'all' });
      const { count } = await api.es.count({
        index: storedIndex(api.prefix, 'audit'),
        query: { term: { 'event.action': 'key-revoked' } },
      });
      return count === 1 && (await settled(api.es, storedIndex(api.prefix, 'requests')));
    });
    return { writer, reviewer, revoked };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether the queue of events is written: the last request of the exercise is stored. */
async function settled(es: Client, index: string): Promise<boolean> {
  const { count } = await es.count(
    { index, query: { term: { 'catalog.route': '/v1/search' } } },
    { ignore: [404] },
  );
  return count > 0;
}

/** Everything that a backup must contain: the documents of each kind by id, and the records of Redis by name. */
export async function exportEverything(
  es: Client,
  redis: Redis,
  prefix: string,
): Promise<Record<string, unknown>> {
  const exported: Record<string, unknown> = {};
  for (const [kind, { fate }] of storedIndices)
    if (fate === 'backed up') exported[kind] = await documentsOf(es, prefix, kind);
  const names = await namesInRedis(redis, prefix);
  for (const name of names) {
    const kind = kindOfRecord(prefix, name);
    if (kind !== null && SPACES[kind].fate === 'backed up')
      exported[name.slice(prefix.length + 1)] = await valueOf(redis, name);
  }
  return exported;
}

async function documentsOf(es: Client, prefix: string, kind: IndexKind): Promise<unknown[]> {
  const index = storedIndex(prefix, kind);
  await es.indices.refresh({ index }, { ignore: [404] });
  const { hits } = await es.search({ index, ignore_unavailable: true, size: 10_000 });
  return hits.hits
    .map(({ _id, _source }) => ({ _id, _source }))
    .sort((a, b) => ((a._id ?? '') < (b._id ?? '') ? -1 : 1));
}

export async function namesInRedis(redis: Redis, prefix: string): Promise<string[]> {
  const names = await redis.keys(`${prefix}:*`);
  return names.sort();
}

async function valueOf(redis: Redis, name: string): Promise<unknown> {
  const type = await redis.type(name);
  if (type === 'hash') return redis.hgetall(name);
  return type === 'zset' ? redis.zrange(name, '0', '-1', 'WITHSCORES') : redis.get(name);
}

/** The kinds of indices of which a catalogue has none. */
export async function kindsWithout(es: Client, prefix: string): Promise<string[]> {
  const missing: string[] = [];
  for (const kind of Object.keys(INDICES) as IndexKind[])
    if (!(await es.indices.exists({ index: storedIndex(prefix, kind) }))) missing.push(kind);
  return missing;
}
