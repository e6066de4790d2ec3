import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Stops the process, and deletes its temporary folders. It may be called several times. */
  stop(): Promise<void>;
}

type Report = { pid: number } | { failed: string } | { exit: Exit };

export class SpawnError extends Error {}

/** Starts a process that ends with this one, even if this is killed: a keeper between them ends it. It keeps no event loop running. */
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

export function lastLines(path: string): string {
  if (!existsSync(path)) return '';
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}

const POLL_MS = 100;

/**
 * Starts a process, and repeats `check` until it returns a value. If the process ends, or after `withinMs`, it is stopped.
 * @throws Error with `failure` and the last lines of its output.
 */
export async function startReady<T>(
  spec: KeptSpec,
  {
    failure,
    withinMs,
    check,
  }: { failure: string; withinMs: number; check: (pid: number) => Promise<T | undefined> },
): Promise<KeptProcess & { value: T }> {
  const started = await startKept(spec);
  try {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      const value = await check(started.pid);
      const exit = started.exit();
      if (exit) throw new Error(`it ended with ${exit.signal ?? `code ${exit.code}`}`);
      if (value !== undefined) return { ...started, value };
      await sleep(POLL_MS);
    }
    throw new Error(`it was not ready after ${withinMs / 1000} s`);
  } catch (error) {
    const lines = lastLines(spec.log);
    await started.stop();
    throw new Error(`${failure}: ${(error as Error).message}\n${lines}`, { cause: error });
  }
}
