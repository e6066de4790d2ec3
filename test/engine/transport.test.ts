import { assert } from 'chai';
import { fromLocalCopies } from '../../src/engine/transport.js';

describe('a read of the copies on the node that receives it', () => {
  const request = (name: string, others: object) => ({
    method: 'POST',
    path: '/',
    meta: { name },
    ...others,
  });

  for (const name of ['get', 'mget', 'search', 'count', 'open_point_in_time'])
    it(`states the preference of the API ${name}`, () => {
      const read = request(name, { querystring: { routing: 'a' } });
      assert.deepEqual(fromLocalCopies(read).querystring, { preference: '_local', routing: 'a' });
      assert.deepEqual(fromLocalCopies(request(name, {})).querystring, { preference: '_local' });
    });

  it('states the preference of each search of a multi-search request', () => {
    const bulkBody = [{ index: 'a' }, { size: 1 }, { index: 'b', preference: '_shards:0' }, { size: 2 }];
    assert.deepEqual(fromLocalCopies(request('msearch', { bulkBody })).bulkBody, [
      { preference: '_local', index: 'a' },
      { size: 1 },
      { preference: '_shards:0', index: 'b' },
      { size: 2 },
    ]);
  });

  it('keeps a preference that the request states', () => {
    const querystring = { preference: '_shards:0' };
    assert.deepEqual(fromLocalCopies(request('search', { querystring })).querystring, querystring);
  });

  it('does not change a search of a point in time, for which Elasticsearch refuses a preference', () => {
    const search = request('search', { body: { pit: { id: 'a' } } });
    assert.strictEqual(fromLocalCopies(search), search);
  });

  it('does not change a write or a request that has no copies', () => {
    for (const name of ['bulk', 'index', 'indices.get_mapping', 'update_by_query']) {
      const other = request(name, { bulkBody: [{ index: {} }, {}] });
      assert.strictEqual(fromLocalCopies(other), other);
    }
  });
});
