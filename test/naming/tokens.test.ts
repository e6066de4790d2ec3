import { assert } from 'chai';
import { GAP, readTokens } from '../../src/naming/tokens.js';

describe('tokens of a name', () => {
  it('are folded, and keep where they begin and end', () => {
    const name = 'Çafé™ D’Arco – 2.5" S9+ (3,5 m) 2pc(s)';
    const { text, from, to } = readTokens(name);
    assert.deepEqual(text, ['cafe', 'darco', '2.5', '"', 's9+', '3,5', 'm', '2pc']);
    assert.deepEqual(
      text.map((_, at) => name.slice(from[at], to[at])),
      ['Çafé', 'D’Arco', '2.5', '"', 'S9+', '3,5', 'm', '2pc(s)'],
    );
  });

  it('separate factors, and the letter of a grade from an aperture', () => {
    assert.deepEqual(readTokens('3x330ml 2×4').text, ['3', 'x', '330', 'ml', '2', 'x', '4']);
    assert.deepEqual(readTokens('f/2.8L 1.2L').text, ['f', '2.8', 'l', '1.2l']);
  });

  it('know what stands before them', () => {
    const { gap, bracket } = readTokens('Wi-Fi 6, new (used) a - b');
    assert.deepEqual(gap, [GAP.none, GAP.joint, GAP.blank, GAP.mark, GAP.mark, GAP.mark, GAP.mark]);
    assert.deepEqual(bracket, [0, 0, 0, 0, 1, 0, 0]);
  });

  it('end after the first 120', () => {
    assert.lengthOf(readTokens('a '.repeat(400)).text, 120);
    assert.isAtMost(readTokens('x'.repeat(5_000)).to[0] ?? 0, 1_000);
  });
});
