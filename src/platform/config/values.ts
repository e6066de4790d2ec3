/** An environment variable with an invalid value. The message states what is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The error for a wrong value of a variable. The message quotes the value, so it must not be a secret. */
export const wrongValue = (name: string, wanted: string, value: string): ConfigError =>
  new ConfigError(`${name} must ${wanted}, not "${value}"`);

/** Reads an environment variable; null if it is unset or blank. */
export type ReadVariable = (name: string) => string | null;

/** Splits a comma-separated list; empty items are omitted. */
export function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Reads a whole number. @throws ConfigError that names the variable, like all functions of this file. */
export function integer<Default extends number | null>(
  text: ReadVariable,
  name: string,
  unset: Default,
  min: number,
  max: number,
): number | Default {
  const value = text(name);
  if (value === null) return unset;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (!(number >= min && number <= max))
    throw wrongValue(name, `be a whole number from ${min} to ${max}`, value);
  return number;
}

/** Reads a number of days, such as `30d`. */
export function days(text: ReadVariable, name: string, unset: string): number {
  const value = text(name) ?? unset;
  const number = Number(/^(\d{1,4})d$/.exec(value)?.[1]);
  if (!(number >= 1)) throw wrongValue(name, 'be a number of days such as 30d', value);
  return number;
}

/** Reads a size, such as `500mb` or `4gb`, in bytes. */
export function bytes(text: ReadVariable, name: string, unset: string): number {
  const value = text(name) ?? unset;
  const [, number, unit] = /^(\d{1,6})(mb|gb)$/.exec(value) ?? [];
  if (!(Number(number) >= 1)) throw wrongValue(name, 'be a size such as 500mb or 4gb', value);
  return Number(number) * (unit === 'gb' ? 2 ** 30 : 2 ** 20);
}

/** Reads a number from 0 to 1, which is 1 if the variable is unset. */
export function fraction(text: ReadVariable, name: string): number {
  const value = text(name) ?? '1';
  const number = /^\d(\.\d{1,9})?$/.test(value) ? Number(value) : NaN;
  if (!(number >= 0 && number <= 1)) throw wrongValue(name, 'be a number from 0 to 1', value);
  return number;
}

/** Checks an environment variable with a URL and removes slashes at the end of the URL. */
export function url(name: string, value: string, protocols: string[]): string {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (!parsed || !protocols.includes(parsed.protocol) || parsed.hostname === '') {
    const schemes = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new ConfigError(`${name} must be a URL that starts with ${schemes}`);
  }
  return value.replace(/(?<!\/)\/+$/, '');
}

/** Checks a value against a pattern. @param wanted a description of what the pattern allows. */
export function matching(name: string, value: string, pattern: RegExp, wanted: string): string {
  if (!pattern.test(value)) throw wrongValue(name, `consist of ${wanted}`, value);
  return value;
}

/** Reads a variable whose value must be one of several words, ignoring case. */
export function oneOf<T extends string>(text: ReadVariable, name: string, unset: T, allowed: readonly T[]) {
  const value = text(name) ?? unset;
  const found = allowed.find((candidate) => candidate === value.toLowerCase());
  if (found === undefined) throw wrongValue(name, `be one of ${allowed.join(', ')}`, value);
  return found;
}

export const onOrOff = (text: ReadVariable, name: string, unset: 'on' | 'off'): boolean =>
  oneOf(text, name, unset, ['on', 'off']) === 'on';
