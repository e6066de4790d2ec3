import { UsageError } from './exit.js';

/** An option of a command: its line in `--help`, and how its text becomes a value of type `T`. */
export interface Option<T> {
  /** The name of the value in `--help`, such as FILE. An option without a placeholder takes no value. */
  placeholder?: string;
  help: string;
  /**
   * Converts the text of one occurrence of the option.
   * @param name the option as the user wrote it, such as `--limit`; for error messages.
   * @throws UsageError
   */
  parse?(text: string, name: string): unknown;
  /** The value if the option is not given. */
  fallback?: T;
  /** `--help` shows the fallback. */
  showFallback?: boolean;
  required?: boolean;
  /** The option may be given several times; its value is an array. */
  repeatable?: boolean;
}

export type Options = Record<string, Option<unknown>>;

/** The type of the parsed options, by name. */
export type Values<O extends Options> = { [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

/** An option without a value: true if it is given. */
export const flag = (help: string): Option<boolean> => ({ help, fallback: false });

/** An option whose text is converted by `parse`. If it is given several times, the last one wins. */
export const parsed = <T>(
  placeholder: string,
  help: string,
  parse: (text: string, name: string) => T,
): Option<T | undefined> => ({ placeholder, help, parse });

/** A text that is not blank. */
export const text = (placeholder: string, help: string): Option<string | undefined> =>
  parsed(placeholder, help, (given, name) => {
    if (given.trim() === '') throw new UsageError(`${name} must not be empty`);
    return given;
  });

/** One of a fixed set of words. */
export const oneOf = <T extends string>(words: readonly T[], help: string): Option<T | undefined> =>
  parsed(words.join('|'), help, (given, name) => {
    const word = words.find((candidate) => candidate === given);
    if (word !== undefined) return word;
    throw new UsageError(`${name} must be one of ${words.join(', ')}, not "${given}"`);
  });

interface Range {
  min: number;
  max: number;
}

/** @throws UsageError if the text is not a whole number in digits, or outside of the range. */
export function parseWholeNumber(given: string, name: string, { min, max }: Range): number {
  const number = /^\d{1,16}$/.test(given) ? Number(given) : NaN;
  if (number >= min && number <= max) return number;
  const largest = max.toLocaleString('en-US');
  throw new UsageError(`${name} must be a whole number from ${min} to ${largest}, not "${given}"`);
}

/** A whole number, written in digits. */
export const wholeNumber = (help: string, range: Range, placeholder = 'N'): Option<number | undefined> =>
  parsed(placeholder, help, (given, name) => parseWholeNumber(given, name, range));

/** A number above 0, with at most three decimals. */
export const positive = (help: string): Option<number | undefined> =>
  parsed('N', help, (given, name) => {
    const number = /^\d{1,7}(?:\.\d{1,3})?$/.test(given) ? Number(given) : 0;
    if (number > 0) return number;
    throw new UsageError(`${name} must be a number above 0, not "${given}"`);
  });

/** An option that must be given. */
export const needed = <T>(option: Option<T | undefined>): Option<T> =>
  ({ ...option, required: true }) as Option<T>;

/** An option with a default value, which `--help` shows. */
export const preset = <T>(option: Option<T | undefined>, value: T): Option<T> => ({
  ...option,
  fallback: value,
  showFallback: true,
});

/** An option that may be given several times. */
export const several = <T>(option: Option<T | undefined>): Option<T[]> => ({
  ...option,
  fallback: [],
  repeatable: true,
});

/** An option that must be given, and may be given several times. */
export const atLeastOne = <T>(option: Option<T | undefined>): Option<T[]> => ({
  ...several(option),
  required: true,
});
