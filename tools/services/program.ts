import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines, startKept } from './kept.js';
import { freePort, untilReady } from './ready.js';

/** A program that answers HTTP on a port of its own, and never outlives this process. */
export interface Program {
  url: string;
  /** The file that has what it prints, until it is stopped. */
  output: string;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** A path that answers 200 once it is there. */
  ready: string;
  /** How it is asked for; by GET, unless given. */
  asking?: RequestInit;
  /** Added to this process's environment. */
  env?: (port: number) => Record<string, string>;
  /** Folders to remove once it has ended. */
  removeAfter?: string[];
}

const READY_WITHIN_MS = 120_000;

/**
 * Starts a program and waits until it answers.
 * @param args for the port to listen on.
 * @throws SpawnError where there is no such program; Error with what it said where it ends or does not answer.
 */
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
    const said = lastLines(log);
    await child.stop();
    throw new Error(`${command}: ${(error as Error).message}\n${said}`, { cause: error });
  }
  return { url, output: log, stop: () => child.stop() };
}
