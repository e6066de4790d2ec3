import type { Readable } from 'node:stream';
import { styleText } from 'node:util';
import { Command, CommanderError, Option as CommanderOption } from 'commander';
import { ConfigError } from '../../src/platform/config/config.js';
import { OperationError } from '../../src/platform/operation-errors.js';
import { HELP, wrapped } from './help.js';
import { EXIT, exitCodeOf, InterruptedError, UsageError } from './exit.js';
import { kebabCase, type Option, type Options, type Values } from './options.js';

export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

export interface Io {
  stdin: Readable;
  out: Output;
  /** The stream for progress, notes and errors, which people read. */
  err: Output;
  /** Aborts when the command should end. Its reason is the received signal, if there was one. */
  signal: AbortSignal;
  /** Rewrites command names such as `npm run link` to the form in which this command was called. */
  phrase?: (text: string) => string;
}

/** Prints a line for people, with the names of commands in the form in which this command was called. */
export function notice({ err, phrase }: Pick<Io, 'err' | 'phrase'>, line: string): void {
  err.write(`${phrase?.(line) ?? line}\n`);
}

/** A command. Returns the exit code, and never rejects. */
export type Main = (args: string[], env: NodeJS.ProcessEnv, io: Io) => Promise<number>;

export interface Operands {
  /** The name of the operands in `--help`. A name that ends in `...` allows several. */
  show: string;
  /** The error message if no operand is given. Without it, the operands are optional. */
  missing?: string;
  /** Whether all arguments, including options, are passed on to another program. */
  verbatim?: boolean;
}

/** Returns the exit code; undefined if the command is done, unless an interruption left it no time to complete its work. */
type CommandFunction<O extends Options> = (
  given: { options: Values<O>; operands: string[] },
  env: NodeJS.ProcessEnv,
  io: Io,
) => Promise<number> | Promise<void>;

/** The time in milliseconds that most commands have to end by themselves after an interruption. */
export const GRACE_MS = 10_000;

interface Description {
  name: string;
  about: string;
  /** Further text of `--help`, such as the environment variables that the command reads. */
  notes?: string;
  /** The exit codes that have a special meaning in this command, with that meaning. */
  exits?: Partial<Record<keyof typeof EXIT, string>>;
  /** How the command ends after SIGINT, SIGTERM or SIGHUP. If absent, its work is abandoned at once. */
  onInterrupt?: {
    /** The text that is printed if the interrupted command did not complete its work; it may depend on the arguments. */
    message?: string | ((args: readonly string[]) => string);
    /** The time in milliseconds after which work that still waits for something is abandoned; 0: never. */
    graceMs: number;
  };
}

interface Action<O extends Options> {
  about: string;
  operands?: Operands;
  options: O;
  /** The headings in `--help`, each with the names of the options below it. */
  sections?: Record<string, readonly string[]>;
  run: CommandFunction<O>;
}

/** A subcommand, such as `revoke` in `npm run keys -- revoke KEY_ID`, or the only action of a command. */
export interface Subcommand {
  about: string;
  /** Declares the options and operands on a Commander command, and passes the parsed action to `choose`. */
  declare: (program: Command, choose: (prepared: Prepared) => void) => void;
}

type Prepared = (env: NodeJS.ProcessEnv, io: Io) => Promise<number> | Promise<void>;

export const subcommand = <O extends Options>(action: Action<O>): Subcommand => ({
  about: action.about,
  declare: (program, choose) => declare(program, action, choose),
});

export const command = <O extends Options>(spec: Description & Action<O>): Main =>
  guarded(spec, subcommand(spec).declare);

export function commands(spec: Description & { commands: Record<string, Subcommand> }): Main {
  const names = Object.keys(spec.commands);
  const main = guarded(spec, (program, choose) => {
    program
      .usage('COMMAND [options]')
      .addHelpText('after', `\nnpm run ${spec.name} -- COMMAND --help shows the options of a command.`)
      .argument('[command]')
      .action((name?: string) => {
        const wrong = name === undefined ? '' : `, not "${name}"`;
        throw new UsageError(`Name one of these commands: ${names.join(', ')}${wrong}`);
      });
    for (const [name, { about, declare }] of Object.entries(spec.commands))
      declare(program.command(name).description(about), choose);
  });
  return (args, env, io) => {
    // The name of the subcommand is moved to the front, because Commander expects it before the options.
    const name = args[0]?.startsWith('-') === true ? args.find((arg) => names.includes(arg)) : undefined;
    return main(name === undefined ? args : [name, ...args.toSpliced(args.indexOf(name), 1)], env, io);
  };
}

function declare<O extends Options>(
  program: Command,
  { operands, options, sections = {}, run }: Action<O>,
  choose: (prepared: Prepared) => void,
): void {
  const prefix = program.parent === null ? '' : `${program.name()} `;
  const declared = Object.entries(options).map(([name, option]) => {
    const flag = `--${kebabCase(name)}`;
    const commanderOption = toCommander(prefix + flag, flag, option);
    const heading = Object.keys(sections).find((each) => sections[each]?.includes(name));
    if (heading !== undefined) commanderOption.helpGroup(heading);
    program.addOption(commanderOption);
    return { name, optionName: prefix + flag, option, commanderOption };
  });
  program.usage(['[options]', operands?.show].filter(Boolean).join(' '));
  if (operands !== undefined) program.argument(`[${operands.show}]`);
  if (operands?.verbatim === true) program.allowUnknownOption().helpOption('--help', 'show this help');
  program.action(() => {
    const given = program.args;
    if (given.length === 0 && operands?.missing !== undefined) throw new UsageError(operands.missing);
    const values = declared.map(({ name, optionName, option, commanderOption }) => [
      name,
      valueOf(program, optionName, option, commanderOption),
    ]);
    const parsed = { options: Object.fromEntries(values) as Values<O>, operands: given };
    choose((env, io) => run(parsed, env, io));
  });
}

function toCommander(optionName: string, flag: string, option: Option<unknown>): CommanderOption {
  const { placeholder, help, parse, fallback, showFallback, repeatable } = option;
  if (placeholder === undefined) return new CommanderOption(flag, help);
  const declared = new CommanderOption(`${flag} <${placeholder}>`, help);
  if (showFallback === true) declared.default(fallback, String(fallback));
  return declared.argParser((given: string, previous: unknown) => {
    if (given.startsWith('--')) throw new UsageError(`${optionName} needs a value, not the option ${given}`);
    const value = parse?.(given, optionName);
    return repeatable === true ? [...((previous as unknown[] | undefined) ?? []), value] : value;
  });
}

function valueOf(
  program: Command,
  optionName: string,
  option: Option<unknown>,
  declared: CommanderOption,
): unknown {
  const value: unknown = program.getOptionValue(declared.attributeName());
  // `--no-quality` is given if its value is false: Commander stores it as `quality: false`.
  if (declared.negate) return value === false;
  if (value === undefined && option.required === true)
    throw new UsageError(`${optionName} ${option.placeholder} is needed`);
  return value ?? option.fallback;
}

function exitLine(exits: Description['exits']): string {
  const meanings = { done: 'done', failed: 'failed', misused: 'invalid use', ...exits };
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).filter((key) => meanings[key] !== undefined);
  return `Exit code: ${codes.map((key) => `${EXIT[key]} ${meanings[key]}`).join('; ')}.`;
}

/** Parses the arguments. Returns null if the user requested only the help, which is then printed. */
function parse(
  spec: Description,
  declareAll: Subcommand['declare'],
  args: string[],
  io: Io,
): Prepared | null {
  let chosen: Prepared | null = null;
  const program = new Command(`npm run ${spec.name} --`)
    .description(wrapped(spec.about))
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp(HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        const help = text.replace(/^Usage: /, '');
        io.out.write(io.phrase?.(help) ?? help);
      },
      outputError: () => undefined,
    });
  const epilogue = [spec.notes ?? '', exitLine(spec.exits)].filter(Boolean).map(wrapped).join('\n\n');
  program.addHelpText('afterAll', `\n${epilogue}`);
  declareAll(program, (prepared) => {
    chosen = prepared;
  });
  try {
    program.parse(args, { from: 'user' });
    return chosen;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return null;
    throw new UsageError(error.message.replace(/^error: /, ''));
  }
}

function guarded(spec: Description, declareAll: Subcommand['declare']): Main {
  const { onInterrupt } = spec;
  return async (args, env, io) => {
    outliveReader(io);
    const reportInterruption = () => {
      const message = onInterrupt?.message;
      if (message !== undefined) io.out.write(`${typeof message === 'string' ? message : message(args)}\n`);
    };
    try {
      const run = parse(spec, declareAll, args, io);
      if (run === null) return EXIT.done;
      const graceMs = onInterrupt?.graceMs;
      const ended = await untilInterrupted<unknown>(Promise.resolve(run(env, io)), io.signal, graceMs);
      const unfinished = io.signal.aborted && (graceMs ?? 0) > 0 ? EXIT.interrupted : EXIT.done;
      const code = typeof ended === 'number' ? ended : unfinished;
      if (code === EXIT.interrupted) reportInterruption();
      return code;
    } catch (error) {
      // Errors that follow an interruption are its consequence, so they are not shown.
      if (io.signal.aborted) {
        reportInterruption();
        return EXIT.interrupted;
      }
      const { text, code } = explain(error, spec.name);
      notice(io, styleText('red', text, { stream: io.err }));
      return code;
    }
  };
}

/** Lets a command complete its work after `| head` has closed the pipe. One that only writes stops when `out.writable` is false. */
function outliveReader({ out, err }: Pick<Io, 'out' | 'err'>): void {
  for (const stream of [out, err]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    });
  }
}

/** Returns the result of work, or throws an InterruptedError as soon as the signal aborts. */
export const unlessInterrupted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  untilInterrupted(work, signal);

/** Like `unlessInterrupted`, but the work may go on for `graceMs` after the signal; 0: without a limit. */
function untilInterrupted<T>(work: Promise<T>, signal: AbortSignal, graceMs?: number): Promise<T> {
  if (graceMs === 0) return work;
  const interrupted = new Promise<never>((_resolve, reject) => {
    const abandon = () => reject(new InterruptedError());
    const end = () => {
      if (graceMs === undefined) abandon();
      else setTimeout(abandon, graceMs).unref();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([work, interrupted]);
}

/** The message of an error and its exit code. Errors that the user can fix have no stack; unexpected errors have one. */
function explain(error: unknown, name: string): { text: string; code: number } {
  const code = exitCodeOf(error);
  if (!(error instanceof Error)) return { text: String(error), code };
  if (error instanceof UsageError || error instanceof ConfigError)
    return { text: `${error.message}\nnpm run ${name} -- --help shows how to use it.`, code };
  // An error of the operating system has a `syscall`, for example if a port is in use.
  const isExplained = error instanceof OperationError || 'syscall' in error;
  return { text: isExplained ? error.message : (error.stack ?? error.message), code };
}
