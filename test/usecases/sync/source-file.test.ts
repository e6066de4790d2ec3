import { assert } from 'chai';
import { shippedJson } from '../../../src/platform/shipped-files.js';
import { changedColumns, columnShares } from '../../../src/usecases/sync/columns.js';
import { dueAt, nextTime } from '../../../src/usecases/sync/schedule.js';
import { readSourceFile, SourceFileSchema } from '../../../src/usecases/sync/source-file.js';
import { emptySummary, medianOfMoves } from '../../../src/usecases/ingest/summary.js';

const NOW = new Date('2026-03-01T00:00:00Z');

const errorsOf = (...lines: string[]): string[] => {
  const read = readSourceFile(lines.join('\n'), NOW);
  return 'file' in read ? [] : read.errors.map(({ line, path, message }) => `${line} ${path}: ${message}`);
};

describe('a source file', () => {
  it('is read', () => {
    const lines = [
      'url: https://a.example/{key}/feed.csv?v=2',
      'as: google',
      'credentials: {url: {key: {env: SOURCE_A}}, headers: {X-Key: {file: a_key}}}',
      'guards: {max_rejected: 5, max_price_change: 300}',
      'schedule: "15 6 * * *"',
      'schedule_timezone: Europe/Berlin',
      'expected_freshness: 36h',
    ];
    const read = readSourceFile(lines.join('\n'), NOW);
    assert.isTrue('file' in read && read.file.as === 'google', JSON.stringify(read));
  });

  it('is described by the shipped JSON Schema', () => {
    assert.deepEqual(
      shippedJson('mappings/source.schema.json'),
      JSON.parse(JSON.stringify(SourceFileSchema)),
    );
  });

  it('loads every file only of a folder whose feeds contain changes', () => {
    assert.deepEqual(errorsOf('folder: a', 'every_file: true', 'complete: false'), []);
    assert.deepEqual(errorsOf('folder: a', 'every_file: true'), [
      '2 every_file: needs complete: false, because a complete feed makes earlier files unnecessary',
    ]);
    assert.deepEqual(errorsOf('url: https://a.example/', 'every_file: true', 'complete: false'), [
      '2 every_file: needs a folder',
    ]);
  });

  it('never contains a secret', () => {
    const reference =
      'must be a reference, {env: SOURCE_NAME} or {file: name}: a source file contains no secrets';
    assert.deepEqual(errorsOf('url: https://u:pass@a.example/f'), [
      '1 url: must not contain a user or password: state them in credentials.basic by reference',
    ]);
    assert.deepEqual(errorsOf('url: https://a.example/f?x=1&apikey=s3cret'), [
      '1 url: the value of apikey is a secret: write apikey={NAME}, and NAME in credentials.url by reference',
    ]);
    assert.deepEqual(errorsOf('url: https://a.example/', 'credentials:', '  bearer: s3cret'), [
      `3 credentials.bearer: ${reference}`,
    ]);
    assert.deepEqual(errorsOf('url: https://a.example/', 'credentials: {headers: {X-Key: s3cret}}'), [
      `2 credentials.headers.X-Key: ${reference}`,
    ]);
  });

  it('cannot send secrets of the service, or read files elsewhere', () => {
    const named = 'must be the name of a variable that begins with SOURCE_, or of a file';
    const of = (reference: string) =>
      errorsOf('url: https://a.example/', `credentials: {bearer: ${reference}}`);
    assert.deepEqual(of('{env: ELASTICSEARCH_PASSWORD}'), [`2 credentials.bearer.env: ${named}`]);
    for (const file of ['../admin_secret', '/run/secrets/admin_secret', '.env', '..'])
      assert.deepEqual(of(`{file: "${file}"}`), [`2 credentials.bearer.file: ${named}`], file);
    for (const map of ['../x.yaml', '/etc/passwd', 'maps/../../x'])
      assert.deepEqual(errorsOf('folder: x', `map: ${map}`), [
        '2 map: must be a file in the folder of sources or below it',
      ]);
  });

  it('is refused with the line and the path of each error', () => {
    const cron = 'must be a cron expression of five fields such as "15 6 * * *"';
    const cases: [string[], string[]][] = [
      [[''], ['1 : must be of the type object']],
      [['- a'], ['1 : must be of the type object']],
      [['folder: x', 'url: https://a.example/'], ['2 url: the file needs either a url or a folder']],
      [['owner: x'], ['1 folder: the file needs either a url or a folder']],
      [['folder: x', 'folder: y'], ['2 : the key "folder" is there twice']],
      [['folder: &a x', 'owner: *a'], ['2 : aliases (*) are not allowed']],
      [
        ['folder: x', '__proto__: {a: 1}', 'surprise: 1'],
        ['2 __proto__: there is no such key', '3 surprise: there is no such key'],
      ],
      [['folder: x', 'guards:', '  max_rejected: 200'], ['3 guards.max_rejected: must be <= 100']],
      [['folder: x', 'schedule: every day'], [`2 schedule: ${cron}`]],
      [['folder: x', 'schedule: "* * * * * *"'], [`2 schedule: ${cron}`]],
      [['folder: x', 'schedule: "61 * * * *"'], [`2 schedule: ${cron}: Invalid value for minute: 61`]],
      [['folder: x', 'schedule: "0 0 30 2 *"'], ['2 schedule: no time ever matches this expression']],
      [
        ['folder: x', 'schedule: "0 6 * * *"', 'schedule_timezone: Mars/Base'],
        ['3 schedule_timezone: must be a time zone such as Asia/Singapore'],
      ],
      [
        ['folder: x', 'expected_freshness: soon'],
        ['2 expected_freshness: must be a time such as 36h, 90m or 2d'],
      ],
      [['folder: x', 'currency: EUX'], ['2 currency: must be an ISO 4217 code such as SGD']],
      [['url: ftp://a.example/f'], ['1 url: must be an http or https URL']],
      [['url: https://a.example/{k}'], ['1 url: {k} is not in credentials.url']],
      [
        ['url: https://{k}.example/', 'credentials: {url: {k: {env: SOURCE_K}}}'],
        ['1 url: a secret must not be part of the host'],
      ],
      [
        ['url: http://a.example/', 'credentials: {bearer: {env: SOURCE_K}}'],
        ['1 url: credentials need https, unless allow_private is true'],
      ],
      [
        ['url: https://a.example/', 'credentials: {headers: {Host: {env: SOURCE_K}}}'],
        ['2 credentials.headers.Host: this header cannot be set'],
      ],
      [['folder: x', 'as: amazon9', 'decimal: comma'], [/^2 as: must be one of google, /.source]],
    ];
    for (const [lines, expected] of cases) {
      const errors = errorsOf(...lines);
      if (expected[0]?.startsWith('^') === true) assert.match(errors.join(), new RegExp(expected[0]));
      else assert.deepEqual(errors, expected, lines.join(' '));
    }
    assert.match(errorsOf(`folder: ${'x'.repeat(70_000)}`)[0] ?? '', /larger than 65536 bytes/);
    assert.match(errorsOf('['.repeat(10_000))[0] ?? '', /nested too deeply/);
  });
});

describe('the schedule of a source', () => {
  const daily = { cron: '15 6 * * *', timezone: 'Europe/Berlin' };

  it('is in its time zone, across the change to summer time', () => {
    assert.strictEqual(
      nextTime(daily, new Date('2026-03-28T04:00:00Z'))?.toISOString(),
      '2026-03-28T05:15:00.000Z',
    );
    assert.strictEqual(
      nextTime(daily, new Date('2026-03-28T06:00:00Z'))?.toISOString(),
      '2026-03-29T04:15:00.000Z',
    );
  });

  it('makes a source due at once at first, then at the next time, and soon after a failure', () => {
    const due = (startedAt: string | null, failures: number) =>
      dueAt(daily, { startedAt, failures })?.toISOString();
    assert.strictEqual(due(null, 0), '1970-01-01T00:00:00.000Z');
    assert.strictEqual(due('2026-01-01T05:15:00Z', 0), '2026-01-02T05:15:00.000Z');
    assert.strictEqual(due('2026-01-01T05:15:00Z', 1), '2026-01-01T05:20:00.000Z');
    assert.strictEqual(due('2026-01-01T05:15:00Z', 2), '2026-01-01T05:30:00.000Z');
    assert.strictEqual(due('2026-01-01T05:15:00Z', 99), '2026-01-01T09:15:00.000Z');
    assert.strictEqual(due('2026-01-02T04:00:00Z', 99), '2026-01-02T05:15:00.000Z');
    assert.isNull(dueAt(null, { startedAt: null, failures: 0 }));
  });
});

describe('what a run says about its feed', () => {
  const rows = (...values: object[]) => values.map((raw, line) => ({ line, bytes: 1, raw, value: raw }));

  it('is the columns that are gone or new, if they are not rare', () => {
    const before = columnShares(
      rows(...Array.from({ length: 20 }, (_, i) => ({ sku: i, price: 1, ...(i === 0 ? { rare: 1 } : {}) }))),
    );
    const after = columnShares(
      rows(...Array.from({ length: 20 }, (_, i) => ({ sku: i, cost: 1, ...(i === 0 ? { odd: 1 } : {}) }))),
    );
    assert.deepEqual(changedColumns(before, after), { lost: ['price'], added: ['cost'] });
    assert.deepEqual(changedColumns({}, after), { lost: [], added: [] });
    assert.deepEqual(columnShares(rows({ ['__proto__x']: 1 }))['__proto__x'], 1);
  });

  it('is the change of the median price, counting prices that did not move', () => {
    const summary = (unchanged: number, price_moved: number) => ({
      ...emptySummary(),
      unchanged,
      price_moved,
    });
    const up = Math.log(100);
    assert.strictEqual(medianOfMoves([up, up, up], summary(0, 3)), 9_900);
    assert.strictEqual(medianOfMoves([up, up], summary(1, 2)), 9_900);
    assert.strictEqual(medianOfMoves([up, -up], summary(3, 2)), 0);
    assert.strictEqual(medianOfMoves([-Math.log(2), -Math.log(2)], summary(0, 2)), -50);
    assert.isNull(medianOfMoves([], emptySummary()));
  });
});
