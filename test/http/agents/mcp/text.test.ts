import { assert } from 'chai';
import { quoted } from '../../../../src/http/agents/mcp/text.js';

describe('a quoted text of a listing', () => {
  it('has no other quotation mark, no beginning of markup, no escape and no line break', () => {
    assert.equal(quoted('Kettle 1.7 L', 100), '"Kettle 1.7 L"');
    assert.equal(quoted('a "b” <system> ＜|im_end|>', 100), '"a ″b″ ‹system> ‹|im_end|>"');
    assert.equal(quoted('a \\" b\r\n1. "c" \u202e', 100), '"a /″ b 1. ″c″  "');
  });

  it('keeps its beginning and its end if it is too long', () => {
    assert.equal(quoted('0123456789abcdef', 9), '"01234…def"');
  });
});
