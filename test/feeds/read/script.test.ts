import { assert } from 'chai';
import { readScript } from '../../../src/feeds/read/script.js';

const OFFER = '"offers":{"@type":"Offer","price":"79.50","priceCurrency":"PLN"}';
const PRODUCT = `{"@type":"Product","sku":"DESK-4","name":"Desk Arvo",${OFFER}}`;
const VALUE = JSON.parse(PRODUCT) as object;

const columnOf = (text: string) => PRODUCT.indexOf(text) + 1;

/** Reads a script that begins in line 7, column 1, of its page. */
const read = (script: string) => readScript(script, { line: 7, column: 1 });
const product = (members: string) => `{"@type":"Product",${members},${OFFER}}`;
const named = (name: string) => ({ ...VALUE, name });

describe('a script with JSON-LD', () => {
  it('that is valid is not repaired, whatever is put around it for old browsers', () => {
    for (const script of [
      PRODUCT,
      `\ufeff ${PRODUCT}\n`,
      `//<![CDATA[\n${PRODUCT}\n//]]>`,
      `<![CDATA[${PRODUCT}]]>`,
      `/* <![CDATA[ */ ${PRODUCT} /* ]]> */`,
      `<!--\n${PRODUCT}\n-->`,
      `<!-- ${PRODUCT} //-->`,
      `// <![CDATA[ ${PRODUCT} // ]]>`,
      `<![CDATA[\n<!--\n${PRODUCT}\n//--><!]]>`,
    ])
      assert.deepEqual(
        read(script).map(({ line, value, error, repairs }) => [line, error ?? value, repairs]),
        [[7, VALUE, undefined]],
        script,
      );
  });

  const REPAIRED: [kind: string, script: string, value: unknown, ...repairs: string[]][] = [
    ['a semicolon', `\n${PRODUCT};`, VALUE, `a superfluous ; (line 8, column ${PRODUCT.length + 1})`],
    [
      'a line break and a tab in a text',
      product('"sku":"DESK-4",\n"name":"Desk\n\tArvo"'),
      named('Desk\n\tArvo'),
      'a line break or control character in a text (line 8, column 8)',
    ],
    [
      'another control character',
      product('"sku":"DESK-4","name":"Desk\u0000Arvo"'),
      VALUE,
      'a line break or control character in a text (line 7, column 42)',
    ],
    [
      'commas before the end of an object or list',
      `[${product('"sku":"DESK-4","name":"Desk Arvo","image":["a",],')}`
        .replace(/\}\}$/, ',},}]')
        .replace(',,', ','),
      [
        {
          '@type': 'Product',
          sku: 'DESK-4',
          name: 'Desk Arvo',
          image: ['a'],
          offers: VALUE['offers' as keyof object],
        },
      ],
      'a superfluous comma (line 7, column 67), 3 times',
    ],
    [
      'comments',
      `/* shop's "own" { */\n// {made}\n${product('"sku":"DESK-4", // of the shop\n"name":"Desk Arvo" /* , */')}`,
      VALUE,
      'a comment (line 7, column 1), 4 times',
    ],
    ['an HTML comment', `<!-- made by a plugin -->${PRODUCT}`, VALUE, 'a comment (line 7, column 1)'],
    [
      'HTML entities',
      PRODUCT.replace('Desk', 'Desk &amp; \\"big\\"').replaceAll('"', '&quot;'),
      named('Desk & "big" Arvo'),
      'HTML entities in place of quotation marks (line 7, column 1)',
    ],
    [
      'numeric HTML entities',
      PRODUCT.replaceAll('"', '&#34;'),
      VALUE,
      'HTML entities in place of quotation marks (line 7, column 1)',
    ],
    ['a superfluous brace at the end', `${PRODUCT}\n}`, VALUE, 'a superfluous } (line 8, column 1)'],
    ['single quotes', PRODUCT.replaceAll('"', "'"), VALUE, 'single quotes (line 7, column 2), 13 times'],
    [
      'an assignment',
      `var ld = ${PRODUCT};`,
      VALUE,
      'JavaScript before the JSON (line 7, column 1)',
      `a superfluous ; (line 7, column ${PRODUCT.length + 10})`,
    ],
    [
      'an assignment to a member',
      `window.ld=${PRODUCT}`,
      VALUE,
      'JavaScript before the JSON (line 7, column 1)',
    ],
    [
      'names without quotes',
      `{"@type": "Product", sku: "DESK-4", name: "Desk Arvo",${OFFER}}`,
      VALUE,
      'a name without quotes (line 7, column 22), 2 times',
    ],
    [
      'NaN',
      product('"sku":"DESK-4","name":"Desk Arvo","weight":NaN'),
      { ...VALUE, weight: null },
      'NaN in place of a value (line 7, column 63)',
    ],
    [
      'escapes that JSON lacks',
      product(String.raw`"sku":"DESK-4","name":"Desk \x26 \'A\rvo\' 1\.5"`.replace('A\\r', 'Ar')),
      named("Desk & 'Arvo' 1.5"),
      'an invalid escape in a text (line 7, column 42)',
    ],
    [
      'a comma of a member that was left out',
      `{"@type":"Product",,"sku":"DESK-4","name":"Desk Arvo",,, ${OFFER}}`,
      VALUE,
      'a superfluous comma (line 7, column 20), 3 times',
    ],
    [
      'a missing comma',
      `{"@type":"Product","sku":"DESK-4","name":"Desk Arvo" ${OFFER}}`,
      VALUE,
      'a missing comma (line 7, column 54)',
    ],
  ];

  for (const [kind, script, value, ...repairs] of REPAIRED)
    it(`with ${kind} is repaired, and says where`, () => {
      const items = read(script);
      assert.deepEqual(
        items.map((item) => [item.line, item.error ?? item.value, item.repairs]),
        [[7, value, repairs]],
      );
    });

  it('may contain several documents, of which each is a record', () => {
    const other = PRODUCT.replace('DESK-4', 'DESK-5');
    for (const between of ['', '\n', ';\n', ',', '\n// next\n'])
      assert.deepEqual(
        read(`${PRODUCT}${between}${other};`).map(({ line, value, error }) => [line, error ?? value]),
        [
          [7, VALUE],
          [7, { ...VALUE, sku: 'DESK-5' }],
        ],
      );
    const [good, bad] = read(`${PRODUCT}\n${other.replace('"79.50"', 'NaN')}`);
    assert.deepEqual(good?.value, VALUE);
    assert.strictEqual(
      bad?.error,
      `record: is not valid JSON: the value of price would be a guess (line 8, column ${columnOf('"79.50"')})`,
    );
  });

  /** Members whose values a repair would change, or that a repair would invent. */
  const GUESSED = [
    '"price":NaN',
    '"price":79,50',
    '"price":1,299.00',
    '"price":1 299',
    '"price":79.',
    '"price":.5',
    '"price":079.50',
    '"price":79.50PLN',
    '"price":"79\n.50"',
    '"price":',
    '"lowPrice":undefined',
    '"priceCurrency":PLN',
    '"priceCurrency":"P\\LN"',
    '"schema:price":NaN',
    '"sku":007',
    '"sku":"A\\-1"',
    '"sku":"A\t1"',
    "'sku':'A\\'1'",
    '"gtin13":"4006381\u0001333931"',
    '"gtin":[4006381333931.,]',
    '"mpn":None',
    '"productID":undefined',
    '"price":79.50 "note":1',
    '"pri\tce":79.50',
    '"@type":"Prod\nuct"',
  ];
  for (const member of GUESSED)
    it(`with ${JSON.stringify(member)} is rejected at its place, because the value would be a guess`, () => {
      for (const script of [`{"name":"Desk",\n${member}}`, `{"name":"Desk",\n${member},"x":1,}`]) {
        const [item, ...more] = read(script);
        assert.isEmpty(more);
        assert.strictEqual(item?.line, 7);
        assert.match(item?.error ?? '', /^record: is not valid JSON: .* \(line 8, column \d+\)$/, script);
        assert.isUndefined(item?.value);
      }
    });

  const BROKEN: [kind: string, script: string, reason: RegExp][] = [
    ['is cut off', PRODUCT.slice(0, -1), /this \{ is not closed \(line 7, column 1\)$/],
    [
      'is cut off in a text',
      PRODUCT.slice(0, -4),
      new RegExp(`a text does not end \\(line 7, column ${columnOf('"PLN"')}\\)$`),
    ],
    [
      'closes an object too early',
      `{"@type":"Product","sku":"A","brand":{"name":"B"}}},\n${OFFER}}`,
      /text behind the JSON \(line 7, column 51\)$/,
    ],
    [
      'closes too early before another object',
      `{"sku":"A"}},{"price":"1.00"}`,
      /text behind the JSON \(line 7, column 12\)$/,
    ],
    [
      'closes a list with a brace',
      `[{"sku":"A"}},\n{"sku":"B"}]`,
      /a \} in place of a \] \(line 7, column 13\)$/,
    ],
    ['begins with two braces', `{${PRODUCT}`, /this \{ is not closed \(line 7, column 1\)$/],
    [
      'has a quotation mark in a text',
      '{"name":\n"Screen 27" wide",\n"sku":"A"}',
      /a text ends too early, at a quotation mark that is not escaped \(line 8, column 13\)$/,
    ],
    ['has a template', '{"sku":"A","name":{{ name }}}', /\{ is not expected here/],
    ['is HTML', '<p>none</p>', /there is a stray < \(line 7, column 1\)$/],
    ['is blank', ' \n ', /there is no object or list \(line 7, column 1\)$/],
    [
      'is nested too deeply',
      `${'['.repeat(5_000)}${']'.repeat(5_000)};`,
      /more than 100 levels \(line 7, column 101\)$/,
    ],
    ['has a further word', `${PRODUCT} constructor`, /text behind the JSON/],
    [
      'has entities, and a problem behind them',
      `{&quot;a&quot;:&quot;&amp;&quot; &quot;b&quot;}`,
      /early.* \(line 7, column 34\)$/,
    ],
  ];
  for (const [kind, script, reason] of BROKEN)
    it(`that ${kind} is rejected with the place`, () => {
      const [item, ...more] = read(script);
      assert.isEmpty(more);
      assert.strictEqual(item?.line, 7);
      assert.match(item?.error ?? '', reason);
      assert.isAtMost(String(item?.raw).length, 1_000);
    });

  it('that is long is not repaired', () => {
    const [item] = read(`{"a":"${'x'.repeat(512 * 1024)}",}`);
    assert.strictEqual(
      item?.error,
      'record: is not valid JSON, and longer than the 512 kB that are repaired (line 7, column 1)',
    );
  });
});
