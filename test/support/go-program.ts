import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '../../scripts/shared/places.js';
import { withLock } from '../../tools/local-services/lock.mjs';

/**
 * Go, with which these programs are built. The `go.mod` of each program lists its modules and their versions.
 */
export const goIsInstalled = spawnSync('go', ['version']).error === undefined;

/**
 * Builds a Go program whose modules come from the Go module proxy. The first build on a machine takes a
 * minute or two; the result is kept until the sources change.
 * @param sources the folder with `go.mod` and `go.sum`, whose name is that of the program.
 * @param what the package in this folder, or one of its modules.
 * @returns the path of the program.
 */
export async function goProgram(sources: string, what = '.'): Promise<string> {
  const hash = createHash('sha256').update(what);
  const files = readdirSync(sources, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const file of files.map((entry) => join(entry.parentPath, entry.name)).sort())
    hash.update(readFileSync(file));
  const file = join(cacheRoot(), `${basename(sources)}-${hash.digest('hex').slice(0, 12)}`);
  mkdirSync(cacheRoot(), { recursive: true });
  await withLock(`${file}.lock`, async () => {
    if (existsSync(file)) return;
    // The program is built without optimization, which saves a quarter of the time, and without debugging
    // information.
    const flags = ['-trimpath', '-tags', 'grpcnotrace', '-gcflags', 'all=-N -l', '-ldflags', '-s -w'];
    await promisify(execFile)('go', ['build', ...flags, '-o', `${file}.new`, what], {
      cwd: sources,
      env: { ...process.env, CGO_ENABLED: '0' },
    });
    renameSync(`${file}.new`, file);
  });
  return file;
}
