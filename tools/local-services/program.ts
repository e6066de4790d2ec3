import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines, startKept } from './kept.js';
import { freePort, untilReady } from './ready.js';

export interface Program {
  url: string;
  output: string;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** The HTTP path that responds with a 2xx status as soon as the program is ready. */
  ready: string;
  /** The options of the request that checks whether the program is ready; a GET request by default. */
  asking?: RequestInit;
  env?: (port: number) => Record<string, string>;
  removeAfter?: string[];
}

const READY_WITHIN_MS = 120_000;

/** Starts a program, and waits until it responds over HTTP. `args` returns its arguments for a port. */
export async function startProgram(
  command: string,
  args: (port: number) => string[],
  { ready, asking = {}, env = () => ({}), removeAfter = [] }: ProgramOptions,
): Promise<Program> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  const log = join(folder, 'log');
  const child = await startKept({
    command,
    args: args(port),
    cwd: process.cwd(),
    env: env(port),
    log,
    removeAfter: [folder, ...removeAfter],
  });
  try {
    await untilReady(child, READY_WITHIN_MS, async () => {
      const answer = await fetch(`${url}${ready}`, asking).catch(() => null);
      return answer?.ok ? true : undefined;
    });
  } catch (error) {
    const lines = lastLines(log);
    await child.stop();
    throw new Error(`${command}: ${(error as Error).message}\n${lines}`, { cause: error });
  }
  return { url, output: log, stop: () => child.stop() };
}
