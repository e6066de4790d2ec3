import { foldProse } from './fold.js';
import { phrasesOfMarkets } from './market-words.js';

/** The units of mass, volume and length to which amounts are related. */
export type AmountUnit = 'kg' | 'l' | 'm';

/** The words of a text, folded as names are. */
const blanks = (text: string): string[] =>
  foldProse(text)
    .split(' ')
    .filter((word) => word !== '');

/** The words of one list. @throws if there is no such list. */
export const goodsWords = (list: string): string[] =>
  phrasesOfMarkets(list).flatMap(({ phrase }) => blanks(phrase));

/** The sizes of units in thousandths of the unit to which they are related (g, ml, mm), as decimal text. */
const SIZES: Record<AmountUnit, Record<string, string>> = {
  kg: { g: '1', dag: '10', kg: '1000', lb: '453.59237', oz: '28.349523125' },
  l: { ml: '1', cl: '10', dl: '100', l: '1000', floz: '29.5735295625' },
  m: { m: '1000', yd: '914.4', ft: '304.8' },
};

/** For each name of a unit: what it measures, and its size. */
export const AMOUNT_UNITS: ReadonlyMap<string, { per: AmountUnit; size: string }> = new Map(
  (Object.entries(SIZES) as [AmountUnit, Record<string, string>][]).flatMap(([per, sizes]) =>
    phrasesOfMarkets('unit').flatMap(({ phrase, first }) => {
      const size = sizes[first];
      return size === undefined ? [] : blanks(phrase).map((name) => [name, { per, size }] as const);
    }),
  ),
);

/** The source of a regular expression that matches one of the words, the longest first; nothing if there are none. */
export const oneOf = (words: Iterable<string>): string =>
  `(?:${[...words].sort((a, b) => b.length - a.length).join('|') || '(?!)'})`;

const oneAsWritten = (list: string): string => oneOf(phrasesOfMarkets(list).map(({ phrase }) => phrase));
/** Ideographs with which the names of appliances, vessels and wearables end. */
export const APPLIANCE_IDEOGRAPHS = oneAsWritten('appliance_ideographs');
/** Words of appliances and of sets within a run of Thai, whose vowels folding removes, or of Chinese. */
export const APPLIANCE_RUN = new RegExp(oneAsWritten('appliance_runs'), 'u');
export const SET_RUN = new RegExp(oneAsWritten('set_runs'), 'u');
