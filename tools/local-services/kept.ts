import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface KeptSpec {
  command: string;
  args: string[];
  cwd: string;
  /** Variables that the process gets in addition to the environment of this process. */
  env?: Record<string, string>;
  uid?: number;
  gid?: number;
  /** The path of the file to which the output of the process is written. */
  log: string;
  /** Folders that are deleted after the process has ended. */
  removeAfter?: string[];
  /** The time between SIGTERM and SIGKILL in milliseconds. */
  graceMs?: number;
}

export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface KeptProcess {
  pid: number;
  /** Returns the exit code or signal with which the process ended; undefined while it runs. */
  exit(): Exit | undefined;
  exited: Promise<Exit>;
  /**
   * Stops the process, waits until it has ended, and deletes its temporary folders. It may be called again.
   */
  stop(): Promise<void>;
}

type Report = { pid: number } | { failed: string } | { exit: Exit };

/** A command does not exist or is not executable. */
export class SpawnError extends Error {}

/**
 * Starts a process that never outlives this one: a small keeper process stops it when this process requests
 * it or has ended. The process does not keep this process's event loop alive.
 * @throws SpawnError if the process cannot be started.
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
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  let exit: Exit | undefined;

  const stop = async () => {
    keeper.ref();
    if (keeper.connected) keeper.disconnect();
    await gone;
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

/** Returns the last lines of a log file for an error message; an empty string if the file does not exist. */
export function lastLines(path: string, count = 20): string {
  if (!existsSync(path)) return '';
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
