import { Readable } from 'node:stream';
import { assert } from 'chai';
import { FeedError, readFeed } from '../../../src/feeds/read/feed.js';
import { DELIMITERS } from '../../../src/feeds/read/csv-dialect.js';

const HEADER = ['id', 'title', 'note', 'price', 'link'];
type Row = readonly [id: string, title: string, note?: string];

const table = (rows: readonly Row[], delimiter: string, end = '\n') =>
  [HEADER, ...rows.map(([id, title, note = 'Wood']) => [id, title, note, '9.00', `https://s.example/${id}`])]
    .map((cells) => cells.join(delimiter))
    .join(end) + end;

/** Reads a feed. @returns its rows as id and title, each rejection as line and reason, and the error that ended it. */
async function read(text: string, step = 64 * 1024): Promise<unknown[]> {
  const found: unknown[] = [];
  const bytes = Buffer.from(text);
  const chunks = [];
  for (let at = 0; at < bytes.length; at += step) chunks.push(bytes.subarray(at, at + step));
  try {
    for await (const { line, value, error } of readFeed(Readable.from(chunks), { anyColumns: true })) {
      const { id, title, note } = (value ?? {}) as Record<string, string>;
      found.push(error === undefined ? [id, title, ...(note === 'Wood' ? [] : [note])] : [line, error]);
    }
  } catch (error) {
    assert.instanceOf(error, FeedError);
    found.push((error as Error).message);
  }
  return found;
}

const STRAY = 'record: has a quote that is not doubled';

describe('quotes in a feed that is separated by tabs', () => {
  it('are characters, unless they enclose a cell and are doubled in it', async () => {
    const rows: Row[] = [
      ['1', 'Monitor 24" flat'],
      ['2', '"Sun" lamp 5"'],
      ['3', 'Tablet 10"'],
      ['4', 'Shelf', '"Solid" is what we call it, "and light'],
      ['5', '"Half open'],
      ['6', 'Plain'],
      ['7', '"Panel 32"""', '"Type ""Pro"""'],
      ['8', '"'],
      ['9', '""'],
      ['10', '"15" screen"'],
      ['11', 'Last 9"'],
    ];
    const expected = [
      ['1', 'Monitor 24" flat'],
      ['2', '"Sun" lamp 5"'],
      ['3', 'Tablet 10"'],
      ['4', 'Shelf', '"Solid" is what we call it, "and light'],
      ['5', '"Half open'],
      ['6', 'Plain'],
      ['7', 'Panel 32"', 'Type "Pro"'],
      ['8', '"'],
      ['9', ''],
      ['10', '"15" screen"'],
      ['11', 'Last 9"'],
    ];
    for (const end of ['\n', '\r\n', '\r'])
      for (const step of [1, 64 * 1024]) assert.deepEqual(await read(table(rows, '\t', end), step), expected);
  });

  it('swallow no row, wherever one is closed again', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index): Row => [String(index), 'Ruler']);
    rows[10] = ['10', '"Open'];
    rows[4_000] = ['4000', 'Tablet 10"'];
    rows[4_998] = ['4998', 'Shelf', '"Open'];
    assert.deepEqual(await read(table(rows, '\t')), rows);
  });

  it('may enclose line breaks and tabs', async () => {
    const rows: Row[] = [
      ['1', '"Tall\n\n""blue""\nkettle"'],
      ['2', '"Wide\tkettle"'],
      ['3', 'Pot', '"first\nsecond"'],
    ];
    assert.deepEqual(await read(table(rows, '\t')), [
      ['1', 'Tall\n\n"blue"\nkettle'],
      ['2', 'Wide\tkettle'],
      ['3', 'Pot', 'first\nsecond'],
    ]);
  });
});

describe('quotes in a feed with another delimiter', () => {
  for (const delimiter of [DELIMITERS.comma, DELIMITERS.semicolon, DELIMITERS.pipe]) {
    it(`${delimiter} affect no other row if they are not doubled or not closed`, async () => {
      const rows: Row[] = [
        ['1', 'Monitor 24" flat'],
        ['2', '"Sun" lamp 5"'],
        ['3', 'Tablet 10"'],
        ['4', '"Half open'],
        ['5', 'Plain'],
        ['6', 'Tablet 8"'],
        ['7', '"Panel 32"""', '"Type ""Pro"""'],
        ['8', 'Shelf', '"Open'],
        ['9', 'Last'],
      ];
      const expected = [
        ['1', 'Monitor 24" flat'],
        [3, STRAY],
        ['3', 'Tablet 10"'],
        [5, STRAY],
        ['5', 'Plain'],
        ['6', 'Tablet 8"'],
        ['7', 'Panel 32"', 'Type "Pro"'],
        [9, STRAY],
        ['9', 'Last'],
      ];
      for (const end of ['\n', '\r\n', '\r'])
        for (const step of [1, 64 * 1024])
          assert.deepEqual(await read(table(rows, delimiter, end), step), expected);
    });

    it(`${delimiter} may enclose texts whose lines have as many delimiters as a row`, async () => {
      const text = ['one', 'two', 'three', 'four', 'five'].join(`${delimiter} `);
      const note = `${['one', 'two', 'three'].join(delimiter)}\n${text}\n\n${text}\nend`;
      assert.deepEqual(
        await read(
          table(
            [
              ['1', 'Pot', `"${note}"`],
              ['2', 'Pan'],
            ],
            delimiter,
          ),
        ),
        [
          ['1', 'Pot', note],
          ['2', 'Pan'],
        ],
      );
    });
  }

  it('are an error if the feed ends in a cell that they open', async () => {
    const feed = table(
      [
        ['1', 'Pot'],
        ['2', 'Pan', '"a long'],
      ],
      ',',
    ).split(',9.00,https://s.example/2')[0];
    assert.match(String((await read(`${feed}\ntext\nof lines`)).at(-1)), /begins at line 3 does not end/);
    assert.match(String((await read(`${feed}`)).at(-1)), /begins at line 3 does not end/);
  });

  it('reject only the line of a quote that is not doubled, even if the next line has a quoted cell', async () => {
    const rows: Row[] = [
      ['1', '"Monitor 27""'],
      ['2', '"Monitor 24"", flat"'],
      ['3', 'Cable'],
    ];
    for (const end of ['\n', '\r\n'])
      assert.deepEqual(await read(table(rows, ',', end)), [
        [2, STRAY],
        ['2', 'Monitor 24", flat'],
        ['3', 'Cable'],
      ]);
  });

  it('hold at most 4 MB in memory', async () => {
    const lines = 'x'.repeat(1_000).concat('\n').repeat(5_000);
    const feed = table(
      [
        ['1', 'Pot'],
        ['2', `"${lines}`],
      ],
      ',',
    );
    assert.match(String((await read(feed)).at(-1)), /begins at line 3 does not end/);
    const rows = Array.from({ length: 120_000 }, (_, index): Row => [String(index), 'Ruler']);
    rows[10] = ['10', '"Open'];
    const many = await read(table(rows, ';'));
    assert.deepEqual(many.slice(9, 12), [
      ['9', 'Ruler'],
      [12, STRAY],
      ['11', 'Ruler'],
    ]);
    assert.lengthOf(many, rows.length);
  });
});

describe('quotes behind blanks in a CSV feed', () => {
  it('enclose a cell, unless other text follows them', async () => {
    const feed =
      'id, title, note, price, link\n1, "Pan, ""black""" , "Wood",9.00, a\n2, "Sun" lamp,Wood, 9.00, "b"\n3, Open ",Wood,9.00,c\n';
    for (const step of [1, 64 * 1024])
      assert.deepEqual(await read(feed, step), [
        ['1', 'Pan, "black"'],
        ['2', ' "Sun" lamp'],
        ['3', ' Open "'],
      ]);
  });
});
