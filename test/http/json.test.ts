import { assert } from 'chai';
import { isNestedTooDeep, MOST_LEVELS, parseClientJson } from '../../src/platform/client-json.js';

describe('JSON of clients', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  it('is parsed up to the bound of its depth', () => {
    assert.deepEqual(parseClientJson(nested(MOST_LEVELS)), JSON.parse(nested(MOST_LEVELS)));
    const wide = `[${Array.from({ length: 1_000 }, () => '{"a":[]}').join()}]`;
    assert.lengthOf(parseClientJson(wide) as unknown[], 1_000);
  });

  it('is refused beyond it, also where it is cut off', () => {
    assert.throws(
      () => parseClientJson(nested(MOST_LEVELS + 2)),
      SyntaxError,
      'nested deeper than 32 levels',
    );
    assert.throws(() => parseClientJson('['.repeat(50_000)), SyntaxError, 'nested deeper than 32 levels');
  });

  it('may hold brackets, quotes and backslashes in its texts', () => {
    const texts = ['['.repeat(99), `"${'{'.repeat(99)}`, `\\"${'['.repeat(99)}`, '\\', '\\\\"[', '"]}'];
    for (const text of texts) {
      assert.isFalse(isNestedTooDeep(JSON.stringify({ text, [text]: [text] })), text);
      assert.isTrue(isNestedTooDeep(JSON.stringify([text]) + '['.repeat(99)), text);
    }
  });
});
