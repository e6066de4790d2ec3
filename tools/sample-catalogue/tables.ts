import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { at, hash32 } from './random.js';

/** Reads a data file of the sample catalogue, `NAME.yaml` in this folder. */
export const readTable = <T>(name: string): T =>
  parse(readFileSync(new URL(`${name}.yaml`, import.meta.url), 'utf8')) as T;

/** The English name of a colour, and its RGB value for images. */
export interface Colour {
  en: string;
  hex: string;
}

export const COLOURS: readonly Colour[] = Object.entries(readTable<Record<string, string>>('colours')).map(
  ([en, hex]) => ({ en, hex }),
);

/** Returns the colour with this English name. @throws RangeError if there is no such colour. */
export function colourNamed(name: string): Colour {
  const colour = COLOURS.find(({ en }) => en === name);
  if (colour === undefined) throw new RangeError(`no colour ${name}`);
  return colour;
}

/** The words of a language in `languages/`. */
export interface Language {
  /** The pattern of titles in Singapore, and the word for "for" in the name of an accessory. Only Chinese and Malay have them. */
  title?: string;
  for?: string;
  /** The nouns of a product type, the usual one first. */
  nouns(type: string): readonly string[];
  /** The name of a colour; empty if the product has none. */
  colour(colour: Colour | null): string;
}

type Words = Readonly<Record<string, string>>;

/** Reads a language from `languages/`. */
export function languageNamed(name: string): Language {
  const { nouns, colours, ...titles } = readTable<
    Pick<Language, 'title' | 'for'> & Record<'nouns' | 'colours', Words>
  >(`languages/${name}`);
  const known = (words: Words, key: string): string => {
    const text = words[key];
    if (text === undefined) throw new RangeError(`${name} has no word for ${key}`);
    return text;
  };
  return {
    ...titles,
    nouns: (type) => known(nouns, type).split(' | '),
    colour: (colour) => (colour === null ? '' : known(colours, colour.en)),
  };
}

const BRANDS = readTable<Record<string, readonly string[]>>('brands');
const syllables = (text: string): string[] => text.split(' ');
const ONSETS = syllables(
  'Al Bel Cor Dar El Fen Gar Hol Il Jor Kal Lor Mar Nor Ol Per Quen Ros Sal Tor Ul Ver Wil Yor Zan',
);
const MIDDLES = syllables('a an ar ava e en era i in ida o on ora u un ura avi eno oli uma');
const ENDINGS = syllables(
  'bex dane dex fell gard lin mar mere mont nix quist ra ric sa ta tis ven via wick zo',
);

/** Returns the brand names of a trade in brands.yaml. @throws RangeError if there is no such trade. */
export function brandsOf(trade: string): readonly string[] {
  const brands = BRANDS[trade];
  if (brands === undefined) throw new RangeError(`no trade ${trade}`);
  return brands;
}

/** The n-th brand of a trade: those of the table, then about ten thousand names of random syllables. */
export function brandName(trade: string, n: number): string {
  const known = brandsOf(trade);
  const name = known[n];
  if (name !== undefined) return name;
  // Each trade starts at another combination of syllables, so that hardly any name occurs in two trades.
  const m = (n - known.length + hash32(trade)) % (ONSETS.length * MIDDLES.length * ENDINGS.length);
  const round = Math.floor(m / ONSETS.length);
  const middle = round % MIDDLES.length;
  return at(ONSETS, m) + at(MIDDLES, middle) + at(ENDINGS, middle + Math.floor(round / MIDDLES.length));
}
