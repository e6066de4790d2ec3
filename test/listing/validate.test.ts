import { assert } from 'chai';
import { LIMITS } from '../../src/schemas/product.js';
import { readKey, reasonKind, validateRecord } from '../../src/listing/validate.js';

const now = new Date('2026-06-01T12:00:00Z');
const minimal = { sku: 'A1', source: 'shop', name: 'Kettle' };

function record(fields: object) {
  const validated = validateRecord({ ...minimal, ...fields }, { now });
  if ('reasons' in validated) assert.fail(validated.reasons.join('; '));
  return validated.record;
}

function reasons(raw: unknown): string[] {
  const validated = validateRecord(raw, { now });
  return 'reasons' in validated ? validated.reasons : [];
}

const refused = (fields: object) => reasons({ ...minimal, ...fields });

describe('validateRecord', () => {
  it('requires a sku, a source and a name', () => {
    const { sku, source, name, ...rest } = record({});
    assert.deepEqual({ sku, source, name }, minimal);
    assert.deepEqual([...new Set(Object.values(rest))], [null]);
    assert.deepEqual(reasons({}), ['sku: is required', 'source: is required', 'name: is required']);
    assert.deepEqual(refused({ name: ' \u0000\n', sku: null }), [
      'sku: is required',
      'name: must not be blank',
    ]);
  });

  it('accepts any currency of ISO 4217, including units of account', () => {
    for (const currency of ['SGD', 'KWD', 'CLF', 'UYW', 'COU'])
      assert.deepInclude(record({ price: '1.2345', currency }), { price: '1.2345', currency });
  });

  it('reports all errors at once', () => {
    const found = reasons({
      sku: 12345,
      source: 'x'.repeat(65),
      name: 'n'.repeat(1001),
      price: '$1,299.00',
      currency: 'XXQ',
      buy_url: 'javascript:alert(1)',
      image_url: '//x/y.jpg',
      category_path: 'A > B',
      rating: '5.1',
      is_available: 'true',
      last_checked: '2026-02-30',
      metadata: { n: 1e21 },
      list_price: 0,
      gtin: ['4006381333932'],
      price_history: [{ price: '1' }, { price: '0', at: '2026-01-01' }, 7],
    });
    assert.deepEqual(found, [
      'sku: a number is not a string',
      'source: is longer than 64 characters',
      'name: is longer than 1000 characters',
      'price: "$1,299.00" is not a positive decimal number (no sign, grouping or currency symbol)',
      'currency: "XXQ" is not an ISO 4217 currency code',
      'buy_url: "javascript:alert(1)" is not an http or https URL',
      'image_url: "//x/y.jpg" is not an http or https URL',
      'category_path: "A > B" is not an array of strings',
      'rating: "5.1" is not a decimal number from 0 to 5',
      'is_available: "true" is not true or false',
      'last_checked: "2026-02-30" is not an ISO 8601 date and time',
      'metadata: has a number beyond 2^53, write it as a string',
      'list_price: "0" is not a positive decimal number: a price is greater than 0',
      'gtin: "4006381333932" is not a GTIN (8, 12, 13 or 14 digits, check digit included)',
      'price_history[0]: needs the members price and at',
      'price_history[1].price: "0" is not a positive decimal number: a price is greater than 0',
      'price_history[2]: needs the members price and at',
    ]);
  });

  it('rejects values other than objects', () => {
    for (const raw of [null, [], 'text', 5, true]) assert.lengthOf(reasons(raw), 1);
  });

  it('takes the times of a dump only if the caller expects dumps', () => {
    const times = { first_observed_at: '2026-05-01T00:00:00Z', observed_at: '2026-05-02T00:00:00Z' };
    const raw = {
      sku: 'A',
      source: 'shop',
      name: 'Kettle',
      updated_at: '2026-05-01T12:00:00Z',
      price_history: [{ price: '5.00', at: '2026-05-01T00:00:00Z', seen_until: '2026-05-02T00:00:00Z' }],
      times,
    };
    const now = new Date('2026-06-01T00:00:00Z');
    const plain = validateRecord(raw, { now });
    const dumped = validateRecord(raw, { now, mayBeDumped: true });
    if (!('record' in plain && 'record' in dumped)) return assert.fail('rejected');
    assert.notProperty(plain.record, 'times');
    assert.deepEqual(plain.record.price_history, [{ price: '5.00', at: '2026-05-01T00:00:00Z' }]);
    assert.deepEqual(dumped.record.times, { ...times, updated_at: raw.updated_at });
    assert.deepEqual(dumped.record.price_history, raw.price_history);
    const late = { ...raw, times: { ...times, observed_at: '2026-06-03T00:00:00Z' } };
    assert.deepEqual(validateRecord(late, { now, mayBeDumped: true }), {
      reasons: ['times.observed_at: "2026-06-03T00:00:00Z" is in the future'],
    });
  });

  it('ignores fields that a feed cannot set', () => {
    assert.deepEqual(record({ id: 7, updated_at: 'never', internal: {}, colour: 'red' }), record({}));
  });

  it('removes control characters and lone surrogates and nothing else', () => {
    const { name, description, metadata } = record({
      name: ' a\u0000b\u001b[2J\u0085 \ud83d\ude00 \ud800 ',
      description: 'x\ty\r\nz\u007f',
      metadata: { 'k\u0001': ['\udc00', { deep: '\u0007' }], same: 1.5 },
    });
    assert.strictEqual(name, ' ab[2J \ud83d\ude00 \ufffd ');
    assert.strictEqual(description, 'x\ty\r\nz');
    assert.deepEqual(metadata, { k: ['\ufffd', { deep: '' }], same: 1.5 });
  });

  it('keeps a __proto__ key of its metadata as a key', () => {
    const { metadata } = record(JSON.parse('{"metadata":{"__proto__":{"polluted":"\\u0000yes"}}}') as object);
    assert.strictEqual(JSON.stringify(metadata), '{"__proto__":{"polluted":"yes"}}');
    assert.isUndefined(({} as { polluted?: string }).polluted);
    assert.lengthOf(reasons(JSON.parse('{"__proto__":{"sku":"a","source":"b","name":"c"}}')), 3);
  });

  it('counts lengths in code points', () => {
    const faces = (count: number) => '\u{1F600}'.repeat(count);
    assert.strictEqual(record({ name: faces(LIMITS.name) }).name, faces(LIMITS.name));
    assert.deepEqual(refused({ name: faces(LIMITS.name + 1) }), ['name: is longer than 1000 characters']);
    assert.lengthOf(refused({ description: 'x'.repeat(50_001) }), 1);
    assert.lengthOf(refused({ buy_url: `https://x.example/${'y'.repeat(2_031)}` }), 1);
  });

  it('limits metadata and category paths', () => {
    assert.deepEqual(record({ metadata: 'text' }).metadata, 'text');
    assert.deepEqual(refused({ metadata: 'ü'.repeat(16_384) }), ['metadata: is longer than 32 kB of JSON']);
    const deep = JSON.parse('['.repeat(60_000) + ']'.repeat(60_000)) as unknown;
    assert.deepEqual(refused({ metadata: deep }), ['metadata: is nested deeper than 50 levels']);
    assert.deepEqual(refused({ name: deep, price: deep }), [
      'name: an array is not a string',
      'price: an array is not a decimal string or number',
    ]);
    assert.deepEqual(refused({ category_path: Array(21).fill('x') }), [
      'category_path: has more than 20 levels',
    ]);
    assert.deepEqual(refused({ category_path: ['a', '', 3] }), [
      'category_path[1]: must not be blank',
      'category_path[2]: a number is not a string',
    ]);
  });

  it('converts prices, ratings, currencies and times to canonical form', () => {
    const taken = record({ price: 19.9, list_price: '30', currency: 'sgd', rating: 4.5, description: '  ' });
    assert.include(taken, {
      price: '19.90',
      list_price: '30.00',
      currency: 'SGD',
      rating: '4.5',
      description: null,
    });
    const times: [string, string][] = [
      ['2026-05-01', '2026-05-01T00:00:00Z'],
      ['2026-05-01T08:30:00+08:00', '2026-05-01T00:30:00Z'],
      ['2026-05-01 08:30', '2026-05-01T08:30:00Z'],
      ['2026-05-01T08:30:00.123456Z', '2026-05-01T08:30:00.123Z'],
      ['2026-05-01T23:30:00-0330', '2026-05-02T03:00:00Z'],
      ['2026-06-02T12:00:00Z', '2026-06-02T12:00:00Z'],
    ];
    for (const [given, canonical] of times)
      assert.strictEqual(record({ last_checked: given }).last_checked, canonical);
    for (const wrong of [
      'yesterday',
      '2026-13-01',
      '2026-05-01T25:00:00Z',
      '01/05/2026',
      '0000-01-01',
      1767225600,
      '2026-06-02T12:00:01Z',
    ]) {
      assert.lengthOf(refused({ last_checked: wrong }), 1, String(wrong));
    }
  });

  it('treats blank optional text as unknown in every field', () => {
    const optional = Object.keys(record({ list_price: '1', gtin: '4006381333931' })).filter(
      (field) => !Object.hasOwn(minimal, field),
    );
    assert.includeMembers(optional, ['price', 'gtin', 'is_available', 'last_checked', 'price_history']);
    for (const blank of ['', ' \t\u0000'])
      assert.deepEqual(
        Object.values(record(Object.fromEntries(optional.map((field) => [field, blank])))).slice(3),
        optional.map(() => null),
      );
    assert.deepEqual(record({ gtin: ['', '4006381333931', null] }).gtin, ['4006381333931']);
    assert.deepEqual(refused({ price_history: [{ price: '', at: '2026-01-01' }] }), [
      'price_history[0]: needs the members price and at',
    ]);
  });

  it('accepts a GTIN as a number without its leading zeros', () => {
    const cases: [number, string][] = [
      [4006381333931, '4006381333931'],
      [36000291452, '036000291452'],
      [614141000036, '614141000036'],
      [10614141000415, '10614141000415'],
      [96385074, '96385074'],
      [123457, '00123457'],
    ];
    for (const [given, gtin] of cases) assert.deepEqual(record({ gtin: given }).gtin, [gtin]);
    assert.deepEqual(record({ gtin: [4006381333931] }).gtin, ['4006381333931']);
    for (const wrong of [4006381333932, 0, -5, 1.5, 1e21, 400638133393100]) {
      assert.lengthOf(refused({ gtin: wrong }), 1, String(wrong));
    }
  });

  it('removes spaces around source and SKU', () => {
    const key = { sku: 'A 1', source: 'shop' };
    const given = { sku: '\u00a0A 1\n', source: ' shop\u0000 ' };
    assert.deepInclude(record(given), key);
    assert.deepEqual(readKey(given), key);
    for (const unreadable of [{ sku: ' ' }, { sku: 'x'.repeat(257) }, { source: '' }]) {
      assert.isNull(readKey({ ...minimal, ...unreadable }));
    }
  });

  it('accepts only URLs that are safe to follow', () => {
    const fine = 'https://shop.example/p?q=größe#x';
    assert.strictEqual(record({ buy_url: fine }).buy_url, fine);
    const wrong = [
      'ftp://x/y',
      'data:text/html,x',
      'https://',
      'https:/x',
      'http://a b/',
      'https://x/\r\nSet-Cookie:a',
      'https:\\\\x',
      'shop.example/p',
      5,
      'https://x/?q="onload=alert(1)',
      'https://x/<script>',
      'https://shop@x/',
      'https://shop:secret@x/',
    ];
    for (const url of wrong) assert.lengthOf(refused({ buy_url: url }), 1, String(url));
    for (const field of ['affiliate_url', 'image_url']) {
      assert.deepEqual(refused({ [field]: 'https://shop:secret@x/' }), [
        `${field}: has a user name or password in it`,
      ]);
    }
    assert.deepEqual(refused({ buy_url: 'https://x/<' }), [
      'buy_url: "https://x/<" has a quotation mark, < or > that is not percent-encoded',
    ]);
  });

  it('accepts a host with Latin-1 letters after any number of URLs', () => {
    for (let i = 0; i < 20_000; i += 1) {
      // The text is one flat string, as the feed reader creates it.
      const { buy_url } = JSON.parse(`{"buy_url":"https://größe-${i}.example/"}`) as { buy_url: string };
      assert.strictEqual(record({ buy_url }).buy_url, buy_url);
    }
  });

  it('readKey reads source and SKU of an invalid record', () => {
    assert.deepEqual(readKey({ sku: 'A\u0000', source: 's', price: 'x' }), { sku: 'A', source: 's' });
    for (const raw of [null, 'x', { sku: 'A' }, { sku: 1, source: 's' }]) assert.isNull(readKey(raw));
  });
});

describe('reasons', () => {
  it('of one kind are equal without the values that they quote', () => {
    const kinds = ['"', '\\', 'a"b\\', 'x'.repeat(100), '5 "is" it'].map((price) =>
      refused({ price }).map(reasonKind),
    );
    for (const kind of kinds)
      assert.deepEqual(kind, [
        'price: is not a positive decimal number (no sign, grouping or currency symbol)',
      ]);
    assert.strictEqual(reasonKind('record: is bad (why) at line 12, column 3'), 'record: is bad (why)');
    assert.strictEqual(reasonKind('price_history[12].price: "0" is bad'), 'price_history[].price: is bad');
  });
});
