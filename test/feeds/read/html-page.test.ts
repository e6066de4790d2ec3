import { assert } from 'chai';
import { type FeedOptions, readFeed } from '../../../src/feeds/read/feed.js';
import { MAX_RECORD_BYTES } from '../../../src/feeds/read/item.js';

async function read(page: string, step: number, options: FeedOptions = {}) {
  const bytes = Buffer.from(page);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  const items = [];
  for await (const { line, error, value } of readFeed(chunks(), options)) items.push([line, error ?? value]);
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

  const whole = script('{"a":1}');
  for (const [beginning, line] of [
    ['', 1],
    ['<meta charset="utf-8">\n', 2],
    ['<META NAME=a>', 1],
    ['<link rel="canonical" href="/a">', 1],
    ['<title>Lamp</title>', 1],
    ['<head><title/>', 1],
    ['<body>\n', 2],
    ['<div class="a">\n', 2],
    ['\n<!-- saved -->\n<!--\n<a> -- 2\n-->\n<body>', 6],
    ['<?xml version="1.0"?>\n<!DOCTYPE html>\n', 3],
    [`<!--${' --'.repeat(20_000)} -->\n<div>`, 2],
  ] as const)
    it(`may begin with ${JSON.stringify(beginning.slice(0, 60))}`, async () => {
      for (const step of [beginning.length > 1_000 ? 4_096 : 1, 1e6])
        assert.deepEqual(await read(`${beginning}${whole}`, step), [[line, { a: 1 }]]);
    });

  it('may begin with any element where JSON-LD is expected', async () => {
    for (const beginning of ['<p>', '<shop-app>\n', '<!-- saved -->\n<main>'])
      for (const step of [1, 1e6])
        assert.deepEqual(
          await read(`${beginning}${whole}`, step, { document: true }),
          [[beginning.split('\n').length, { a: 1 }]],
          beginning,
        );
  });

  it('has none of the JSON-LD in comments, other scripts and their texts', async () => {
    const hidden = `<!-- ${script('{"a":0}')} --><script>document.write('${script('{"a":0}').replace('</', '<\\/')}')</script>`;
    const open = `<!--><!---><script src="a.js"/>${whole}<script>if (a <!--b) c()</script>\n${script('{"a":2}')}`;
    for (const step of [1, 13, 1_000])
      assert.deepEqual(await read(`<!doctype html>${hidden}${open}<!-- ${whole}`, step), [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ]);
  });

  it('may have any attributes and blanks in the tags of scripts', async () => {
    const tags = [
      `type=" application/ld+json "`,
      `data-a="b>c" type='application/ld+json' data-d='e>"f'`,
      `id=a type=application/ld+json async`,
      `TYPE\n=\n"APPLICATION/LD+JSON; charset=utf-8"`,
    ];
    for (const step of [1, 13, 1_000])
      for (const tag of tags)
        assert.deepEqual(await read(`<!doctype html><script ${tag}>{"a":1}</script>`, step), [
          [tag.includes('\n') ? 3 : 1, { a: 1 }],
        ]);
  });

  it('is not what XML of similar names is', async () => {
    for (const [before, name] of [
      ['<!-- <html> -->\n', 'rss'],
      ['<?xml version="1.0"?>\n<!-- <body> -->', 'link-list'],
      ['', 'title.list'],
    ]) {
      const xml = `${before}<${name}><item><sku>A</sku></item></${name}>`;
      for (const step of [1, 1e6]) assert.deepEqual((await read(xml, step))[0]?.[1], { sku: 'A' }, xml);
    }
    const xml = '<body><item><sku>A</sku></item></body>';
    assert.deepEqual(await read(xml, 8, { format: 'xml' }), [[1, { sku: 'A' }]]);
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
