import { assert } from 'chai';
import { elasticsearchUrl, indexPrefix } from './support/services.js';

describe('services', () => {
  it('runs', async () => {
    const r = await fetch(`${elasticsearchUrl}/${indexPrefix}-x`, { method: 'PUT' });
    assert.equal(r.status, 200);
    if (process.env.SLOW) await new Promise((r) => setTimeout(r, 15000));
  });
});
