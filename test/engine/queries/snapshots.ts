import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { layOut, type Names } from './request-layout.js';

const FOLDER = join(import.meta.dirname, 'snapshots');
const UPDATE = process.env['UPDATE_SNAPSHOTS'] === '1';
const HOW =
  'is it meant? UPDATE_SNAPSHOTS=1 npm run test:unit writes the snapshots anew, to be read as a diff';

/** The title of the section in which a snapshot file states what its names stand for. */
const NAMES = 'Names';

/**
 * Defines a test for each case: the layout of its result must equal the section with its title in
 * `snapshots/<name>.txt`. With `UPDATE_SNAPSHOTS=1`, the file is written instead.
 * @param snapshot the name of the file, and values that it states once, by name, because many requests contain them.
 */
export function snapshotTests(
  snapshot: string | { name: string; names: Names },
  cases: Readonly<Record<string, () => unknown>>,
): void {
  const { name, names } = typeof snapshot === 'string' ? { name: snapshot, names: {} } : snapshot;
  const file = join(FOLDER, `${name}.txt`);
  const sections: Record<string, () => string> = {
    ...(Object.keys(names).length > 0 && { [NAMES]: () => layOut(names) }),
    ...Object.fromEntries(
      Object.entries(cases).map(([title, request]) => [title, () => layOut(request(), names)]),
    ),
  };
  describe(`Engine requests: ${name}`, () => {
    if (UPDATE) {
      it('are written', () => {
        const given = Object.entries(sections).map(([title, text]) => `# ${title}\n${text()}\n`);
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, given.join('\n'));
      });
      return;
    }

    let kept: Map<string, string>;
    before(() => {
      kept = sectionsOf(readFileSync(file, 'utf8'));
    });

    for (const [title, text] of Object.entries(sections))
      it(title, () =>
        assert.equal(text(), kept.get(title), `another request than in snapshots/${name}.txt: ${HOW}`),
      );

    it('has no snapshot without a case', () => {
      assert.sameMembers([...kept.keys()], Object.keys(sections), HOW);
    });
  });
}

/** Returns the sections of a snapshot file by their titles. */
function sectionsOf(text: string): Map<string, string> {
  const sections = `\n${text}`.split('\n# ').slice(1);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end + 1).trimEnd()];
    }),
  );
}
