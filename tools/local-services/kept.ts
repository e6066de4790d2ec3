import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface KeptSpec {
  command: string;
  args: string[];
  cwd: string;
  env?: Record<string, string>;
  uid?: number;
  gid?: number;
  log: string;
  removeAfter?: string[];
  graceMs?: number;
}

export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface KeptProcess {
  pid: number;
  exit(): Exit | undefined;
  exited: Promise<Exit>;
  /** Stops the process, and deletes its temporary folders. May be called again. */
  stop(): Promise<void>;
}

type Report = { pid: number } | { failed: string } | { exit: Exit };

export class SpawnError extends Error {}

/**
 * Starts a process that a small keeper process ends with this one. It does not keep this event loop alive.
 */
export async function startKept({
  removeAfter = [],
  graceMs = 10_000,
  ...spec
}: KeptSpec): Promise<KeptProcess> {
  const keeper = fork(
    fileURLToPath(new URL('keeper.mjs', import.meta.url)),
    [JSON.stringify({ ...spec, removeAfter, graceMs })],
    { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] },
  );
  const keeperExited = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  let exit: Exit | undefined;

  const stop = async () => {
    keeper.ref();
    if (keeper.connected) keeper.disconnect();
    await keeperExited;
  };
  const exited = new Promise<Exit>((resolve) => {
    const settle = (how: Exit) => resolve((exit ??= how));
    keeper.on('message', (report: Report) => 'exit' in report && settle(report.exit));
    keeper.once('exit', (code, signal) => settle({ code, signal }));
  });
  const pid = await new Promise<number>((resolve, reject) => {
    keeper.on('message', (report: Report) => {
      if ('pid' in report) resolve(report.pid);
      if ('failed' in report) reject(new SpawnError(report.failed));
    });
    keeper.once('error', reject);
    keeper.once('exit', () => reject(new SpawnError(`${spec.command} could not be started`)));
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  keeper.unref();
  keeper.channel?.unref();
  return { pid, exit: () => exit, exited, stop };
}

export function lastLines(path: string, count = 20): string {
  if (!existsSync(path)) return '';
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
