import { assert } from 'chai';
import { serviceTests, unitTests } from '../../tools/test/sets.js';

/** Waits for concurrency slots, and needs no engine. */
const ALONE = 'test/http/door.test.ts';

describe('the sets of test files', () => {
  it('keep a file that must run alone out of those that run together', () => {
    const { together, alone } = serviceTests();
    assert.include(alone, ALONE);
    assert.notInclude(together, ALONE);
  });

  it('of unit tests leave out what imports an engine, even indirectly, or starts a process', () => {
    const files = ['test/config.test.ts', 'test/http/validation.test.ts', 'test/endpoints/search.test.ts'];
    const [process = '', unit = '', service = ''] = files;
    const imports = new Map([
      [process, ['node:child_process']],
      [unit, ['src/http/validation.ts']],
      [service, ['test/support/api.ts']],
      ['src/http/validation.ts', ['node:child_process']],
      ['test/support/api.ts', ['src/wiring.ts', 'test/support/services.ts']],
    ]);
    const { together, alone } = unitTests(imports);
    assert.deepEqual(
      files.map((file) => together.includes(file)),
      [false, true, false],
    );
    assert.deepEqual(alone, []);
  });
});
