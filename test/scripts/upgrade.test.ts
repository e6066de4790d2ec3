// Chaos only (commands, sampled): it upgrades catalogues of earlier schemas.
import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { main as reindex } from '../../scripts/reindex.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { useApi } from '../support/api.js';
import { run } from '../support/command.js';
import { found } from '../support/doctor.js';
import { createReleased, releasedAnswers, releasedListings } from '../support/released.js';
import { elasticsearchUrl } from '../support/services.js';
import { until } from '../support/until.js';

/**
 * Returns whether a value contains all of an earlier one. @param ordered whether the order of lists counts.
 */
function holds(now: unknown, then: unknown, ordered: boolean): boolean {
  if (Array.isArray(then)) {
    if (!Array.isArray(now) || now.length !== then.length) return false;
    return then.every((item, i) => (ordered ? [now[i]] : now).some((other) => holds(other, item, ordered)));
  }
  if (typeof then !== 'object' || then === null) return now === then;
  if (typeof now !== 'object' || now === null) return false;
  return Object.entries(then).every(([name, value]) =>
    holds((now as Record<string, unknown>)[name], value, ordered),
  );
}

describe('an update from release 1.0', function () {
  const [first] = releasedListings;

  const api = useApi([], { METRICS_PORT: '0' });
  let v1: string;

  const command = (main: Parameters<typeof run>[0], ...args: string[]) =>
    run(main, args, { env: { INDEX_PREFIX: api.prefix } });
  const live = async () => Object.keys(await api.es.indices.getAlias({ name: api.products }));

  before(async () => {
    v1 = `${api.products}-v1`;
    await api.es.indices.delete({ index: v1 });
    await createReleased(api.es, api.products);
  });

  /** Compares the responses with the recorded ones. Search results may have another order. */
  async function answersAsThen(): Promise<void> {
    for (const { path: asked, status, body } of releasedAnswers) {
      const reply = await api.get(asked);
      assert.strictEqual(reply.status, status, asked);
      const ordered = !asked.startsWith('/v1/search');
      assert.isTrue(holds(reply.body, body, ordered), `${asked}: ${reply.text}\nwas ${JSON.stringify(body)}`);
    }
  }

  it('starts with its index, which is served unchanged', async () => {
    await answersAsThen();
    const { status, body } = await api.get(`/v1/products/${first?.id}/offers`);
    assert.strictEqual(status, 503);
    assert.match(body.detail, /npm run reindex/);
    const index = await found('index', { INDEX_PREFIX: api.prefix, ELASTICSEARCH_URL: elasticsearchUrl });
    assert.match(index.text, new RegExp(`${v1} [^]*^schema \\d of \\d+$`, 'm'));
    assert.deepInclude(index, { state: 'WARN', next: 'npm run reindex' });
    const metrics = await (await fetch(`${api.metricsUrl}/metrics`)).text();
    assert.match(metrics, /^catalog_reindex_needed_total [1-9]/m);
  });

  it('continues with a copy that has the new fields and all old ones', async () => {
    const done = await command(reindex);
    assert.strictEqual(done.code, 0, done.err);
    assert.deepEqual(await live(), [`${api.products}-v2`]);
    await until(async () => (await api.get(`/v1/products/${first?.id}/offers`)).status === 200);
    await answersAsThen();
    const linked = await command(link);
    assert.strictEqual(linked.code, 0, linked.err);
    const offers = await Promise.all(
      releasedListings.map(
        async ({ id }) => (await api.get(`/v1/products/${id}/offers`)).body.total as number,
      ),
    );
    assert.isAbove(Math.max(...offers), 1, 'one product in several shops');
  });

  it('can be rolled back to its index with the loads since, and without unknown fields', async () => {
    const { source, sku, name, currency } = first as StoredListing;
    await api.load([{ source, sku, name, currency, price: '12.30', last_checked: '2026-10-02T00:00:00Z' }]);
    const back = await command(reindex, '--rollback');
    assert.strictEqual(back.code, 0, back.err);
    assert.deepEqual(await live(), [v1]);
    const { hits } = await api.es.search<StoredListing>({ index: v1, size: 100, sort: 'id' });
    const stored = new Map(hits.hits.map(({ _id, _source }) => [_id, _source]));
    assert.strictEqual(stored.size, releasedListings.length);
    for (const listing of releasedListings.slice(1))
      assert.deepEqual(stored.get(String(listing.id)), listing);
    const changed = stored.get(String(first?.id));
    assert.strictEqual(changed?.price, '12.30');
    assert.hasAllKeys(changed?.internal ?? {}, Object.keys(first?.internal ?? {}));
    await until(async () => (await api.get(`/v1/products/${first?.id}/offers`)).status === 503);
    assert.strictEqual((await api.get(`/v1/products/${first?.id}`)).body.price, '12.30');
  });
});
