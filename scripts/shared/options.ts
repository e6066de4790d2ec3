import { parseInstant } from '../../src/listing/instant.js';
import { UsageError } from './exit.js';

/** An option of a command: its line in `--help`, and how its text becomes a value of type `T`. */
export interface Option<T> {
  /** The name of the option's value in `--help`, such as FILE; absent if the option takes no value. */
  placeholder?: string;
  help: string;
  /** Converts the text, each time it is given. `name` is the option as the user wrote it, for errors. */
  parse?(text: string, name: string): unknown;
  fallback?: T;
  /** Whether `--help` displays `fallback`. */
  showFallback?: boolean;
  required?: boolean;
  /** Whether the option may be given several times, so that its value is an array. */
  repeatable?: boolean;
}

/** The options of a command by their names in camel case: `dryRun` declares `--dry-run`. */
export type Options = Record<string, Option<unknown>>;

/** Converts the name of an option to its form on the command line, such as `dryRun` to `dry-run`. */
export const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export type Values<O extends Options> = { [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

export const flag = (help: string): Option<boolean> => ({ help, fallback: false });

/** Declares an option that `parse` converts. If it is given several times, the last one wins. */
export const parsed = <T>(
  placeholder: string,
  help: string,
  parse: (text: string, name: string) => T,
): Option<T | undefined> => ({ placeholder, help, parse });

export const text = (placeholder: string, help: string): Option<string | undefined> =>
  parsed(placeholder, help, (given, name) => {
    if (given.trim() === '') throw new UsageError(`${name} must not be empty`);
    return given;
  });

export const time = (help: string): Option<Date | undefined> =>
  parsed('TIME', `${help}, in ISO 8601; now by default`, (given, name) => {
    const ms = parseInstant(given);
    if (ms === null) throw new UsageError(`${name} must be a time in ISO 8601, not "${given}"`);
    return new Date(ms);
  });

/** Words that an option accepts are shown beside its name up to this total length; a longer list follows the description. */
const MAX_SHOWN_WORDS = 40;

export const oneOf = <T extends string>(words: readonly T[], help: string): Option<T | undefined> => {
  const shown = words.join('|');
  const isShort = shown.length <= MAX_SHOWN_WORDS;
  return parsed(isShort ? shown : 'NAME', isShort ? help : `${help}: ${words.join(', ')}`, (given, name) => {
    const word = words.find((candidate) => candidate === given);
    if (word !== undefined) return word;
    throw new UsageError(`${name} must be one of ${words.join(', ')}, not "${given}"`);
  });
};

interface Range {
  min: number;
  max: number;
}

/** Parses digits as a whole number. Throws a UsageError if it is out of range. */
export function parseWholeNumber(given: string, name: string, { min, max }: Range): number {
  const number = /^\d{1,16}$/.test(given) ? Number(given) : NaN;
  if (number >= min && number <= max) return number;
  const largest = max.toLocaleString('en-US');
  throw new UsageError(`${name} must be a whole number from ${min} to ${largest}, not "${given}"`);
}

export const wholeNumber = (help: string, range: Range, placeholder = 'N'): Option<number | undefined> =>
  parsed(placeholder, help, (given, name) => parseWholeNumber(given, name, range));

export const positive = (help: string): Option<number | undefined> =>
  parsed('N', help, (given, name) => {
    const number = /^\d{1,7}(?:\.\d{1,3})?$/.test(given) ? Number(given) : 0;
    if (number > 0) return number;
    throw new UsageError(`${name} must be a number above 0, not "${given}"`);
  });

/** Declares an option whose value is an http or https URL, without slashes at its end. */
export const webUrl = (help: string): Option<string | undefined> =>
  parsed('URL', help, (given, name) => {
    if (/^https?:\/\/\S+$/.test(given) && URL.canParse(given)) return given.replace(/(?<!\/)\/+$/, '');
    throw new UsageError(`${name} must be an http or https URL, not "${given}"`);
  });

export const needed = <T>(option: Option<T | undefined>): Option<T> =>
  ({ ...option, required: true }) as Option<T>;

/** Gives a command-line option a default value, which `--help` displays. */
export const preset = <T>(option: Option<T | undefined>, value: T): Option<T> => ({
  ...option,
  fallback: value,
  showFallback: true,
});

export const several = <T>(option: Option<T | undefined>): Option<T[]> => ({
  ...option,
  fallback: [],
  repeatable: true,
});

export const atLeastOne = <T>(option: Option<T | undefined>): Option<T[]> => ({
  ...several(option),
  required: true,
});
