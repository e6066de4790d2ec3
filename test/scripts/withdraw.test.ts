import { assert } from 'chai';
import { main as ingestMain } from '../../scripts/ingest.js';
import { main as linkMain } from '../../scripts/link.js';
import { main as withdrawMain } from '../../scripts/withdraw.js';
import { Lease } from '../../src/engine/lease.js';
import { storedIndex, storedIndices } from '../../src/platform/stored.js';
import { REINDEX } from '../../src/engine/alias-move.js';
import { ends, LOAD_ONLY, run, startCommand } from '../support/command.js';
import { record } from '../support/listings.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';

describe('npm run withdraw', () => {
  const catalogue = testCatalogue('withdraw');
  const { env, es, file, prefix } = catalogue;
  after(() => catalogue.remove());
  beforeEach(async () => {
    await catalogue.empty();
    const records = ['north', 'south', 'east'].flatMap((source) =>
      Array.from({ length: 5 }, (_, i) => record({ sku: `k${i}`, source, name: `Kettle ${i}` })),
    );
    await ends(run(ingestMain, [file('feed.ndjson', ndjson(records)), ...LOAD_ONLY], { env }), 0);
  });
  const withdraw = (...args: string[]) => run(withdrawMain, args, { env });
  const holdLease = (task?: string) => Lease.acquire(es, prefix, REINDEX, () => undefined, task);

  it('waits for other withdrawals', async () => {
    // These are processes of their own, because the holder of a lease is a process.
    const outcomes = await Promise.all(
      ['north', 'south', 'east'].map(
        (source) => startCommand('scripts/withdraw.ts', ['--source', source], env).ended,
      ),
    );
    assert.deepEqual(
      outcomes.map(({ code, out, err }) => ({ code, out, ...(code === 0 ? {} : { err }) })),
      ['north', 'south', 'east'].map((source) => ({ code: 0, out: `5 listings of ${source} withdrawn\n` })),
    );
    assert.strictEqual((await catalogue.stored()).size, 0);

    const lease = await holdLease('withdraw');
    let said = '';
    const onError = (text: string) => {
      said += text;
      if (said.includes('This one begins when it has ended.\n')) void lease.release();
    };
    await ends(run(withdrawMain, ['--source', 'north'], { env, onError }), 0, {
      out: /^0 listings of north withdrawn\n$/,
    });
    assert.match(
      said,
      /^Another withdraw is at work \(process \d+\)\. This one begins when it has ended\.$/m,
    );
  });

  it('deletes what is stored about the listings, and nothing about others', async () => {
    await ends(run(linkMain, [], { env }), 0);
    const { listing } = [...(await catalogue.stored()).values()].find(
      ({ listing: { source, sku } }) => source === 'north' && sku === 'k1',
    ) ?? { listing: { id: 0 } };
    const question = { pair_id: 'one', a: 1, b: listing.id };
    for (const [id, document] of [
      ['one', question],
      ['two', { ...question, b: 2 }],
    ] as const)
      await es.index({ index: storedIndex(prefix, 'review'), id, document, refresh: true });
    const left = async () => {
      await es.indices.refresh({ index: `${prefix}-*`, expand_wildcards: 'all' });
      const counts = storedIndices.flatMap(([kind, { listingIds = [] }]) =>
        listingIds.map(async (field) => {
          const index = storedIndex(prefix, kind);
          const [all, own] = await Promise.all([
            es.count({ index }),
            es.count({ index, query: { term: { [field]: listing.id } } }),
          ]);
          return { kind, all: all.count, own: own.count };
        }),
      );
      return Promise.all(counts);
    };
    const before = await left();
    assert.deepEqual(
      before.filter(({ own }) => own > 0).map(({ kind }) => kind),
      ['review', 'links'],
    );
    await ends(withdraw('--source', 'north', '--skus', file('skus.txt', 'k1\n')), 0);
    const after = before.map(({ kind, all }) => ({ kind, all: all - 1, own: 0 }));
    assert.deepEqual(await left(), after);
  });

  it('ends with exit code 130 if it is interrupted while it waits', async () => {
    const lease = await holdLease('withdraw');
    const abort = new AbortController();
    const outcome = await run(withdrawMain, ['--source', 'north'], {
      env,
      onError: () => abort.abort(),
      signal: abort.signal,
    });
    await lease.release();
    assert.strictEqual(outcome.code, 130);
    assert.strictEqual((await catalogue.stored()).size, 15);
  });

  it('is stopped by a reindex or a restore, with its name', async () => {
    for (const [task, message] of [
      [undefined, /^A reindex is at work \(process \d+ on .*\); wait for its end, or stop it\.$/m],
      ['restore', /^A restore is at work/m],
    ] as const) {
      const lease = await holdLease(task);
      await ends(withdraw('--source', 'north'), 3, { out: /^$/, err: message });
      await lease.release();
    }
  });

  it('rejects a source that never had a listing', async () => {
    for (const args of [
      ['--source', 'nort'],
      ['--source', 'North', '--dry-run'],
      ['--source', 'west', '--skus', file('skus.txt', 'k1\n')],
    ])
      await ends(withdraw(...args), 1, {
        out: /^$/,
        err: new RegExp(
          `^No listing has ever had the source "${args[1]}"; nothing was withdrawn\\. The sources are (?:(?:north|south|east)(?:, |\\.$)){3}`,
          'm',
        ),
      });
    await ends(withdraw('--source', 'north', '--skus', file('skus.txt', 'k1\nk9\n')), 0, {
      out: /^1 listing of north withdrawn; 1 SKU has no listing\n$/,
    });
    await ends(withdraw('--source', 'north', '--skus', file('skus.txt', 'k8\nk9\n')), 0, {
      out: /^0 listings of north withdrawn; 2 SKUs have no listing\n$/,
    });
    // A withdrawal that was already complete may be repeated.
    for (const out of [/^4 listings of north withdrawn\n$/, /^0 listings of north withdrawn\n$/])
      await ends(withdraw('--source', 'north'), 0, { out });
  });
});
