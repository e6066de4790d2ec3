// Runs first: it takes longer than most if it is drawn.
// Chaos only (oracles, sampled): it decodes pictures in processes of their own.
import { assert } from 'chai';
import type { estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../../../src/listing/listing.js';
import { createImageFetcher, type ImageFetcher } from '../../../src/usecases/images/fetch.js';
import { hashListings, type HashRun } from '../../../src/usecases/images/hash-listings.js';
import { startApi, type Api } from '../../support/api.js';
import { keepSome } from '../../support/chaos.js';
import { record } from '../../support/listings.js';
import { endlessText, nestedMasks, productPicture } from './pictures.js';
import { startServer, type TestServer } from './server.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;

describe('npm run images', function () {
  let api: Api;
  let server: TestServer;
  let fetcher: ImageFetcher;
  /** Each test has a source of its own. */
  let source: string;
  let tests = 0;
  before(async () => {
    const [red, blue] = await Promise.all([productPicture(1), productPicture(2)]);
    server = await startServer((request, response) => {
      const path = request.url ?? '';
      if (path.startsWith('/broken')) response.writeHead(503).end();
      else if (path.startsWith('/masks')) response.end(nestedMasks());
      else if (path.startsWith('/text')) response.end(endlessText());
      else if (path.startsWith('/page')) response.end('<p>Sorry</p>');
      else if (path.startsWith('/gone')) response.writeHead(404).end();
      else setTimeout(() => response.end(path.startsWith('/blue') ? blue : red), 5);
    });
    fetcher = createImageFetcher({ allowedHosts: [server.host] });
    api = await startApi();
  });
  beforeEach(() => {
    source = `shop_${(tests += 1)}`;
    server.requests.length = 0;
  });
  after(async () => {
    await Promise.all([api.stop(), fetcher.close(), server.stop()]);
  });

  const run = async ({ decoding, ...options }: Partial<HashRun> = {}) => {
    const { es, products: index } = api;
    const summary = await hashListings({
      es,
      index,
      fetcher,
      pictures: null,
      source,
      concurrency: 8,
      now: () => NOW,
      // One process per run is enough, because starting a process costs more than decoding these images.
      decoding: { processes: 1, ...decoding },
      ...options,
    });
    await es.indices.refresh({ index });
    return summary;
  };
  const listing = (sku: string, path: string | null, fields: object = {}) =>
    record({ sku, source, image_url: path === null ? null : server.url(path), ...fields });
  const stored = async (): Promise<Record<string, StoredListing>> => {
    const { hits } = await api.es.search<StoredListing>({
      index: api.products,
      query: { term: { source } },
      size: 1000,
    });
    return Object.fromEntries(hits.hits.map(({ _source }) => [_source?.sku ?? '', _source as StoredListing]));
  };
  const withoutImage = (listing: StoredListing | undefined) => ({
    ...listing,
    internal: { ...listing?.internal, image: undefined },
  });

  it('stores a hash or a failure reason, and changes nothing else', async () => {
    await api.load([
      listing('red', '/red.png'),
      listing('blue', '/blue.png'),
      listing('none', null),
      listing('page', '/page.png'),
      listing('gone', '/gone.png'),
      record({ sku: 'metadata', source, image_url: 'http://169.254.169.254/latest/meta-data/' }),
    ]);
    const before = await stored();
    assert.deepEqual(await run(), {
      passed: 6,
      hashed: 2,
      failed: { 'not an image': 1, 'HTTP 404': 1, 'address not allowed': 1 },
      left: 0,
    });
    const after = await stored();
    assert.match(after['red']?.internal.image?.hash ?? '', /^[\da-f]{16}$/);
    assert.notEqual(after['red']?.internal.image?.hash, after['blue']?.internal.image?.hash);
    assert.deepEqual(after['page']?.internal.image, {
      url: server.url('/page.png'),
      seen_at: NOW.toISOString(),
      hash: null,
      failure: 'not an image',
    });
    assert.notExists(after['none']?.internal.image);
    for (const sku of Object.keys(before)) {
      assert.deepEqual(withoutImage(after[sku]), withoutImage(before[sku]));
    }
  });

  it('waits while the index is blocked for writes, and stores every hash', async () => {
    await api.load([listing('red', '/red.png'), listing('blue', '/blue.png')]);
    const index = api.products;
    await api.es.indices.putSettings({ index, settings: { 'index.blocks.write': true } });
    const notes: string[] = [];
    const onWait = (note: string) => {
      if (notes.push(note) === 2) {
        void api.es.indices.putSettings({ index, settings: { 'index.blocks.write': false } });
      }
    };
    assert.deepInclude(await run({ onWait }), { hashed: 2, left: 0 });
    assert.match(notes.join(), /cluster_block_exception/);
    for (const { internal } of Object.values(await stored())) assert.isNotNull(internal.image?.hash);
  });

  it('processes only changed images, and images that failed some days ago', async () => {
    await api.load([listing('red', '/red.png'), listing('gone', '/gone.png'), listing('same', '/red2.png')]);
    await run();
    server.requests.length = 0;
    assert.deepInclude(await run(), { passed: 3, hashed: 0, failed: {} });
    assert.deepEqual(server.requests, []);

    await api.load([listing('red', '/blue.png')]);
    assert.deepInclude(await run(), { hashed: 1 });
    assert.deepEqual(server.requests, ['/blue.png']);

    const now = () => new Date(NOW.getTime() + 4 * DAY_MS);
    assert.deepInclude(await run({ now }), { hashed: 0, failed: { 'HTTP 404': 1 } });
    assert.deepEqual(server.requests, ['/blue.png', '/gone.png']);
    assert.deepInclude(await run({ now, again: true }), { hashed: 2, failed: { 'HTTP 404': 1 } });
  });

  it('keeps the hash when the listing is loaded again', async () => {
    await api.load([listing('red', '/red.png')]);
    await run();
    await api.load([listing('red', '/red.png', { price: '99.00' })]);
    assert.match((await stored())['red']?.internal.image?.hash ?? '', /^[\da-f]{16}$/);
  });

  it('downloads a shared image once, and at most four images of a host concurrently', async () => {
    const shared = Array.from({ length: 20 }, (_listing, i) => listing(`shared-${i}`, '/red.png'));
    const own = Array.from({ length: 30 }, (_listing, i) => listing(`own-${i}`, `/blue-${i}.png`));
    await api.load([...shared, ...own]);
    assert.deepInclude(await run({ concurrency: 16 }), { hashed: 50 });
    assert.lengthOf(server.requests, 31);
    assert.isAtMost(server.peak(), 4);
    assert.isAbove(server.peak(), 1);
  });

  it('skips a host that does not respond, and tries it again in the next run', async () => {
    await api.load(Array.from({ length: 40 }, (_listing, i) => listing(`broken-${i}`, `/broken-${i}.png`)));
    const { failed, left } = await run();
    const asked = failed['HTTP 503'] ?? 0;
    assert.isAtMost(asked, 9);
    assert.equal(asked + left, 40);
    const second = await run();
    assert.isAtLeast(second.failed['HTTP 503'] ?? 0, 5);
  });

  it('processes several batches, one source only, and up to a limit', async () => {
    const other = `${source}_other`;
    const many = Array.from({ length: 450 }, (_listing, i) => listing(`many-${i}`, '/red.png'));
    await api.load([...many, listing('other', '/red.png', { source: other })]);
    assert.deepInclude(await run({ limit: 250 }), { passed: 400, hashed: 250 });
    assert.deepInclude(await run(), { passed: 450, hashed: 200 });
    assert.deepInclude(await run({ source: other }), { passed: 1, hashed: 1 });
    const all = await run({ source: undefined });
    assert.isAtLeast(all.passed, 451);
  });

  it('keeps results when it is stopped, and the next run does the rest', async () => {
    await api.load(Array.from({ length: 60 }, (_listing, i) => listing(`l-${i}`, `/red-${i}.png`)));
    const stop = new AbortController();
    const impatient: ImageFetcher = {
      ...fetcher,
      async fetch(url) {
        if (server.requests.length >= 10) stop.abort();
        return fetcher.fetch(url);
      },
    };
    const { hashed, left } = await run({ fetcher: impatient, signal: stop.signal });
    // The command does not wait for the images that were being fetched when it was stopped.
    assert.isAtLeast(hashed, 6);
    assert.isAtMost(hashed, 20);
    assert.equal(hashed + left, 60);
    assert.deepInclude(await run(), { hashed: 60 - hashed, left: 0 });
  });

  it('preserves the changes of concurrent loads', async () => {
    const skus = Array.from({ length: 40 }, (_sku, i) => `race-${i}`);
    await api.load(skus.map((sku, i) => listing(sku, `/red-${i}.png`)));
    const loads = async () => {
      for (let round = 1; round <= 5; round += 1) {
        await api.load(skus.map((sku, i) => listing(sku, `/red-${i}.png`, { price: `${round}.50` })));
      }
    };
    await Promise.all([run(), loads()]);
    await run();
    for (const { price, internal } of Object.values(await stored())) {
      assert.equal(price, '5.50');
      assert.isString(internal.image?.hash);
    }
  });

  it('writes only fields that the strict mapping defines', async () => {
    const mapping = async () => {
      const answer = await api.es.indices.getMapping({ index: api.products });
      return Object.values(answer)[0]?.mappings as estypes.MappingTypeMapping;
    };
    await api.load([listing('red', '/red.png')]);
    const before = await mapping();
    await run();
    assert.deepEqual(await mapping(), before);
  });

  it('records an image that blocks the decoder or exhausts its memory, and does not try it again', async function () {
    await api.load([listing('masks', '/masks.svg')]);
    // The decoder computes until its time limit, so the limit is short; the limit for the other images is not reached.
    const slow = await run({ decoding: { deadlineMs: 500 } });
    assert.deepEqual(slow, { passed: 1, hashed: 0, failed: { 'too slow to decode': 1 }, left: 0 });
    await api.load([listing('text', '/text.svg'), listing('red', '/red.png')]);
    const failed = { 'too much for the decoder': 1 };
    // The memory must be exhausted before the time, also on a busy machine.
    const decoding = { deadlineMs: 3_600_000, maxKilobytes: 300_000 };
    assert.deepEqual(await run({ decoding }), { passed: 3, hashed: 1, failed, left: 0 });
    const { masks, text } = await stored();
    assert.equal(masks?.internal.image?.failure, 'too slow to decode');
    assert.equal(text?.internal.image?.failure, 'too much for the decoder');
    server.requests.length = 0;
    const now = () => new Date(NOW.getTime() + 40 * DAY_MS);
    assert.deepInclude(await run({ now }), { hashed: 0, failed: {} });
    assert.deepEqual(server.requests, []);
  });

  it('skips a host that sends such images', async function () {
    await api.load(Array.from({ length: 30 }, (_listing, i) => listing(`masks-${i}`, `/masks-${i}.svg`)));
    const { failed, left } = await run({ decoding: { deadlineMs: 200, processes: 4 } });
    assert.isAtMost(failed['too slow to decode'] ?? 0, 9);
    assert.isAtLeast(left, 21);
  });

  keepSome(this, 5);
});
