import { expect } from 'chai';
import { remembered } from '../../src/text/remembered.js';

describe('what is remembered of texts', () => {
  it('is read once, and again only after so many others that it was given up', () => {
    const asked: string[] = [];
    const read = remembered(4, (text) => {
      asked.push(text);
      return text.toUpperCase();
    });
    expect(['a', 'b', 'a', 'c', 'a'].map(read)).to.deep.equal(['A', 'B', 'A', 'C', 'A']);
    expect(asked).to.deep.equal(['a', 'b', 'c']);
    for (const text of ['d', 'e', 'f', 'g']) read(text);
    expect(asked).to.have.length(7);
    expect(read('a')).to.equal('A');
    expect(asked.at(-1)).to.equal('a');
  });

  it('outlasts others where it is asked for again', () => {
    const asked: string[] = [];
    const read = remembered(4, (text) => {
      asked.push(text);
      return text;
    });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a', 'f', 'a']) read(text);
    expect(asked.filter((text) => text === 'a')).to.have.length(1);
  });
});
