import { UsageError } from './exit.js';

/** An option of a command: how `--help` shows it, and what it means. */
export interface Option<T> {
  /** What stands for its text in `--help`, such as FILE; undefined: it takes none. */
  placeholder?: string;
  help: string;
  /**
   * @param name as on the command line, such as `--limit`.
   * @param given each text that it was given with.
   * @throws UsageError
   */
  read(name: string, given: readonly string[]): T;
}

export type Options = Record<string, Option<unknown>>;

/** What the options of a command mean, by name. */
export type Values<O extends Options> = { [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

/** An option without a text: true where it is given. */
export const flag = (help: string): Option<boolean> => ({ help, read: (_name, given) => given.length > 0 });

/**
 * A text with a meaning; of several the last counts.
 * @param parse throws a UsageError where it has none.
 */
export function parsed<T>(
  placeholder: string,
  help: string,
  parse: (text: string, name: string) => T,
): Option<T | undefined> {
  const read = (name: string, given: readonly string[]) => {
    const text = given.at(-1);
    return text === undefined ? undefined : parse(text, name);
  };
  return { placeholder, help, read };
}

/** A text that is not blank. */
export const text = (placeholder: string, help: string): Option<string | undefined> =>
  parsed(placeholder, help, (given, name) => {
    if (given.trim() === '') throw new UsageError(`${name} must not be empty`);
    return given;
  });

/** One of a few words. */
export const oneOf = <T extends string>(words: readonly T[], help: string): Option<T | undefined> =>
  parsed(words.join('|'), help, (given, name) => {
    const word = words.find((candidate) => candidate === given);
    if (word !== undefined) return word;
    throw new UsageError(`${name} must be one of ${words.join(', ')}, not "${given}"`);
  });

/** A whole number, written in digits. */
export const wholeNumber = (
  help: string,
  { min, max }: { min: number; max: number },
  placeholder = 'N',
): Option<number | undefined> =>
  parsed(placeholder, help, (given, name) => {
    const number = /^\d{1,16}$/.test(given) ? Number(given) : NaN;
    if (number >= min && number <= max) return number;
    const largest = max.toLocaleString('en-US');
    throw new UsageError(`${name} must be a whole number from ${min} to ${largest}, not "${given}"`);
  });

/** A number above 0, with at most three decimals. */
export const positive = (help: string): Option<number | undefined> =>
  parsed('N', help, (given, name) => {
    const number = /^\d{1,7}(?:\.\d{1,3})?$/.test(given) ? Number(given) : 0;
    if (number > 0) return number;
    throw new UsageError(`${name} must be a number above 0, not "${given}"`);
  });

/** An option without which the command does not know what to do. */
export function needed<T>(option: Option<T | undefined>): Option<T> {
  const read = (name: string, given: readonly string[]) => {
    const value = option.read(name, given);
    if (value === undefined) throw new UsageError(`${name} ${option.placeholder} is needed`);
    return value;
  };
  return { ...option, read };
}

/** An option that means something where it is not given, too. */
export const preset = <T>(option: Option<T | undefined>, value: T): Option<T> => ({
  ...option,
  read: (name, given) => option.read(name, given) ?? value,
});

/** An option that may be given several times. */
export const several = <T>(option: Option<T | undefined>): Option<T[]> => ({
  ...option,
  read: (name, given) => given.flatMap((one) => option.read(name, [one]) ?? []),
});

/** An option that is needed, and may be given several times. */
export const atLeastOne = <T>(option: Option<T | undefined>): Option<T[]> => ({
  ...option,
  read(name, given) {
    needed(option).read(name, given);
    return several(option).read(name, given);
  },
});
