import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import type { Backoff } from '../../../src/engine/backoff.js';
import { LinkRecords } from '../../../src/usecases/link/records.js';

describe('the link records of a dry run', () => {
  it('are the new ones in place of the stored ones, however often they are read', async () => {
    const record = { content: '', compared_by: 1, changed_by: 1, near: [], pairs: [] };
    const stored = [1, 2].map((id) => ({ ...record, id }));
    const es = {
      search: ({ search_after: after }: { search_after?: unknown }) =>
        Promise.resolve({
          hits: {
            hits: after === undefined ? stored.map((_source) => ({ _source, sort: [_source.id] })) : [],
          },
        }),
    } as unknown as Client;
    const backoff = { retry: (request: () => unknown) => request(), reset: () => undefined };
    const records = new LinkRecords(es, 'dry', backoff as unknown as Backoff, true);
    await records.save([2, 3].map((id) => ({ ...record, id, compared_by: 2 })));
    const read = async () => {
      const all: [number, number][] = [];
      for await (const page of records.all())
        for (const { id, compared_by } of page) all.push([id, compared_by]);
      return all;
    };
    const expected = [
      [1, 1],
      [2, 2],
      [3, 2],
    ];
    assert.deepEqual(await read(), expected);
    assert.deepEqual(await read(), expected);
  });
});
