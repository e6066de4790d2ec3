import type { CatalogueWords } from '../naming/classifiers/catalogue.js';
import { compactKey, readTokens } from '../naming/tokens.js';
import { foldProse } from '../text/fold.js';
import { FOR_WORDS } from '../naming/target-words.js';
import { ACCESSORIES, MARKETING_WORDS } from '../text/vocabulary.js';

/** A maker that a catalogue's listings name, with the facts about the words that identify it in names. */
export interface Maker {
  /** The most frequent way in which the maker is written. */
  name: string;
  /** Whether feeds state it, many names begin with it, it is a product line of one maker, or an operator added it. */
  origin: 'stated' | 'beginning' | 'line' | 'added';
  /** The probability, 0 to 1, that a product whose name begins with the words of the maker is of this maker. */
  confidence: number;
  /** Whether the words also identify the maker where they do not stand at the beginning of a name. */
  isSureInside: boolean;
  /** Whether the words identify the maker only before a dash, as in "Platinum - Wall Charger". Absent means no. */
  needsDash?: boolean;
  /** The number of listings from which the maker was learned. */
  listings: number;
}

/** The makers of a catalogue, by the folded words with which the names of their products begin. */
export type MakerDictionary = ReadonlyMap<string, Maker>;

/** The minimum confidence with which learned words certainly name a maker. */
const CERTAIN = 0.9;

/** What the words of a dictionary name, by their letters and digits, for the reading of names. */
export function makerNames(makers: MakerDictionary): CatalogueWords['names'] {
  const names = new Map<string, 'maker' | 'likely maker' | 'line'>();
  for (const [words, { origin, needsDash, confidence }] of makers) {
    const key = compactKey(readTokens(words));
    const isCertain = needsDash !== true && confidence >= CERTAIN;
    if (key.length > 1) names.set(key, origin === 'line' ? 'line' : isCertain ? 'maker' : 'likely maker');
  }
  return names;
}

/** The maximum number of words of a maker's name. */
export const MAX_WORDS = 4;
/** The maker may begin at each of this number of words at the beginning of a name. */
export const MAX_POSITION = 4;
const MAX_NAME = 300;
/** Words such as "for" and "fits", after which a name states what the product goes with, and not who made it. */
const COMPATIBLE = new Set([...FOR_WORDS, 'fur', 'pour']);

/** Matches badges in brackets at the beginning of a name, such as "[Official Store]". */
const BADGES = /^(?:\s*(?:\[[^\]]*\]|【[^】]*】|\([^)]*\)))+/u;

/** Separates badges from the rest of a name, and replaces `&amp;` by `&`. Some shops write the maker in a badge. */
function withoutBadges(name: string): { text: string; badges: string[] } {
  const text = name.slice(0, MAX_NAME).replaceAll(/&amp;/gi, '&');
  const rest = text.replace(BADGES, '');
  if (!/\p{L}/u.test(rest)) return { text, badges: [] };
  const badges = text.slice(0, text.length - rest.length).split(/[\]】)]/u);
  return { text: rest, badges: badges.map((badge) => badge.replace(/^\s*[[【(]/u, '')) };
}

const PARTS = /[,;/|]|\s[-–—]\s/u;
/** Words such as "and" and "with". A maker that follows such a word is not taken for the maker of the product. */
const JOINING = new Set(['and', 'or', 'in', 'with', 'w', 'on', 'of', 'to']);

/** The runs of words at the end of a name that may be the maker of the accessory that it names: "R9 leather case Vor-Tek". */
function endsOfAccessory(name: string, words: readonly string[]): string[] {
  const accessory = words.findIndex((word) => ACCESSORIES.has(word));
  if (accessory < 1) return [];
  const part = makerWords(name.split(PARTS).at(-1) ?? '');
  const end = part.findLastIndex((word) => !MARKETING_WORDS.has(word)) + 1;
  const isEnd = words.length > accessory + 1 && part.slice(0, end).every((word) => words.includes(word));
  if (!isEnd) return [];
  const runs: string[] = [];
  for (let start = Math.max(1, end - MAX_WORDS); start < end; start += 1) {
    const run = part.slice(start, end);
    const isAfter = words.lastIndexOf(run[0] ?? '') > accessory;
    if (isAfter && !JOINING.has(part[start - 1] ?? '') && run.every((word) => /^\p{L}+$/u.test(word)))
      runs.push(run.join(' '));
  }
  return runs;
}

/** Splits a name or brand into folded words. */
export const makerWords = (text: string): string[] =>
  foldProse(text.slice(0, MAX_NAME))
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== '' && word !== '&');

/** Removes the blanks between the folded words of a maker: `tplink` for "TP-Link" and "TP LINK". */
export const compact = (key: string): string => key.replaceAll(' ', '');

/** The initials of a maker whose name has several words; empty for a single word. */
const initialsOf = (key: string): string => {
  const words = key.split(' ');
  return words.length === 1 ? '' : words.map((word) => word[0] ?? '').join('');
};

/** Whether two makers, in folded words, are the same, or one is a division of the other ("Logitech G") or its initials ("HP"). */
export const isSameMaker = (a: string, b: string): boolean =>
  compact(a) === compact(b) ||
  `${a} `.startsWith(`${b} `) ||
  `${b} `.startsWith(`${a} `) ||
  (b !== '' && initialsOf(a) === b) ||
  (a !== '' && initialsOf(b) === a);

/** The words of a name up to the first word such as "for". */
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => COMPATIBLE.has(word));
  return end < 0 ? words : words.slice(0, end);
}

/** Reads the parts of a listing's name that may name its maker. */
export function readMakerName(name: string) {
  const { text, badges } = withoutBadges(name);
  const words = ownWords(makerWords(text));
  const dash = text.search(/\s[-–—]\s/u);
  return {
    /** The name without the badges at its beginning. */
    text,
    /** The folded words of `text`, up to a word such as "for". */
    words,
    /** The folded texts of the badges in brackets at the beginning. */
    badges: badges.map((badge) => makerWords(badge).join(' ')),
    /** The number of words before the first dash between blanks; 0 without a dash. */
    wordsBeforeDash: dash < 0 ? 0 : makerWords(text.slice(0, dash)).length,
    accessoryEnds: endsOfAccessory(text, words),
  };
}

/** Infers the maker of a listing from its name. @returns `key`: the words that identify it; null if none is certain enough. */
export function inferMaker(
  name: string,
  dictionary: MakerDictionary,
): { name: string; key: string; confidence: number } | null {
  const { words, badges, wordsBeforeDash, accessoryEnds } = readMakerName(name);
  for (const key of [...badges, ...accessoryEnds]) {
    const maker = dictionary.get(key);
    if (maker !== undefined && maker.origin !== 'line' && maker.needsDash !== true)
      return { name: maker.name, key, confidence: maker.confidence };
  }
  for (let start = 0; start < Math.min(MAX_POSITION, words.length); start += 1) {
    for (let length = MAX_WORDS; length > 0; length -= 1) {
      const key = words.slice(start, start + length).join(' ');
      const maker = dictionary.get(key);
      if (maker === undefined || (maker.needsDash === true && length !== wordsBeforeDash)) continue;
      if (start === 0 || maker.isSureInside) return { name: maker.name, key, confidence: maker.confidence };
    }
  }
  return null;
}
