import { Readable, Writable } from 'node:stream';
import type { Main } from '../../scripts/shared/command.js';

/** How a command ended, and what it wrote. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
}

interface Given {
  /** Besides those of the tests. */
  env?: NodeJS.ProcessEnv;
  stdin?: Readable | string;
  signal?: AbortSignal;
}

/** Keeps what is written. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Runs a command in this process, as `npm run NAME -- ...args` does in one of its own. */
export async function run(main: Main, args: string[], given: Given = {}): Promise<Outcome> {
  const { env = {}, stdin = '', signal = new AbortController().signal } = given;
  const [out, err] = [new Kept(), new Kept()];
  const input = typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin;
  const code = await main(args, { ...process.env, ...env }, { stdin: input, out, err, signal });
  return { code, out: out.text, err: err.text };
}
