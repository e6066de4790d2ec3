import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import { compressRecording } from '../../lab/yardstick/recording.js';
import { structureTable } from '../../lab/yardstick/structure.js';
import { main } from '../../lab/yardstick/yardstick.js';
import { bootstrapByCase, type Contribution } from '../../lab/evaluation/statistics.js';
import { run } from '../support/command.js';

const F1 = 'end-to-end F1';
const ECE = 'expected calibration error';

describe('the yardstick', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'yardstick-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  describe('as a command', () => {
    const CASES = Array.from({ length: 400 }, (_, at) => `kettle ${at}`);

    /** Writes a recording in which a case is right if its number modulo ten is below `right`. */
    function record(name: string, right: number, scores: number, cases = CASES): string {
      const found = bootstrapByCase(
        F1,
        new Map(cases.map((id, at): [string, Contribution] => [id, [at % 10 < right ? 2 : 0, 2]])),
      );
      const calibrated = bootstrapByCase(
        ECE,
        new Map(cases.map((id, at): [string, Contribution] => [id, [scores, Number(at % 10 < 7)]])),
        'calibration',
      );
      const findings = { figures: [found, calibrated], tables: [], worst: ['kettle 1'] };
      const into = path.join(folder, name);
      mkdirSync(into);
      writeFileSync(path.join(into, 'match-tarn.json.gz'), compressRecording(findings, [F1, ECE], 'abc'));
      return into;
    }
    const compare = async (old: string, now: string) => {
      const { code, out } = await run(main, ['compare', old, now]);
      const row = (name: string) => out.split('\n').find((line) => line.includes(name)) ?? '';
      return { code, f1: row(F1), ece: row(ECE), out };
    };

    it('finds no change between two equal recordings', async () => {
      const { code, f1, ece } = await compare(record('old', 8, 0.7), record('now', 8, 0.7));
      assert.equal(code, 0);
      assert.match(f1, /0\.800 +0\.800 +\+0\.000 \(\+0\.000 to \+0\.000\) +400$/);
      assert.match(ece, /0\.000 +0\.000 +\+0\.000 \(\+0\.000 to \+0\.000\) +400$/);
    });

    it('names what fell, also where less is better, and what rose', async () => {
      const fell = await compare(record('old', 8, 0.7), record('now', 7, 0.9));
      assert.equal(fell.code, 1);
      assert.match(fell.f1, /0\.800 +0\.700 +-0\.100 .* 400 +fell$/);
      assert.match(fell.ece, /0\.000 +0\.200 +\+0\.2\d\d .* 400 +fell$/);
      assert.include(fell.out, '2 of 2 figures fell');
      const rose = await compare(path.join(folder, 'now'), path.join(folder, 'old'));
      assert.equal(rose.code, 0);
      assert.match(rose.f1, /rose$/);
      assert.match(rose.ece, /rose$/);
    });

    it('compares the cases that both recordings contain, and names what was not measured', async () => {
      const old = record('old', 8, 0.7);
      const { f1 } = await compare(old, record('now', 8, 0.7, CASES.slice(0, 300)));
      assert.match(f1, / 300$/);
      writeFileSync(
        path.join(old, 'pairs-tarn.json.gz'),
        compressRecording(
          { figures: [bootstrapByCase(F1, new Map([['a', 1]]))], tables: [], worst: [] },
          [F1],
          'abc',
        ),
      );
      const { code, out } = await compare(old, path.join(folder, 'now'));
      assert.equal(code, 0);
      assert.match(out, /pairs-tarn .* not measured/);
    });

    it('writes no text of a case, and shows the recorded figures', async () => {
      const into = record('old', 8, 0.7);
      const bytes = gunzipSync(
        compressRecording(
          { figures: [bootstrapByCase(F1, new Map([['kettle 1', 1]]))], tables: [], worst: [] },
          [F1],
          'abc',
        ),
      );
      assert.notInclude(bytes.toString(), 'kettle');
      const { out } = await run(main, ['show', into]);
      assert.match(out, /^\| match-tarn \| end-to-end F1 \| 0\.800 \(0\.7\d\d to 0\.8\d\d\) \| 400 \|$/m);
    });
  });

  describe('of the structure of a source', () => {
    it('counts predicates and patterns by syntax tree, and what each route loads', () => {
      const write = (file: string, text: string) => {
        mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(folder, file), text);
      };
      write(
        'src/http/routes/lamps.ts',
        "import { isLamp } from '../../lamps/lamp.js';\nexport const route = () => isLamp('lamp') ? 1 : 0;\n",
      );
      write(
        'src/http/routes/typed.ts',
        "import type { Lamp } from '../../lamps/lamp.js';\nexport const none: Lamp | null = null;\n",
      );
      write('src/http/routes/late.ts', "export const late = async () => import('../../lamps/lamp.js');\n");
      write(
        'src/lamps/lamp.ts',
        [
          "import { LIGHT } from './light.js';",
          'export type Lamp = string;',
          '// A comment that mentions /a pattern/ and new RegExp is not counted.',
          'export const isLamp = (name: string): boolean => /lamp/.test(name) || LIGHT.test(name);',
          'export const lamps = (names: string[]) => names.filter((name) => isLamp(name)).length;',
          'export function hasLight(name: string): name is Lamp { return LIGHT.test(name); }',
          '',
        ].join('\n'),
      );
      write('src/lamps/light.ts', "export const LIGHT = new RegExp('light');\n");
      const table = structureTable(folder);
      assert.include(table, '| src/lamps | 2 | 7 | 2 | 2 |');
      assert.include(table, '| src | 5 | 12 | 2 | 2 |');
      assert.include(table, '| lamps.ts | 3 | 9 |');
      assert.include(table, '| late.ts | 3 | 8 |');
      assert.include(table, '| typed.ts | 1 | 2 |');
    });
  });
});
