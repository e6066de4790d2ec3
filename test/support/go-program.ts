import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '../../scripts/shared/places.js';
import { withLock } from '../../tools/local-services/lock.mjs';

/** What such programs are built with: the `go.mod` of each says which releases of what. */
export const goIsInstalled = spawnSync('go', ['version']).error === undefined;

/**
 * Builds a Go program of modules out of the Go proxy. The first time on a machine that takes a minute or two; what was
 * built stays for as long as its sources are the same.
 * @param sources the folder with its `go.mod` and `go.sum`, which gives the program its name.
 * @param what the package in it, or one of its modules.
 * @returns the program's file.
 */
export async function goProgram(sources: string, what = '.'): Promise<string> {
  const hash = createHash('sha256').update(what);
  for (const file of readdirSync(sources).sort()) hash.update(readFileSync(join(sources, file)));
  const file = join(cacheRoot(), `${basename(sources)}-${hash.digest('hex').slice(0, 12)}`);
  mkdirSync(cacheRoot(), { recursive: true });
  await withLock(`${file}.lock`, async () => {
    if (existsSync(file)) return;
    // Not optimised, which takes a quarter less; and without what debugging needs.
    const flags = ['-trimpath', '-tags', 'grpcnotrace', '-gcflags', 'all=-N -l', '-ldflags', '-s -w'];
    await promisify(execFile)('go', ['build', ...flags, '-o', `${file}.new`, what], {
      cwd: sources,
      env: { ...process.env, CGO_ENABLED: '0' },
    });
    renameSync(`${file}.new`, file);
  });
  return file;
}
