import { assert } from 'chai';
import { main } from '../../scripts/ingest.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { startApi } from '../support/api.js';
import { run, ends } from '../support/command.js';
import { record } from '../support/listings.js';
import { productPicture } from '../usecases/images/pictures.js';
import { startServer } from '../usecases/images/server.js';

describe('ingest --images', () => {
  it('loads the feed, then hashes its images', async function () {
    const picture = await productPicture(1);
    const server = await startServer((_request, response) => response.end(picture));
    const api = await startApi();
    await ends(
      run(main, ['--images', '-'], {
        env: { INDEX_PREFIX: api.prefix, IMAGE_ALLOWED_HOSTS: server.host },
        stdin: JSON.stringify(record({ sku: 'a', image_url: server.url('/a.png') })),
      }),
      0,
    );
    const id = String(await api.id('a'));
    const { _source } = await api.es.get<StoredListing>({ index: api.products, id });
    assert.match(_source?.internal.image?.hash ?? '', /^[\da-f]{16}$/);
    await Promise.all([api.stop(), server.stop()]);
  });
});
