import { shippedJson } from '../platform/shipped-files.js';
import { foldProse } from './fold.js';

/** The words by which quantities of goods are read, in several languages. */
const { units, applianceIdeographs, applianceRuns, setRuns, ...LISTS } = shippedJson(
  'src/text/vocabularies/goods.json',
) as {
  units: Record<AmountUnit, Record<string, string>>;
  applianceIdeographs: string;
  applianceRuns: string;
  setRuns: string;
};

/** The units of mass, volume and length to which amounts are related. */
export type AmountUnit = 'kg' | 'l' | 'm';

/** The words of a text, folded as names are. */
const blanks = (text: string): string[] =>
  foldProse(text)
    .split(' ')
    .filter((word) => word !== '');

/** The words of one list. @throws if the file does not have it. */
export function goodsWords(list: string): string[] {
  const lines = (LISTS as Record<string, string[] | undefined>)[list];
  if (lines === undefined) throw new Error(`no ${list} in the words of goods`);
  return lines.flatMap(blanks);
}

/** For each name of a unit: what it measures, and its size in thousandths of that unit (g, ml, mm), as decimal text. */
export const AMOUNT_UNITS: ReadonlyMap<string, { per: AmountUnit; size: string }> = new Map(
  (Object.entries(units) as [AmountUnit, Record<string, string>][]).flatMap(([per, names]) =>
    Object.entries(names).flatMap(([words, size]) =>
      blanks(words).map((name) => [name, { per, size }] as const),
    ),
  ),
);

/** The source of a regular expression that matches one of the words, the longest first; nothing if there are none. */
export const oneOf = (words: Iterable<string>): string =>
  `(?:${[...words].sort((a, b) => b.length - a.length).join('|') || '(?!)'})`;

/** Ideographs with which the names of appliances, vessels and wearables end. */
export const APPLIANCE_IDEOGRAPHS = applianceIdeographs;
/** Words of appliances and of sets within a run of Thai, whose vowels folding removes, or of Chinese. */
export const [APPLIANCE_RUN, SET_RUN] = [applianceRuns, setRuns].map(
  (words) => new RegExp(words.replaceAll(' ', '|'), 'u'),
) as [RegExp, RegExp];
