import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startReady } from './kept.js';
import type { LocalEngine } from './local-elasticsearch.js';
import { withLock } from './lock.mjs';
import { cacheRoot, isRoot, memoryFolder, temporaryFolder } from '../../scripts/shared/places.js';
import { freePort, redisInfo } from './ready.js';

const run = promisify(execFile);
const READY_WITHIN_MS = 60_000;
const PORTS_TO_TRY = 5;

/** Redis stores API keys durably: changes are on disk before they are acknowledged, and keys are never evicted. */
export const REDIS_SETTINGS = [
  ...['--appendonly', 'yes', '--appendfsync', 'always'],
  ...['--save', '', '--maxmemory-policy', 'noeviction'],
];

export interface LocalRedisOptions {
  log: (line: string) => void;
  /** The data folder of Redis, which is kept. Without it, a temporary folder is used and deleted. */
  dataDir?: string;
  /** Whether the temporary folder is in memory, if the system has a file system there. */
  inMemory?: boolean;
  port?: number;
}

/** Starts a private Redis, which ends with this process at the latest. */
export async function startLocalRedis(options: LocalRedisOptions): Promise<LocalEngine> {
  await ensureInstalled(options.log);
  if (options.port !== undefined) return startOn(options.port, options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await freePort(), options);
    } catch (error) {
      // Another process took the port after it had been found free, so another port is tried.
      if (!/in use/i.test(String(error)) || attempt === PORTS_TO_TRY) throw error;
    }
  }
}

async function startOn(port: number, { dataDir, inMemory }: LocalRedisOptions): Promise<LocalEngine> {
  const dir = dataDir ?? (inMemory ? memoryFolder('redis') : temporaryFolder('redis'));
  mkdirSync(dir, { recursive: true });
  const output = join(dir, 'output.log');
  rmSync(output, { force: true });
  const { pid, stop } = await startReady(
    {
      command: 'redis-server',
      args: ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, ...REDIS_SETTINGS],
      cwd: dir,
      log: output,
      removeAfter: dataDir === undefined ? [dir] : [],
    },
    {
      failure: 'Redis did not start',
      withinMs: READY_WITHIN_MS,
      // By its process id, the started Redis is distinguished from another Redis that already uses the port.
      check: async (pid) => (await redisInfo(port))?.includes(`process_id:${pid}\r`) || undefined,
    },
  );
  return { url: `redis://127.0.0.1:${port}`, pid, stop };
}

async function isInstalled(): Promise<boolean> {
  return run('redis-server', ['--version']).then(
    () => true,
    () => false,
  );
}

async function ensureInstalled(log: (line: string) => void): Promise<void> {
  if (await isInstalled()) return;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    throw new Error('redis-server is not installed: install Redis 7, or start Docker, or set REDIS_URL.');
  }
  await withLock(join(cacheRoot(), 'apt-get.lock'), async () => {
    if (await isInstalled()) return;
    log('Installing redis-server (apt-get) ...');
    // RUNLEVEL keeps the Debian package from starting a Redis of its own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'], { env });
  });
}
