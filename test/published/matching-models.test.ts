import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { MODEL } from '../../src/matching/model.js';
import { modelOf } from '../../src/published/matching-models.js';

describe('a learned matching model', () => {
  const shipped = readFileSync('src/matching/model.json', 'utf8');

  it('is parsed again if its version has other content, as after its index was rebuilt', () => {
    assert.strictEqual(modelOf(null), MODEL);
    const of = (json: string) => modelOf({ version: 1, json: Buffer.from(json) });
    const first = of(shipped);
    assert.strictEqual(of(shipped), first, 'it is memoized');
    assert.notStrictEqual(of(`${shipped} `), first);
    assert.notStrictEqual(first, MODEL);
  });
});
