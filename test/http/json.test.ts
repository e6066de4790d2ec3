import { assert } from 'chai';
import { isNestedTooDeep, MAX_DEPTH, parseClientJson } from '../../src/platform/client-json.js';

describe('JSON of clients', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  it('is parsed up to the maximum depth', () => {
    assert.deepEqual(parseClientJson(nested(MAX_DEPTH)), JSON.parse(nested(MAX_DEPTH)));
    const wide = `[${Array.from({ length: 1_000 }, () => '{"a":[]}').join()}]`;
    assert.lengthOf(parseClientJson(wide) as unknown[], 1_000);
  });

  it('is refused beyond the maximum depth, even if it is incomplete', () => {
    assert.throws(() => parseClientJson(nested(MAX_DEPTH + 2)), SyntaxError, 'nested deeper than 32 levels');
    assert.throws(() => parseClientJson('['.repeat(50_000)), SyntaxError, 'nested deeper than 32 levels');
  });

  it('may contain brackets, quotes and backslashes in its strings', () => {
    const texts = ['['.repeat(99), `"${'{'.repeat(99)}`, `\\"${'['.repeat(99)}`, '\\', '\\\\"[', '"]}'];
    for (const text of texts) {
      assert.isFalse(isNestedTooDeep(JSON.stringify({ text, [text]: [text] })), text);
      assert.isTrue(isNestedTooDeep(JSON.stringify([text]) + '['.repeat(99)), text);
    }
  });
});
