// Chaos only (engines, 2 min): it starts an engine of its own.
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main as engineUsers } from '../../scripts/engine-users.js';
import { main as reindex } from '../../scripts/reindex.js';
import { main as restore } from '../../scripts/restore.js';
import type { Main } from '../../scripts/shared/command.js';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { productsAlias } from '../../src/engine/indices.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { type LocalEngine, startLocalElasticsearch } from '../../tools/local-services/index.js';
import { run } from '../support/command.js';
import { fill } from '../support/reindexing.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
const USERS = {
  API: { username: 'shop-api', password: 'the-password-of-the-api' },
  DATA: { username: 'shop-data', password: 'the-password-of-the-data-team' },
  RESTORE: { username: 'shop-restore', password: 'the-password-of-restores' },
};
const PREFIX = 'shop';
const LISTINGS = 2_000;

/**
 * These tests were seen to fail when the command waited for any status other than red, because a damaged
 * snapshot then counted as restored.
 */
describe('a restore from a snapshot', function () {
  this.timeout(300_000);
  const folder = temporaryFolder('snapshots');
  const alias = productsAlias(PREFIX);
  let engine: LocalEngine;
  let es: Client;
  const as = (main: Main, auth: typeof OPERATOR, ...args: string[]) =>
    run(main, args, {
      env: {
        ELASTICSEARCH_URL: engine.url,
        ELASTICSEARCH_USERNAME: auth.username,
        ELASTICSEARCH_PASSWORD: auth.password,
        INDEX_PREFIX: PREFIX,
        ...Object.fromEntries(
          Object.entries(USERS).flatMap(([name, { username, password }]) => [
            [`${name}_USERNAME`, username],
            [`${name}_PASSWORD`, password],
          ]),
        ),
      },
    });
  const leadsTo = async () => Object.keys(await es.indices.getAlias({ name: alias }));
  const indices = async () =>
    Object.keys(await es.indices.get({ index: `${PREFIX}-*`, filter_path: '*.aliases' })).sort();
  const snapshot = (name: string) =>
    es.snapshot.create({
      repository: 'backups',
      snapshot: name,
      indices: `${PREFIX}-*`,
      include_global_state: false,
      wait_for_completion: true,
    });
  const fails = async (ended: ReturnType<typeof as>, code: number, message: RegExp) => {
    const before = await indices();
    const outcome = await ended;
    assert.equal(outcome.code, code, outcome.err + outcome.out);
    assert.match(outcome.err, message, outcome.out);
    return { ...outcome, before };
  };

  before(async () => {
    mkdirSync(join(folder, 'good'));
    const user = unprivilegedUser();
    if (user) giveTo(user, folder);
    engine = await startLocalElasticsearch({
      log: () => undefined,
      superuser: OPERATOR,
      settings: { 'path.repo': [folder] },
    });
    const deadlines = { requestTimeout: 60_000, maxRetries: 0 };
    es = createElasticsearch({ nodes: [engine.url], auth: OPERATOR, caFile: null }, deadlines);
    const made = await as(engineUsers, OPERATOR);
    assert.equal(made.code, 0, made.err);
    await fill(es, PREFIX, LISTINGS);
    await es.index({ index: `${PREFIX}-links`, id: '1', document: { a: 1 }, refresh: true });
    const settings = { location: join(folder, 'good') };
    await es.snapshot.createRepository({ name: 'backups', repository: { type: 'fs', settings } });
    await snapshot('first');
  });
  after(async () => {
    await es.close();
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('can be rehearsed without a change of the serving indices, and leaves nothing behind', async () => {
    const before = await indices();
    const { code, out, err } = await as(restore, USERS.RESTORE, '--drill');
    assert.equal(code, 0, err);
    assert.match(out, /products: restored: 2,000 documents.*\n(.*\n)*.*links: restored: 1 documents\n/);
    assert.match(out, /verified: 2,000 listings, .*, 500 listings read back, 500 of them compared/);
    assert.match(out, /passed; the indices of the drill were deleted\n$/);
    assert.deepEqual(await indices(), before);
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
  });

  it('refuses what cannot be restored, and names the role that is needed', async () => {
    const before = await indices();
    await fails(as(restore, USERS.RESTORE, '--repository', 'none'), 1, /There is no repository none/);
    await fails(as(restore, USERS.RESTORE, '--snapshot', 'none'), 1, /backups contains no snapshot none/);
    await fails(
      as(restore, USERS.DATA),
      1,
      /cluster:admin\/repository\/get.*is unauthorized[^]*the role shop-restore/,
    );
    await fails(as(reindex, USERS.API, '--rollback'), 1, /is unauthorized[^]*the role shop-data/);
    assert.deepEqual(await indices(), before);
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
  });

  it('counts newer listings, swaps only with --yes, and can be reverted', async () => {
    const { hits } = await es.search<{ id: number }>({ index: alias, size: 3 });
    const [gone, changed] = hits.hits.map(({ _id }) => _id ?? '');
    const document = hits.hits[2]?._source as Record<string, unknown>;
    await es.delete({ index: alias, id: gone ?? '' });
    await es.index({ index: alias, id: changed ?? '', document: hits.hits[1]?._source });
    await es.index({ index: alias, id: '7', document: { ...document, id: 7, sku: 'NEW' }, refresh: true });
    const { err } = await fails(as(restore, USERS.RESTORE), 3, /1 listings that .* does not have, and 1 in/);
    assert.match(err, /npm run restore -- --use shop-products-v2 --yes/);
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
    await es.index({ index: alias, id: '7', document: { ...document, id: 7, sku: 'NEW' } });

    const swapped = await as(restore, USERS.RESTORE, '--use', `${alias}-v2`, '--yes');
    assert.equal(swapped.code, 0, swapped.err);
    assert.match(swapped.out, /shop-products-v2 has 1 that shop-products-v1 does not have/);
    assert.deepEqual(await leadsTo(), [`${alias}-v2`]);
    assert.isTrue((await es.exists({ index: alias, id: gone ?? '' })) as boolean);
    const late = es.index({ index: `${alias}-v1`, id: '8', document });
    assert.equal(await late.catch((error: { statusCode?: number }) => error.statusCode), 403);
    await es.index({ index: alias, id: changed ?? '', document: hits.hits[1]?._source });

    const back = await as(restore, USERS.RESTORE, '--use', `${alias}-v1`, '--yes');
    assert.equal(back.code, 0, back.err);
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
    await es.index({ index: alias, id: '7', document: { ...document, id: 7, sku: 'NEW' } });
    assert.equal((await as(reindex, USERS.DATA, '--clean')).code, 0);
  });

  it('does not swap to an index whose listings cannot be found or are damaged', async () => {
    await es.indices.putSettings({ index: alias, settings: { 'index.blocks.write': null } });
    const { hits } = await es.search<Record<string, unknown>>({ index: alias, size: 1 });
    const [hit] = hits.hits;
    await es.reindex({
      source: { index: alias },
      dest: { index: `${alias}-v9`, version_type: 'external' },
      wait_for_completion: true,
      refresh: true,
    });
    // The mappings of this index are dynamic, so it is not an index of the service.
    await fails(
      as(restore, USERS.RESTORE, '--use', `${alias}-v9`, '--yes'),
      1,
      /There is no index shop-products-v9 beside/,
    );
    await es.indices.delete({ index: `${alias}-v9` });
    const restored = await as(restore, USERS.RESTORE, '--dry-run');
    assert.match(restored.out, /becomes shop-products-v2\n/);
    await es.index({ index: alias, id: hit?._id ?? '', document: { ...hit?._source, name: '' } });
    await es.indices.refresh({ index: alias });
    await snapshot('damaged');
    await es.updateByQuery({
      index: alias,
      refresh: true,
      conflicts: 'proceed',
      script: { source: "ctx._source.remove('sku')" },
    });
    await snapshot('without-skus');
    await fails(
      as(restore, USERS.RESTORE, '--yes'),
      3,
      /failed the verification:\n {2}listing \d+: lacks sku/,
    );
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
  });

  it('restores indices that were deleted', async () => {
    await es.indices.delete({ index: [`${alias}-v1`, `${alias}-v2`, `${PREFIX}-links`] });
    const { code, out, err } = await as(restore, USERS.RESTORE, '--snapshot', 'first');
    assert.equal(code, 0, err);
    assert.match(out, /^links: restored: 1 documents$/m);
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
    assert.equal((await es.count({ index: alias })).count, LISTINGS);
  });

  it('reports a damaged snapshot and keeps the alias', async () => {
    const damage = (at: string) => {
      for (const name of readdirSync(at)) {
        const path = join(at, name);
        if (statSync(path).isDirectory()) damage(path);
        else if (name.startsWith('__') || name.startsWith('snap-')) truncateSync(path, 10);
      }
    };
    damage(join(folder, 'good', 'indices'));
    await fails(
      as(restore, USERS.RESTORE, '--drill', '--snapshot', 'first'),
      1,
      /could not be restored|refused/,
    );
    assert.deepEqual(await leadsTo(), [`${alias}-v1`]);
    assert.notInclude((await indices()).join(), '-restoring-');
  });
});
