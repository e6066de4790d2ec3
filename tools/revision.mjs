import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the git commit from which a build is made, with `-dirty` if the tree has uncommitted changes, or
 * `unknown`. A tree without a `.git` of its own, such as an unpacked archive, may be inside another
 * repository, whose commit would be wrong.
 * @param folder the tree that is built.
 * @param given the value of the variable REVISION, which names the commit if git is not available, as in
 *   the build of an image.
 */
export function revision(folder, given) {
  if (given) return given;
  if (!existsSync(join(folder, '.git'))) return 'unknown';
  // The command prints the commit and never a tag. The build does not fail if git is missing or refuses to
  // read the tree of another user.
  const describe = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', describe, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
