import type { Io, Output } from './command.js';
import { COMMANDS } from './commands.js';

/** The pattern of a command in texts, which mention commands in the form in which npm runs them. */
const NPM_COMMAND = /npm run ([a-z-]+)( --(?= |$))?/g;

/** Rewrites `npm run NAME --` to `catalogue NAME` for every command of the package. */
export const phrased = (text: string): string =>
  text.replaceAll(NPM_COMMAND, (written, name: string) =>
    Object.hasOwn(COMMANDS, name) ? `catalogue ${name}` : written,
  );

/** Wraps the streams of a command that `catalogue` runs, so that error messages mention `catalogue NAME`. */
export const phrasedIo = (io: Io): Io => ({
  // A getter is used, because reading `process.stdin` would open it.
  get stdin() {
    return io.stdin;
  },
  out: io.out,
  err: phrasedOutput(io.err),
  signal: io.signal,
  phrase: phrased,
});

function phrasedOutput(stream: Output): Output {
  const write = (chunk: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(stream.write, stream, [
      typeof chunk === 'string' ? phrased(chunk) : chunk,
      ...rest,
    ]) as boolean;
  return new Proxy(stream, {
    get(target, property) {
      if (property === 'write') return write;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
