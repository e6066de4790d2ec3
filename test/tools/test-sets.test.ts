import { assert } from 'chai';
import type { Suite, Test } from 'mocha';
import { keepSome } from '../support/chaos.js';
import { affectedTests } from '../../tools/test/affected.js';
import { chaosTests, marksOf, serviceTests, unitTests } from '../../tools/test/sets.js';

describe('the sets of test files', () => {
  it('keep a file that must run alone out of those that run together', () => {
    const { together, alone } = chaosTests(['faults', 'builds']);
    for (const file of ['test/faults/elasticsearch.test.ts', 'test/server-build.test.ts']) {
      assert.include(alone, file);
      assert.notInclude(together, file);
    }
    assert.include(
      together,
      'test/faults/clock.test.ts',
      'npm test may draw it, so it disturbs no other file',
    );
  });

  it('contain every file, either in npm test or in npm run test:chaos', () => {
    const { together, alone } = chaosTests([
      'faults',
      'engines',
      'kills',
      'builds',
      'hostile',
      'commands',
      'oracles',
    ]);
    const chaos = [...together, ...alone];
    assert.include(chaos, 'test/faults/redis.test.ts');
    assert.include(chaos, 'test/tools/production-tree.test.ts');
    const service = serviceTests(1);
    const seen = new Set([...chaos, ...service.together, ...service.alone]);
    assert.isTrue(seen.has('test/endpoints/search.test.ts'));
  });

  it('draw a fifth of the sampled files of each chaos group by the seed, and each file by some seed', () => {
    const commands = [...chaosTests(['commands']).together, ...chaosTests(['commands']).alone];
    const drawn = commands.map((_, seed) => {
      const { together, alone } = serviceTests(seed);
      return [...together, ...alone].filter((file) => commands.includes(file));
    });
    for (const files of drawn) assert.lengthOf(files, Math.ceil(commands.length / 5));
    assert.sameMembers([...new Set(drawn.flat())], commands);
  });

  it('have some of the tests of a long suite, in their order, only if all files run', () => {
    const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const suite = (): Pick<Suite, 'tests'> => ({ tests: titles.map((title) => ({ title }) as Test) });
    const [some, all] = [suite(), suite()];
    keepSome(some, 3, true);
    keepSome(all, 3, false);
    assert.lengthOf(some.tests, 3);
    const kept = some.tests.map(({ title }) => title);
    assert.deepEqual(kept, kept.toSorted());
    assert.deepEqual(
      all.tests.map(({ title }) => title),
      titles,
    );
  });

  it('of unit tests leave out what imports an engine, even indirectly, or starts a process', () => {
    const [process, unit, service] = [
      'test/config.test.ts',
      'test/http/validation.test.ts',
      'test/endpoints/search.test.ts',
    ];
    const imports = new Map([
      [process, ['node:child_process']],
      [unit, ['src/http/validation.ts']],
      [service, ['test/support/api.ts']],
      ['src/http/validation.ts', ['node:child_process']],
      ['test/support/api.ts', ['src/wiring.ts', 'test/support/services.ts']],
    ]);
    const { together, alone } = unitTests(imports);
    assert.deepEqual(
      [process, unit, service].map((file) => together.includes(file)),
      [false, true, false],
    );
    assert.deepEqual(alone, []);
  });
});

describe('the marks at the head of a test file', () => {
  it('say how it runs, each in a line', () => {
    const marks = marksOf(
      '// Runs alone: it counts.\n// Chaos only (builds, sampled, 5 min): it packs.\nimport x;\n// Runs first: no.\n',
      'test/x.test.ts',
    );
    assert.deepEqual(marks, {
      alone: true,
      first: false,
      notUnit: false,
      chaos: 'builds',
      everywhere: false,
      drawn: true,
      minutes: 5,
    });
    assert.isTrue(marksOf('// Chaos too (kills): some points.\n', 'test/x.test.ts').everywhere);
    assert.throws(() => marksOf('// Chaos only (storms): x.\n', 'test/x.test.ts'), /no chaos group "storms"/);
    assert.throws(
      () => marksOf('// Runs alone, because it counts.\n', 'test/x.test.ts'),
      /not the form of a mark/,
    );
  });
});

describe('the tests that a change affects', () => {
  const imports = new Map([
    ['test/a.test.ts', ['src/near.ts']],
    ['test/b.test.ts', ['src/far.ts']],
    ['src/far.ts', ['src/near.ts']],
    ['scripts/run.ts', ['src/program.ts']],
  ]);
  const texts: Record<string, string> = { 'test/c.test.ts': "start('scripts/run.ts')" };
  const tests = ['test/b.test.ts', 'test/a.test.ts', 'test/c.test.ts'];
  const affected = (...changed: string[]) =>
    affectedTests(tests, changed, imports, (file) => texts[file] ?? '');

  it('import a changed file, nearest first, or name a program that does', () => {
    assert.deepEqual(affected('src/near.ts'), ['test/a.test.ts', 'test/b.test.ts']);
    assert.deepEqual(affected('src/program.ts'), ['test/c.test.ts']);
    assert.deepEqual(affected('docs/clients.md'), []);
  });

  it('are all of them where no import shows the dependence', () => {
    assert.deepEqual(affected('package-lock.json'), tests);
  });
});
