import { expect } from 'chai';
import { memoize } from '../../src/text/memoize.js';

describe('memoize', () => {
  it('computes each text once, and again only after the text was evicted', () => {
    const computed: string[] = [];
    const memoized = memoize(4, (text) => {
      computed.push(text);
      return text.toUpperCase();
    });
    expect(['a', 'b', 'a', 'c', 'a'].map(memoized)).to.deep.equal(['A', 'B', 'A', 'C', 'A']);
    expect(computed).to.deep.equal(['a', 'b', 'c']);
    for (const text of ['d', 'e', 'f', 'g']) memoized(text);
    expect(computed).to.have.length(7);
    expect(memoized('a')).to.equal('A');
    expect(computed.at(-1)).to.equal('a');
  });

  it('retains a text that is requested again', () => {
    const computed: string[] = [];
    const memoized = memoize(4, (text) => {
      computed.push(text);
      return text;
    });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a', 'f', 'a']) memoized(text);
    expect(computed.filter((text) => text === 'a')).to.have.length(1);
  });
});
