import { readFileSync, writeFileSync } from 'node:fs';
import { assert } from 'chai';
import { format, resolveConfig } from 'prettier';

const DOCUMENT = 'docs/operations.md';
const END = '<!-- end of the table -->';

/**
 * Checks that docs/operations.md contains a generated table. With `UPDATE_SNAPSHOTS`, it is written.
 * @param source the file that the table is generated from, which a comment before the table names.
 */
export async function checkTable(source: string, lines: readonly string[]): Promise<void> {
  const content = readFileSync(DOCUMENT, 'utf8');
  const comment = `<!-- The table of ${source} -->`;
  const begin = content.indexOf(comment) + comment.length;
  const end = content.indexOf(END, begin);
  assert.isAbove(begin, comment.length, `${DOCUMENT} has no ${comment}`);
  assert.isAbove(end, begin);
  const wanted = await format(`${content.slice(0, begin)}\n\n${lines.join('\n')}\n\n${content.slice(end)}`, {
    ...(await resolveConfig(DOCUMENT)),
    parser: 'markdown',
  });
  if (process.env['UPDATE_SNAPSHOTS'] !== undefined) writeFileSync(DOCUMENT, wanted);
  assert.equal(readFileSync(DOCUMENT, 'utf8'), wanted);
}
