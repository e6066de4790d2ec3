import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The commit (`-dirty` with changes) of a folder with a `.git` of its own, or `unknown`; `given` is REVISION, set in builds of
 * images.
 */
export function revision(folder, given) {
  if (given) return given;
  if (!existsSync(join(folder, '.git'))) return 'unknown';
  // Git prints the commit and never a tag. If git is missing or fails, the revision is `unknown`, and the build goes on.
  const describe = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', describe, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
