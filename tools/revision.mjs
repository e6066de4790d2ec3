import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The git commit that a build is made of, with `-dirty` where the tree has uncommitted changes, or `unknown`. A tree
 * without a `.git` of its own, such as an unpacked archive, may lie inside another repository, whose commit would be wrong.
 * @param folder the tree that is built.
 * @param given the variable REVISION, which names the commit where git cannot be asked, as in an image.
 */
export function revision(folder, given) {
  if (given) return given;
  if (!existsSync(join(folder, '.git'))) return 'unknown';
  // Names the commit and no tag. A git that is missing, or that refuses another user's tree, does not fail the build.
  const describe = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', describe, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
