import { assert } from 'chai';
import { Backoff } from '../../src/engine/backoff.js';
import { sendUpdates } from '../../src/engine/listing-store.js';
import { useApi } from '../support/api.js';
import { offer } from '../support/listings.js';

describe('updates that every run computes anew', () => {
  const api = useApi([offer('kettle', 'Steel kettle', '20.00'), offer('lamp', 'Desk lamp', '30.00')]);

  it('are left to the next run if their script did nothing or the listing is gone', async () => {
    const update = (id: number, source: string) =>
      `${JSON.stringify({ update: { _id: String(id) } })}\n${JSON.stringify({ script: { source } })}`;
    const updates = [
      update(await api.id('kettle'), `ctx._source.internal.maker = 'Ombrello'`),
      update(await api.id('lamp'), `ctx.op = 'none'`),
      update(1, `ctx._source.internal.maker = 'Ombrello'`),
    ];
    const counts = await sendUpdates(api.es, api.products, updates, new Backoff({}));
    assert.deepEqual(counts, { changed: 1, left: 2 });
  });
});
