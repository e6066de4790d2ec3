import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the git commit of a build, with `-dirty` for uncommitted changes, or `unknown`. A tree without a
 * `.git` of its own may be inside another repository, whose commit would be wrong. `given` is the variable
 * REVISION, which names the commit in the build of an image.
 */
export function revision(folder, given) {
  if (given) return given;
  if (!existsSync(join(folder, '.git'))) return 'unknown';
  // Git prints the commit and never a tag. If git is missing or fails, the revision is `unknown`, and the
  // build goes on.
  const describe = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', describe, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
