import { readTable } from './tables.js';

/** The names of a colour in the languages of the titles, and its RGB value for images. */
export interface Colour {
  en: string;
  zh: string;
  ms: string;
  hex: string;
}

export const COLOURS: ReadonlyMap<string, Colour> = new Map(
  Object.entries(readTable<Record<string, [string, string, string]>>('colours')).map(
    ([en, [zh, ms, hex]]) => [en, { en, zh, ms, hex }],
  ),
);

/** Returns the colour with this English name. @throws RangeError if there is no such colour. */
export function colourNamed(name: string): Colour {
  const colour = COLOURS.get(name);
  if (colour === undefined) throw new RangeError(`no colour ${name}`);
  return colour;
}
