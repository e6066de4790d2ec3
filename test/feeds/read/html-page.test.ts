import { assert } from 'chai';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { MAX_RECORD_BYTES } from '../../../src/feeds/read/item.js';

async function read(page: string, step: number) {
  const bytes = Buffer.from(page);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  const items = [];
  for await (const { line, error, value } of readFeed(chunks())) items.push([line, error ?? value]);
  return items;
}

const script = (text: string) => `<script type="application/ld+json">${text}</script>`;

describe('an HTML page as a feed', () => {
  it('is read script by script, whatever the chunks are', async () => {
    const page = `<!doctype html>\n<p>ä</p>\n${script('{"a":1}')}\n<SCRIPT TYPE=application/ld+json>\n<!-- [2] --></SCRIPT >`;
    for (const step of [1, 7, 1_000])
      assert.deepEqual(await read(page, step), [
        [3, { a: 1 }],
        [4, [2]],
      ]);
  });

  it('without JSON-LD is an error, as is one that ends in a script', async () => {
    const failure = (page: string) =>
      read(page, 64).then(String, (error: unknown) => (error as Error).message);
    assert.match(await failure('<html><script>{}</script></html>'), /has no JSON-LD/);
    assert.match(
      await failure('<html><script type="application/ld+json">{'),
      /ends inside the script.*line 1/,
    );
  });

  it('holds neither long scripts nor the text between them in memory', async () => {
    const filler = '<script '.repeat(200_000);
    const long = script(`{"a": "${'x'.repeat(MAX_RECORD_BYTES)}"}`);
    const items = await read(`<html>${filler}${long}${script('{"b":2}')}`, 64 * 1024);
    assert.deepEqual(items, [
      [1, 'record: is longer than 4 MB'],
      [1, { b: 2 }],
    ]);
  });
});
