// Not a unit test: decodes pictures in processes of their own.
// Chaos too (oracles): npm test changes 6 of 20 pictures.
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync, crc32, gzipSync } from 'node:zlib';
import { assert } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { deadlineOf } from '../../../src/usecases/images/decoder.js';
import { ImageFailure } from '../../../src/usecases/images/failure.js';
import { perceptualHash } from '../../../src/usecases/images/hash.js';
import { hashSimilarity } from '../../../src/usecases/compare/image-similarity.js';
import { productPicture, svg } from './pictures.js';
import { sampled } from '../../support/chaos.js';
import { listening } from '../../support/server.js';

const PICTURES = 20;

describe('perceptual hash', () => {
  let pictures: Buffer[];
  let hashes: string[];
  before(async () => {
    pictures = await Promise.all(Array.from({ length: PICTURES }, (_picture, seed) => productPicture(seed)));
    hashes = await Promise.all(pictures.map(perceptualHash));
  });

  const versions: Record<string, (picture: Sharp) => Sharp> = {
    'a JPEG of quality 50': (picture) => picture.jpeg({ quality: 50 }),
    'a JPEG of quality 20': (picture) => picture.jpeg({ quality: 20 }),
    'a WebP': (picture) => picture.webp({ quality: 60 }),
    'an AVIF': (picture) => picture.avif({ quality: 50, effort: 0 }),
    'a GIF': (picture) => picture.gif(),
    'a third of the size': (picture) => picture.resize(166).jpeg({ quality: 75 }),
    'twice the size': (picture) => picture.resize(1000).jpeg(),
    'another shape': (picture) => picture.resize(300, 500, { fit: 'fill' }).png(),
    'brighter colours': (picture) => picture.modulate({ brightness: 1.1, saturation: 1.3 }).jpeg(),
  };
  for (const [name, change] of Object.entries(versions)) {
    it(`finds ${name} to be the same picture: 0.9 or more`, async () => {
      for (const [i, picture] of sampled([...pictures.entries()], 6)) {
        const changed = await perceptualHash(await change(sharp(picture)).toBuffer());
        assert.isAtLeast(hashSimilarity(hashes[i] ?? '', changed), 0.9, `picture ${i}`);
      }
    });
  }

  it('distinguishes different images: all below 0.8, half of them below 0.2', () => {
    const similarities = hashes.flatMap((a, i) => hashes.slice(i + 1).map((b) => hashSimilarity(a, b)));
    const sorted = similarities.toSorted((a, b) => a - b);
    assert.isBelow(sorted.at(-1) ?? 1, 0.8);
    assert.isBelow(sorted[Math.floor(sorted.length / 2)] ?? 1, 0.2);
  });

  it('distinguishes stripes and halves, which vary in one direction only', async () => {
    const plain = [
      '<rect width="500" height="500" fill="white"/><rect width="250" height="500"/>',
      '<rect width="500" height="500" fill="white"/><rect width="500" height="250"/>',
      '<rect width="500" height="500"/><rect width="250" height="500" fill="white"/>',
    ];
    const [left = '', top = '', right = ''] = await Promise.all(
      plain.map((content) => perceptualHash(svg(content))),
    );
    assert.isBelow(hashSimilarity(left, top), 0.5);
    assert.isBelow(hashSimilarity(left, right), 0.5);
    assert.strictEqual(hashSimilarity(left, left), 1);
  });

  it('places a transparent image on white, and applies the orientation of a photo', async () => {
    const content = '<rect x="90" y="60" width="200" height="120"/><circle cx="350" cy="400" r="70"/>';
    const opaque = await perceptualHash(svg(`<rect width="500" height="500" fill="white"/>${content}`));
    assert.strictEqual(await perceptualHash(svg(content)), opaque);
    const upright = await sharp(svg(content)).flatten({ background: 'white' }).jpeg().toBuffer();
    const turned = await sharp(upright).rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    assert.isAtLeast(hashSimilarity(await perceptualHash(turned), opaque), 0.9);
    const unmarked = await sharp(upright).rotate(270).jpeg().toBuffer();
    assert.isBelow(hashSimilarity(await perceptualHash(unmarked), opaque), 0.9);
  });

  async function reasonFor(bytes: Buffer): Promise<string> {
    try {
      return `hash ${await perceptualHash(bytes)}`;
    } catch (error) {
      assert.instanceOf(error, ImageFailure);
      return error.reason;
    }
  }

  it('fails for bytes that are not an image', async () => {
    const png = await productPicture(1);
    const noPictures = {
      nothing: Buffer.alloc(0),
      text: Buffer.from('hello'),
      page: Buffer.from('<!doctype html><title>Not found</title>'),
      'half of a PNG': png.subarray(0, png.length / 2),
      'a format that no shop uses': await sharp(png).tiff().toBuffer(),
    };
    for (const [what, bytes] of Object.entries(noPictures)) {
      assert.strictEqual(await reasonFor(bytes), 'not an image', what);
    }
  });

  it('fails for a blank image', async () => {
    const blank = sharp({ create: { width: 50, height: 50, channels: 3, background: '#abc' } });
    assert.strictEqual(await reasonFor(await blank.png().toBuffer()), 'blank image');
    assert.strictEqual(await reasonFor(svg('')), 'blank image');
  });

  it('does not decompress a decompression bomb', async () => {
    const claims = pngOf(30_000, 30_000, deflateSync(Buffer.alloc(1_000_000)));
    assert.strictEqual(await reasonFor(claims), 'too many pixels');
    const vast = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000"><rect width="9" height="9"/></svg>',
    );
    assert.strictEqual(await reasonFor(vast), 'too many pixels');
    const names = [...'abcdefghijk'];
    const entities = names
      .slice(1)
      .map((name, i) => `<!ENTITY ${name} "${`&${names[i] ?? ''};`.repeat(10)}">`);
    const laughs = svg('<text>&k;</text>', `<!DOCTYPE svg [<!ENTITY a "ha">${entities.join('')}]>`);
    assert.strictEqual(await reasonFor(laughs), 'not an image');
  });

  it('gives a drawing a tenth of the time of an image of pixels', async () => {
    const [picture = Buffer.alloc(0)] = pictures;
    const formats = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;
    const images = await Promise.all(formats.map((format) => sharp(picture).toFormat(format).toBuffer()));
    assert.deepEqual([...new Set(images.map((bytes) => deadlineOf(bytes, 1_000)))], [1_000]);
    const drawings = [svg(''), svg('', '<?xml version="1.0"?><!-- RIFF -->'), gzipSync(svg(''))];
    for (const drawing of [...drawings, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), svg('')])])
      assert.strictEqual(deadlineOf(drawing, 1_000), 100);
  });

  it('does not load the resources that an SVG refers to', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    const url = `${await listening(server)}/picture.png`;
    try {
      const file = path.join(import.meta.dirname, '../../node_modules/swagger-ui-dist/favicon-32x32.png');
      const own = '<rect x="20" y="40" width="120" height="80"/>';
      const foreign = [url, pathToFileURL(file).href, file]
        .map((href) => `<image href="${href}" width="500" height="500"/>`)
        .join('');
      const style = `<style>@import url(${url});</style>`;
      const pointing = svg(own + style + foreign, `<?xml-stylesheet href="${url}"?>`);
      assert.strictEqual(await perceptualHash(pointing), await perceptualHash(svg(own)));
      const entity = svg(`${own}<text>&x;</text>`, `<!DOCTYPE svg [<!ENTITY x SYSTEM "${url}">]>`);
      assert.strictEqual(await reasonFor(entity), 'not an image');
      assert.strictEqual(requests, 0);
    } finally {
      server.close();
    }
  });
});

/** Creates a PNG whose header states a size, whatever its data is. */
function pngOf(width: number, height: number, data: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const chunk = (type: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), content]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
