import { assert } from 'chai';
import { isPublic } from '../../../src/usecases/suggest/searched.js';

describe('a text that was searched for', () => {
  it('may be seen by others unless it tells who somebody is, or a secret', () => {
    for (const text of ['wireless headphones', 'WH-1000XM5', '耳机', 'iphone 15 256gb', '900g']) {
      assert.isTrue(isPublic(text), text);
    }
    const private_ = [
      'me@example.com',
      'call 9123 4567 89',
      '4111-1111-1111-1111',
      'svc_live_abcdefghijklmnop',
      '[redacted]',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
      'a9f8e7d6c5b4a3f2e1d0c9b8a',
      'x'.repeat(101),
      'two\u0007bells',
      '!!',
    ];
    for (const text of private_) assert.isFalse(isPublic(text), text);
  });
});
