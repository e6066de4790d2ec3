import type { Readable } from 'node:stream';
import { parseArgs, styleText } from 'node:util';
import { ConfigError } from '../../src/platform/config/config.js';
import { CommandError, EXIT, InterruptedError, UsageError } from './exit.js';
import { helpOf, type HelpText } from './help.js';
import { flag, type Options, type Values } from './options.js';

/** Where a command writes to: a stream of the process, which may be a terminal, or one of a test. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** What a command reads and writes. */
export interface Io {
  stdin: Readable;
  /** Results. */
  out: Output;
  /** Progress, notes and errors, for people. */
  err: Output;
  /** Asks the command to end; its reason is the signal of the process, if there was one. */
  signal: AbortSignal;
  /** How a text that names commands as npm runs them is said to whoever called this one; as it is, unless given. */
  phrase?: (text: string) => string;
}

/** A command: arguments and environment in, exit code out. Never rejects. */
export type Main = (args: string[], env: NodeJS.ProcessEnv, io: Io) => Promise<number>;

/** What stands on a command line besides options. */
export interface Operands {
  /** As in `--help`, such as `FILE...`. */
  show: string;
  /** What is said where fewer are given than are needed. */
  missing?: string;
  max?: number;
  /** They are for another program, options and all. */
  verbatim?: boolean;
}

/** What to do with what the command line says. @returns the exit code; nothing is 0. */
type Run<O extends Options> = (
  given: { options: Values<O>; operands: string[] },
  env: NodeJS.ProcessEnv,
  io: Io,
) => Promise<number> | Promise<void>;

/** What an ending in order may take, as a rule. */
export const GRACE_MS = 10_000;

interface Common extends HelpText {
  /** How it ends in order when it is asked to; left out, it is left where it is. */
  ending?: {
    /** What is said where it did not come to its end. */
    said?: string;
    /** Work that has not ended so long after waits for something that does not answer, and is left; 0: never. */
    graceMs: number;
  };
}

/** A command without subcommands. */
export function command<O extends Options>(
  spec: Common & { operands?: Operands; options: O; run: Run<O> },
): Main {
  return guarded(spec, (args) => {
    const verbatim = spec.operands?.verbatim === true && !args.includes('--help');
    const { values, positionals } = verbatim ? { values: {}, positionals: args } : parse(args, spec.options);
    if (isHelp(values)) return null;
    return prepare('', spec, values, positionals);
  });
}

/** A subcommand, as in `npm run keys -- revoke KEY_ID`. */
export interface Subcommand {
  about: string;
  operands?: Operands;
  options: Options;
  prepare(name: string, values: Given, operands: string[]): Prepared;
}

export function subcommand<O extends Options>(spec: {
  about: string;
  operands?: Operands;
  options: O;
  run: Run<O>;
}): Subcommand {
  return { ...spec, prepare: (name, values, operands) => prepare(`${name} `, spec, values, operands) };
}

/** A command whose first argument says what to do. */
export function commands(spec: Common & { commands: Record<string, Subcommand> }): Main {
  const names = Object.keys(spec.commands);
  const all = Object.assign({}, ...names.map((name) => spec.commands[name]?.options)) as Options;
  return guarded(spec, (args) => {
    const { values, positionals } = parse(args, all);
    if (isHelp(values)) return null;
    const [name = '', ...operands] = positionals;
    const chosen = Object.hasOwn(spec.commands, name) ? spec.commands[name] : undefined;
    if (chosen === undefined)
      throw new UsageError(`Say what to do: ${names.join(', ')}${name === '' ? '' : `, not "${name}"`}`);
    return chosen.prepare(name, values, operands);
  });
}

type Given = Record<string, (string | boolean)[] | undefined>;

const isHelp = (values: Given): boolean => values['help'] !== undefined;

type Prepared = (env: NodeJS.ProcessEnv, io: Io) => Promise<number> | Promise<void>;

function parse(args: string[], options: Options) {
  const declared = { ...options, help: flag('') };
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(declared).map(([name, { placeholder }]) => [
          name,
          {
            type: placeholder === undefined ? 'boolean' : 'string',
            multiple: true,
            ...(name === 'help' && { short: 'h' }),
          },
        ]),
      ),
    }) as { values: Given; positionals: string[] };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads what was given, so that whatever is wrong is told before anything is begun. */
function prepare<O extends Options>(
  prefix: string,
  { options, operands, run }: { options: O; operands?: Operands; run: Run<O> },
  values: Given,
  positionals: string[],
): Prepared {
  const stray = Object.keys(values).find((name) => !Object.hasOwn(options, name));
  if (stray !== undefined) throw new UsageError(`${prefix}has no option --${stray}`);
  const max = operands === undefined ? 0 : (operands.max ?? Infinity);
  if (positionals.length > max)
    throw new UsageError(`${prefix}does not know what to do with "${positionals[max]}"`);
  if (positionals.length === 0 && operands?.missing !== undefined) throw new UsageError(operands.missing);
  const read = Object.entries(options).map(([name, option]) => {
    return [name, option.read(`${prefix}--${name}`, (values[name] ?? []).map(String))];
  });
  const given = { options: Object.fromEntries(read) as Values<O>, operands: positionals };
  return (env, io) => run(given, env, io);
}

/** @param prepared what to run; null: only help is wanted. */
function guarded(
  spec: Common & Parameters<typeof helpOf>[0],
  prepared: (args: string[]) => Prepared | null,
): Main {
  const { ending } = spec;
  return async (args, env, io) => {
    const say = () => {
      if (ending?.said !== undefined) io.out.write(`${ending.said}\n`);
    };
    try {
      const run = prepared(args);
      if (run === null) {
        io.out.write(io.phrase?.(helpOf(spec)) ?? helpOf(spec));
        return EXIT.done;
      }
      const code = await untilInterrupted<number | undefined>(
        Promise.resolve(run(env, io)).then((ended) => ended ?? undefined),
        io.signal,
        ending?.graceMs,
      );
      if (code === EXIT.interrupted) say();
      return code ?? EXIT.done;
    } catch (error) {
      // Whatever else an interruption breaks, the user has asked for.
      if (io.signal.aborted) {
        say();
        return EXIT.interrupted;
      }
      const { text, code } = explain(error, spec.name);
      io.err.write(`${styleText('red', text, { stream: io.err })}\n`);
      return code;
    }
  };
}

/**
 * Lets a command go on when whoever reads its output has gone, as `| head` does. For commands that must not stop halfway;
 * others end by the error of the stream, as programs in a pipe do.
 */
export function outliveReader({ out, err }: Pick<Io, 'out' | 'err'>): void {
  for (const stream of [out, err]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    });
  }
}

/** What comes of some work that can be left where it is. @throws InterruptedError when the signal comes first. */
export const unlessInterrupted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  untilInterrupted(work, signal);

/** @param graceMs how long the work has after the signal; 0: for ever. */
function untilInterrupted<T>(work: Promise<T>, signal: AbortSignal, graceMs?: number): Promise<T> {
  if (graceMs === 0) return work;
  const interrupted = new Promise<never>((_resolve, reject) => {
    const leave = () => reject(new InterruptedError());
    const end = () => {
      if (graceMs === undefined) leave();
      else setTimeout(leave, graceMs).unref();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([work, interrupted]);
}

/** A plain message for what its user can mend, the stack of what nobody expected. */
function explain(error: unknown, name: string): { text: string; code: number } {
  if (error instanceof UsageError || error instanceof ConfigError)
    return { text: `${error.message}\nnpm run ${name} -- --help says more.`, code: EXIT.misused };
  if (error instanceof CommandError) return { text: error.message, code: error.exitCode };
  // Of the system, such as a port that is taken.
  if (error instanceof Error && 'syscall' in error) return { text: error.message, code: EXIT.failed };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, code: EXIT.failed };
}
