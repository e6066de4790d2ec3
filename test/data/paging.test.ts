import { createReadStream } from 'node:fs';
import { assert } from 'chai';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { useApi } from '../support/api.js';

const LISTINGS = 19_406;

describe('paging through every listing of a large feed', function () {
  this.timeout(300_000);

  const api = useApi();
  before(async () => {
    const records = readFeed(createReadStream('../shared/data/icecat.ndjson.gz'));
    await loadRecords({ es: api.es, indexPrefix: api.prefix, records });
  });

  for (const query of ['', 'q=hp+laptop+toner', 'min_price=0.01']) {
    it(`${query || 'all'}: pages of 100 show each id once, and the total is exact`, async () => {
      const seen = new Set<number>();
      let total = 0;
      let shown = 0;
      let more = true;
      for (let offset = 0; more; offset += 100) {
        const body = await api.ok(`/v1/search?limit=100&offset=${offset}&${query}`);
        for (const { id } of body.items) seen.add(id);
        shown += body.items.length;
        total = body.total;
        more = body.has_more;
      }
      assert.equal(shown, total);
      assert.equal(seen.size, total);
      if (query === '') assert.equal(total, LISTINGS);
    });
  }
});
