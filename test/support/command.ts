import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { assert } from 'chai';
import type { Main } from '../../scripts/shared/command.js';
import { program } from './program.js';
import { elasticsearchUrl } from './services.js';

/** The exit code and the output of a command. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
}

interface Given {
  /** Environment variables besides those of the tests. */
  env?: NodeJS.ProcessEnv;
  stdin?: Readable | string;
  /** Receives what is written to standard error, as it is written. */
  onError?: (text: string) => void;
  signal?: AbortSignal;
}

/** A stream that keeps what is written to it. */
class Kept extends Writable {
  text = '';

  constructor(private readonly tell: (text: string) => void = () => undefined) {
    super();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.tell(chunk.toString());
    done();
  }
}

/** Runs a command in this process, as `npm run NAME -- ...args` runs it in a process of its own. */
export async function run(main: Main, args: string[], given: Given = {}): Promise<Outcome> {
  const { env = {}, stdin = '', onError, signal = new AbortController().signal } = given;
  const [out, err] = [new Kept(), new Kept(onError)];
  const input = typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin;
  const code = await main(args, { ...process.env, ...env }, { stdin: input, out, err, signal });
  return { code, out: out.text, err: err.text };
}

const root = path.join(import.meta.dirname, '../..');

/**
 * Options of `npm run ingest` that skip the steps after a load, because these take longer than a small load.
 */
export const LOAD_ONLY = ['--no-brands', '--no-quality', '--no-suggest'];

/** The exit code or signal and the output of a process. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

/**
 * Starts a command in a process of its own, to test signals and crashes, which `run` cannot do. `ended` is
 * available at once.
 */
export function startCommand(
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...program(script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }) as Ended);
  return { child, ended };
}

/** Asserts the exit code of a command and, if patterns are given, what it wrote. Returns its outcome. */
export async function ends<T extends Pick<Ended, 'code' | 'out' | 'err'>>(
  command: Promise<T>,
  code: number,
  { out, err }: { out?: RegExp; err?: RegExp } = {},
): Promise<T> {
  const outcome = await command;
  assert.strictEqual(outcome.code, code, outcome.out + outcome.err);
  if (out !== undefined) assert.match(outcome.out, out);
  if (err !== undefined) assert.match(outcome.err, err);
  return outcome;
}

/** Runs a command on the catalogue of a service, asserts that it succeeds, and returns its standard output. */
export async function outputOf(main: Main, prefix: string, args: string[] = []): Promise<string> {
  const env = { ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: prefix };
  return (await ends(run(main, args, { env }), 0)).out;
}
