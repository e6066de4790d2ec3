import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assert } from 'chai';

const FOLDER = join(import.meta.dirname, 'snapshots');
const UPDATE = process.env['UPDATE_SNAPSHOTS'] === '1';
const HOW =
  'is it meant? UPDATE_SNAPSHOTS=1 npm run test:unit writes the snapshots anew, to be read as a diff';

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/**
 * Defines a test for each case: its result as JSON must equal the entry with its title in
 * `snapshots/<name>.json`. With `UPDATE_SNAPSHOTS=1`, the file is written instead.
 */
export function snapshotTests(name: string, cases: Readonly<Record<string, () => unknown>>): void {
  const file = join(FOLDER, `${name}.json`);
  describe(`Engine requests: ${name}`, () => {
    if (UPDATE) {
      it('are written', () => {
        const given = Object.fromEntries(Object.entries(cases).map(([title, request]) => [title, request()]));
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, `${pretty(given)}\n`);
      });
      return;
    }

    let kept: Record<string, unknown>;
    before(() => {
      kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    });

    for (const [title, request] of Object.entries(cases)) {
      it(title, () => {
        const given: unknown = JSON.parse(JSON.stringify(request()));
        if (isDeepStrictEqual(given, kept[title])) return;
        // The values are compared as text, because no difference is displayed for deeply nested objects.
        assert.equal(
          pretty(given),
          pretty(kept[title]),
          `another request than in snapshots/${name}.json: ${HOW}`,
        );
      });
    }

    it('has no snapshot without a case', () => {
      assert.sameMembers(Object.keys(kept), Object.keys(cases), HOW);
    });
  });
}
