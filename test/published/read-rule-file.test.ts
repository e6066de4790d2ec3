import { assert } from 'chai';
import { readRuleFile } from '../../src/published/read-rule-file.js';

const errorsOf = (...lines: string[]): string[] => {
  const found = readRuleFile(lines.join('\n'));
  return 'file' in found ? [] : found.errors.map(({ line, path, message }) => `${line} ${path}: ${message}`);
};

const RULE = ['rules:', '  - name: lamps', '    query: {exact: [lamp]}', '    hide:', '      - id: 7'];

describe('a file of merchandising rules', () => {
  it('is read', () => {
    assert.deepEqual(readRuleFile(RULE.join('\n')), {
      file: { rules: [{ name: 'lamps', query: { exact: ['lamp'] }, hide: [{ id: 7 }] }] },
    });
  });

  it('is refused with the line and the path of each error', () => {
    assert.deepEqual(errorsOf(...RULE, '      - {id: "8"}', '      - {brand: a, source: b}', '    form: 1'), [
      '6 rules[0].hide[1].id: must be of the type integer',
      '7 rules[0].hide[2]: must name one of id, brand, category and source, or for a query exact or contains',
      '8 rules[0].form: there is no such key',
    ]);
    assert.deepEqual(errorsOf('rules:', ' - name: a', '   pin: [{id: 1}]'), [
      '2 rules[0]: pin, hide and boost need a query',
    ]);
    assert.deepEqual(errorsOf('rules: [a'), [
      '1 : Flow sequence in block collection must be sufficiently indented and end with a ]',
    ]);
    assert.deepEqual(errorsOf(''), ['1 : must be of the type object']);
  });

  it('is refused if its texts or periods make no sense', () => {
    assert.deepEqual(
      errorsOf(
        ...RULE,
        '    from: 2026-02-30',
        ' ',
        '  - name: lamps',
        '    until: 2026-01-01',
        '    from: 2026-01-02',
      ),
      [
        '6 rules[0].from: must be a date, or a time such as 2026-11-27T08:00:00Z',
        '8 rules[1].name: another rule has the name "lamps"',
        '8 rules[1]: the rule has no effect: it needs pin, hide, boost or synonyms',
        '9 rules[1].until: must be later than from',
      ],
    );
    const synonyms = (...lines: string[]) =>
      errorsOf('rules:', ' - name: a', '   synonyms:', ...lines.map((line) => `    - ${line}`)).map(
        (error) => error.split(':')[0],
      );
    assert.deepEqual(synonyms('a, b', 'a => b c, d', '"a, b, c, d, e => f"'), []);
    assert.deepEqual(
      synonyms('a', 'a, a', 'a => b => c', 'a =>', '"!, a"', 'a b c d e f, g', 'a, b, c, d, e, f, g'),
      [
        '4 rules[0].synonyms[0]',
        '5 rules[0].synonyms[1]',
        '6 rules[0].synonyms[2]',
        '7 rules[0].synonyms[3]',
        '8 rules[0].synonyms[4]',
        '9 rules[0].synonyms[5]',
        '10 rules[0].synonyms[6]',
      ],
    );
    assert.deepEqual(synonyms('a => b, c, d', 'a => e, f, g'), ['5 rules[0].synonyms[1]']);
    assert.deepEqual(
      errorsOf('rules:', ' - {name: a, query: {contains: ["a b c d e f", "!"]}, hide: [{id: 1}]}').length,
      2,
    );
  });

  it('is refused if it is hostile', () => {
    assert.deepEqual(errorsOf('a: &a [1]', 'rules: [*a, *a]'), [
      '2 : aliases (*) are not allowed',
      '2 : aliases (*) are not allowed',
    ]);
    assert.deepEqual(errorsOf(...RULE, '    __proto__: {synonyms: ["a, b"]}', 'constructor: 1'), [
      '6 rules[0].__proto__: there is no such key',
      '7 constructor: there is no such key',
    ]);
    assert.deepEqual(errorsOf('rules: []', 'rules: []'), ['2 : the key "rules" is there twice']);
    assert.deepEqual(errorsOf('rules: !!js/function "x"'), [
      '1 : Unresolved tag: tag:yaml.org,2002:js/function',
    ]);
    assert.match(errorsOf('rules: []', '---', 'rules: []').join(), /multiple documents/);
    assert.deepEqual(errorsOf('#'.repeat(10_000_000)), ['1 : the file is larger than 262144 bytes']);
    for (const nested of [
      '['.repeat(200_000),
      '{a: '.repeat(50_000),
      '- '.repeat(100_000),
      '? '.repeat(100_000),
    ])
      assert.deepEqual(
        errorsOf(`rules: ${nested}`.replace('rules: -', 'rules:\n-').replace('rules: ?', '?')),
        ['1 : the file is nested too deeply'],
      );
    assert.isAtMost(errorsOf('rules:', ...Array.from({ length: 5_000 }, (_, at) => `- ${at}`)).length, 20);
  });
});
