import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';
import { startApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { productPicture } from '../images/pictures.js';
import { startServer } from '../images/server.js';

describe('ingest --images', () => {
  it('loads the feed, then looks at its images', async function () {
    this.timeout(60_000);
    const picture = await productPicture(1);
    const server = await startServer((_request, response) => response.end(picture));
    const api = await startApi();
    const script = fileURLToPath(new URL('../../scripts/ingest.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, '--images', '-'], {
      env: { ...process.env, INDEX_PREFIX: api.prefix, IMAGE_ALLOWED_HOSTS: server.host },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.stdin?.end(JSON.stringify(record({ sku: 'a', image_url: server.url('/a.png') })));
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 0);
    const id = String(await api.id('a'));
    const { _source } = await api.es.get<StoredListing>({ index: api.products, id });
    assert.match(_source?.internal.image?.hash ?? '', /^[\da-f]{16}$/);
    await Promise.all([api.stop(), server.stop()]);
  });
});
