import { assert } from 'chai';
import { allRuns, unitRuns } from '../../tools/test/sets.js';

/** Waits for concurrency slots, and needs no engine. */
const ALONE = 'test/http/door.test.ts';

describe('the runs of the tests', () => {
  for (const [name, runsOf] of Object.entries({ 'npm test': allRuns, 'npm run test:unit': unitRuns })) {
    it(`of ${name} never run a file in parallel that must run alone`, async () => {
      const runs = await runsOf(['--bail']);
      const isParallel = (run: string[]) => run.includes('--parallel');
      assert.deepEqual(runs.map(isParallel), [true, false]);
      assert.deepEqual(
        runs.map((run) => run.includes(ALONE)),
        [false, true],
      );
      assert.isTrue(runs.every((run) => run.includes('--bail')));
    });
  }
});
