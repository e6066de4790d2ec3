import { quoted } from './text.js';

/** A listing in full, a line a field. Texts stand in quotation marks. */
export function detailsOf(listing: object): string[] {
  return Object.entries(listing).flatMap(([name, value]: [string, unknown]) =>
    value === null || value === undefined ? [] : [`${name}: ${written(value)}`],
  );
}

const LONGEST = 900;

const written = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:+-]+$/.test(value)
    ? value
    : typeof value === 'string'
      ? quoted(value, LONGEST)
      : JSON.stringify(value);
