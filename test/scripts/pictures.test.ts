// Not a unit test: it decodes pictures in processes of their own.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import sharp from 'sharp';
import { main } from '../../scripts/images.js';
import { main as withdraw } from '../../scripts/withdraw.js';
import { startApi, type Api } from '../support/api.js';
import { ends, run } from '../support/command.js';
import { record } from '../support/listings.js';
import { productPicture, svg } from '../usecases/images/pictures.js';
import { startServer, type TestServer } from '../usecases/images/server.js';

/** An image of random pixels, whose picture has about 100 kB. */
const noise = (seed: number) =>
  sharp(
    Buffer.from(
      Array.from(
        { length: 400 * 400 * 3 },
        (_, i) => Math.imul((i + 1) * 2_654_435_761, seed * 40_503 + 1) >>> 24,
      ),
    ),
    { raw: { width: 400, height: 400, channels: 3 } },
  )
    .png()
    .toBuffer();

describe('stored pictures', function () {
  let folder: string;
  let api: Api;
  let server: TestServer;
  /** The images of the shop, by path. */
  const images = new Map<string, Buffer>();
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
    server = await startServer(({ url = '' }, response) => {
      const image = images.get(url);
      if (image === undefined) response.writeHead(404).end();
      else response.end(image);
    });
    api = await startApi({ PICTURES_FOLDER: folder });
    images.set('/kettle.png', await productPicture(1));
    images.set(
      '/wide.png',
      await sharp(await productPicture(2))
        .resize(1600, 800, { fit: 'fill' })
        .png()
        .toBuffer(),
    );
    images.set('/lamp.png', await productPicture(3));
    images.set('/page.png', Buffer.from('<!doctype html><script>alert(1)</script>'));
    images.set(
      '/script.svg',
      svg(
        '<script>alert(1)</script><image href="file:///etc/passwd" width="9" height="9"/>' +
          `<image href="${server.url('/inner.png')}" width="500" height="90"/><circle cx="200" cy="200" r="150"/>`,
      ),
    );
  });
  after(async () => {
    await Promise.all([api.stop(), server.stop()]);
    rmSync(folder, { recursive: true });
  });

  const listing = (sku: string, image: string | null, source = 'shop') =>
    record({ sku, source, image_url: image === null ? null : server.url(image) });
  const env = (more: NodeJS.ProcessEnv = {}) => ({
    INDEX_PREFIX: api.prefix,
    IMAGE_ALLOWED_HOSTS: server.host,
    PICTURES_FOLDER: folder,
    ...more,
  });
  const fetchImages = async (args: string[] = [], more: NodeJS.ProcessEnv = {}) => {
    await ends(run(main, args, { env: env(more) }), 0);
    await api.es.indices.refresh({ index: api.products });
  };
  const pictureOf = async (sku: string): Promise<string | null> =>
    (await api.ok(`/v1/products/${await api.id(sku)}?include=picture`)).picture;
  const get = (place: string, init?: RequestInit) => fetch(`${api.url}${place}`, init);
  const files = () => readdirSync(folder);

  it('are small WebP images that everybody may keep', async () => {
    await api.load([listing('kettle', '/kettle.png'), listing('wide', '/wide.png'), listing('none', null)]);
    assert.isNull(await pictureOf('kettle'));
    await fetchImages();
    const place = (await pictureOf('wide')) ?? '';
    assert.match(place, /^\/pictures\/[0-9a-f]{64}\.webp$/);
    const response = await get(place);
    assert.equal(response.status, 200);
    const expected = {
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(response.headers.get(name), value);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(place, `/pictures/${createHash('sha256').update(bytes).digest('hex')}.webp`);
    const { format, width, height, exif, icc } = await sharp(bytes).metadata();
    assert.deepEqual(
      { format, width, height, exif, icc },
      { format: 'webp', width: 400, height: 200, exif: undefined, icc: undefined },
    );
    assert.isNull(await pictureOf('none'));
  });

  it('are in every list, beside the image of the shop', async () => {
    const picture = await pictureOf('kettle');
    const { items } = await api.ok('/v1/search?q=&include=picture');
    const [first] = items.filter(({ sku }: { sku: string }) => sku === 'kettle');
    assert.deepInclude(first, { picture, image_url: server.url('/kettle.png') });
    const id = await api.id('kettle');
    const lists: [path: string, itemOf: (body: any) => unknown][] = [
      [`/v1/products/${id}/offers`, ({ offers }) => offers[0]],
      ['/v1/products/best-price?q=listing+kettle', (body) => body],
      [`/v1/products/${id}/price-history`, (body) => body],
      ['/v1/products/trending', ({ items: all }) => all.find(({ sku }: { sku: string }) => sku === 'kettle')],
    ];
    for (const [path, itemOf] of lists) {
      const included = await api.ok(`${path}${path.includes('?') ? '&' : '?'}include=picture`);
      assert.propertyVal(itemOf(included), 'picture', picture, path);
      assert.notProperty(itemOf(await api.ok(path)), 'picture', path);
    }
  });

  it('are found by no other name', async () => {
    const outside = path.join(folder, '..', `${path.basename(folder)}.webp`);
    writeFileSync(outside, 'secret');
    writeFileSync(path.join(folder, 'notes.webp'), 'secret');
    const name = path.basename((await pictureOf('kettle')) ?? '');
    for (const wrong of [
      'notes.webp',
      `..%2f${path.basename(outside)}`,
      `%2e%2e/${path.basename(outside)}`,
      '%00.webp',
      '%',
      name.toUpperCase(),
      `${name}%00`,
      `${name}.partial`,
      `./${name.slice(0, -5)}`,
      `${'0'.repeat(64)}.webp`,
      '',
    ]) {
      const response = await get(`/pictures/${wrong}`);
      assert.equal(response.status, 404, wrong);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.notInclude(await response.text(), 'secret');
    }
    const refused = await get(`/pictures/${name}`, { method: 'DELETE' });
    assert.equal(refused.status, 405);
    assert.equal(refused.headers.get('allow'), 'GET, HEAD');
    const { status, headers } = await get(`/pictures/${name}`, { method: 'HEAD' });
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/webp']);
    rmSync(outside);
  });

  it('have nothing of a hostile SVG but its pixels', async () => {
    await api.load([listing('script', '/script.svg'), listing('page', '/page.png')]);
    const before = files().length;
    await fetchImages();
    assert.isNull(await pictureOf('page'));
    const place = (await pictureOf('script')) ?? '';
    const bytes = Buffer.from(await (await get(place)).arrayBuffer());
    assert.equal((await sharp(bytes).metadata()).format, 'webp');
    assert.notInclude(bytes.toString('latin1'), 'script');
    assert.notInclude(server.requests, '/inner.png');
    assert.lengthOf(files(), before + 1);
  });

  it('are null as soon as the listing has another image', async () => {
    await api.load([listing('wide', '/lamp.png')]);
    assert.isNull(await pictureOf('wide'));
    await fetchImages();
    assert.isNotNull(await pictureOf('wide'));
  });

  it('are deleted with their last listing', async () => {
    images.set('/copy.png', images.get('/kettle.png') ?? Buffer.of());
    await api.load([listing('copy', '/copy.png', 'other')]);
    await fetchImages();
    const place = (await pictureOf('kettle')) ?? '';
    assert.equal(await pictureOf('copy'), place);
    await ends(run(withdraw, ['--source', 'other'], { env: env() }), 0);
    assert.equal((await get(place)).status, 200);
    await api.load([listing('copy', '/copy.png', 'other')]);
    const skus = path.join(folder, 'skus.txt');
    writeFileSync(skus, 'kettle\n');
    await ends(run(withdraw, ['--source', 'shop', '--skus', skus], { env: env() }), 0);
    assert.equal((await get(place)).status, 404);
    assert.notInclude(files(), path.basename(place));
  });

  it('are deleted by a later run if no listing has them', async () => {
    const [old, young] = ['a', 'b'].map((digit) => path.join(folder, `${digit.repeat(64)}.webp`));
    for (const file of [old, young]) writeFileSync(file ?? '', 'picture');
    symlinkSync('/etc/passwd', path.join(folder, `${'d'.repeat(64)}.webp`));
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    utimesSync(old ?? '', longAgo, longAgo);
    await fetchImages();
    assert.notInclude(files(), path.basename(old ?? ''));
    // Another process may be about to store its name in a listing.
    assert.include(files(), path.basename(young ?? ''));
    assert.include(files(), 'notes.webp');
  });

  it('take no more space than the operator allows, and the newest stay', async () => {
    const skus = Array.from({ length: 16 }, (_, i) => `n${i}`);
    for (const [i, sku] of skus.entries()) images.set(`/${sku}.png`, await noise(i + 1));
    const size = { PICTURES_MAX_SIZE: '1mb' };
    for (const some of [skus.slice(0, 8), skus.slice(8)]) {
      await api.load(some.map((sku) => listing(sku, `/${sku}.png`, 'noise')));
      await fetchImages([], size);
    }
    const stored = files().filter((file) => file.endsWith('.webp') && !file.startsWith('d'.repeat(64)));
    const bytes = stored.reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
    assert.isAtMost(bytes, 2 ** 20);
    const pictures = await Promise.all(skus.map(pictureOf));
    assert.include(pictures.slice(0, 8), null);
    assert.notInclude(pictures.slice(8), null);
    for (const place of pictures) if (place !== null) assert.equal((await get(place)).status, 200);
    // What was deleted for lack of space is not fetched again while there is none.
    server.requests.length = 0;
    await fetchImages(['--source', 'noise'], size);
    assert.isEmpty(server.requests);
    await fetchImages(['--source', 'noise']);
    assert.notInclude(await Promise.all(skus.map(pictureOf)), null);
  });

  it('are not displaced by those of a shop with more of them', async () => {
    await api.load([listing('small', '/kettle.png', 'small')]);
    await fetchImages();
    const place = await pictureOf('small');
    assert.isNotNull(place);
    for (let i = 0; i < 20; i += 1) images.set(`/many${i}.png`, await noise(100 + i));
    await api.load(Array.from({ length: 20 }, (_, i) => listing(`many${i}`, `/many${i}.png`, 'many')));
    await fetchImages([], { PICTURES_MAX_SIZE: '1mb' });
    assert.equal(await pictureOf('small'), place);
    await fetchImages();
  });

  it('are neither stored nor served without a folder', async () => {
    const off = await startApi({ INDEX_PREFIX: api.prefix });
    const headers = { authorization: `Bearer ${await api.key()}` };
    try {
      const place = (await pictureOf('n15')) ?? '';
      const id = await api.id('n15');
      assert.isNull((await off.open(`/v1/products/${id}?include=picture`, { headers })).body.picture);
      assert.equal((await off.open(place)).status, 404);
    } finally {
      await off.stop();
    }
  });

  it('need a folder that can be written', async () => {
    const { code, err } = await run(main, [], {
      env: env({ PICTURES_FOLDER: path.join(folder, 'notes.webp') }),
    });
    assert.equal(code, 1);
    assert.match(err, /PICTURES_FOLDER .*notes\.webp cannot be used/);
  });
});
