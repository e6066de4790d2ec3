import type { Io, Output } from '../shared/command.js';
import { COMMANDS } from './commands.js';

/** Commands are named as npm runs them wherever something is said of them; `catalogue` says it as it is called. */
const NAMED = /npm run ([a-z-]+)( --(?= |$))?/g;

/** A text of a command, with the commands in it named as `catalogue` has them. */
export const phrased = (text: string): string =>
  text.replaceAll(NAMED, (said, name: string) =>
    Object.hasOwn(COMMANDS, name) ? `catalogue ${name}` : said,
  );

/** What a command reads and writes when `catalogue` has called it. Results stay as they are. */
export const called = (io: Io): Io => ({
  // Looked at by those that read it alone: to open it is to hold it.
  get stdin() {
    return io.stdin;
  },
  out: io.out,
  err: rephrased(io.err),
  signal: io.signal,
  phrase: phrased,
});

/** The stream itself, but for what is written to it as text. */
function rephrased(stream: Output): Output {
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
