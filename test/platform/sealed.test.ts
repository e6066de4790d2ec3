import { assert } from 'chai';
import { createSealed } from '../../src/platform/sealed.js';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];

describe('a sealed value', () => {
  const { seal, open } = createSealed([OLD]);
  const sealed = seal({ id: 7 }, 'cursor');

  it('can be opened for the purpose for which it was sealed, and for no other', () => {
    assert.deepEqual(open(sealed, 'cursor'), { id: 7 });
    assert.isNull(open(sealed, 'consent'));
    assert.isNull(open(sealed, ''));
  });

  it('can be opened after the secret has been replaced, and not with another secret', () => {
    assert.deepEqual(createSealed([NEW, OLD]).open(sealed, 'cursor'), { id: 7 });
    assert.isNull(createSealed([NEW]).open(sealed, 'cursor'));
  });

  it('cannot be changed', () => {
    for (const at of [0, 20, sealed.length - 2]) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      assert.isNull(
        open(`${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`, 'cursor'),
        `character ${at}`,
      );
    }
    assert.isNull(open(`${sealed}=`, 'cursor'), 'another text of the same bytes');
    assert.isNull(open('', 'cursor'));
  });
});
