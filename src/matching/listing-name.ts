import { foldProse } from '../text/fold.js';
import { goodsWords, oneOf } from '../text/goods.js';
import { splitWords } from '../text/tokenize.js';

/** The maximum number of characters of a name that are read. */
const MAX_NAME = 400;

/** Patterns of phrases that matching would misread, each with the text that replaces it. */
const REWRITES: readonly [RegExp, string][] = [
  // A feed may escape quotation marks, as in `8\"`.
  [/\\(?=["'])/g, ''],
  // In `27.5"x2.40"`, the dimensions are not two sizes in inches, such as those of two parts.
  [/(\d)(?:''|")? ?x ?(\d{1,3}(?:[.,]\d+)?)(?:''|")/g, '$1 x $2'],
  [/(\d)(?:''|") ?x ?(?=\d)/g, '$1 x '],
  // "Jewel case" is packaging, and not an accessory.
  [/\b(?:jewel|slim|dvd) case\b/g, ' '],
  // A running time, as in "10 hours battery life", does not mean that a battery is for sale.
  [
    /\b\d+(?:\.\d+)?[\s-]?(?:h|hrs?|hours?|days?)(?: of)? (?:battery|charge)(?: life)?\b|\bbattery (?:life|backup)\b/g,
    ' ',
  ],
  // A sleeve bearing is a part of a fan, and not a case.
  [/\bsleeve (?=bearings?\b)/g, ''],
  // A part number identifies a product, and does not mean that a spare part is for sale.
  [/\bparts? (?=(?:numbers?|no|#))/g, ''],
  // The words "brush head" are joined to one word, because they name the replaceable part of a brush and not
  // a brush.
  [/\b(?:tooth)?(?:brush|shaver|razor|mop|trimmer) heads?\b/g, 'brushhead'],
  // These phrases state that a product is not new, as one word does: "refurbished". "No open box returns" is a condition of sale.
  [
    /(?<!\bno )\b(?:open[\s-]?box|pre[\s-]?owned|second[\s-]?hand|ex[\s-]?display|like[\s-]new)\b/g,
    'refurbished',
  ],
  // French and German prepositions are read as the English ones, except in "pour over coffee".
  [/\bpour(?=\s(?!over\b))/g, 'for'],
  [/\b(?:mit|avec)\b/g, 'with'],
  [/\b(?:ohne|sans)\b/g, 'without'],
  // "100 %" is marketing, and not a number of the product.
  [/\b100\s?%/g, ' '],
  // "Blu-ray" is a disc, and not the colour blue.
  [/\bblu[\s-]?ray\b/g, 'bluray'],
  // "Ultra HD" is the resolution of a screen, and not the tier "ultra".
  [/\b(?:ultra|full)[\s-]?(?:hd|high definition)\b/g, 'uhd'],
  // The plus sign of a model, as in `S24+`, is replaced by the word "plus".
  [/(?<=\p{L}\d{1,3})\+(?![\p{L}\d])/gu, ' plus'],
  // "Mark" and "Mk" are removed, because "Mark II" is often written as "II" alone.
  [/\b(?:mark|mk)[\s-]?(?=(?:[ivx]{1,4}|\d)\b)/g, ' '],
  // After the name of a graphics chip, "3X 12G" states three fans and 12 GB of memory, and not a pack of three.
  [/(?<=\b(?:rtx|gtx|rx)[\s-]?\d{3,4}(?!\d).*\b\dx) (?=\d{1,2}gb?\b)/g, ' / '],
  // In "5450 Core i5", the word is part of the processor's name, and 5450 is no number of cores.
  [/(?<=\d )(?=core (?:i\d|ultra|m\d))/g, '/ '],
  // The range of apertures `f/3.5-5.6` is two apertures, and no model number.
  [/\bf\/?(\d(?:\.\d)?)-(?=\d(?:\.\d)?(?![\p{L}\d.]))/gu, 'f$1 f'],
  // "f/1.2L" states the aperture of a lens, and not a volume. "F2.0" is f/2.
  [/\bf\/?(\d{1,2}(?:\.\d)?)l\b/g, 'f$1 l'],
  [/\bf\/?(\d{1,2})(?:\.0(?!\d))?/g, 'f$1'],
  // A list of operating systems that a program runs on is reduced to its first word.
  [
    /\b(win(?:dows)?|mac(?:intosh)?)(?:[\s/,&]+(?:95|98(?:se)?|me|2000|2003|xp|nt|vista|os|osx|x|(?:9|10)\.\w+|or (?:higher|later))(?![\w.])){2,}/g,
    '$1',
  ],
];

/** Matches a capacity that looks like a mass, as in "Flash Drive 32G". */
const CAPACITY = /(?<![\p{L}\d.])(8|12|16|24|32|48|64|128|256|512)g(?![\p{L}\d])/u;
const CAPACITIES = new RegExp(CAPACITY, 'gu');
const ELECTRONICS = new RegExp(`(?<![\\p{L}\\d])${oneOf(goodsWords('electronics'))}(?!\\p{L})`, 'u');

/** Folds the name of a listing, and replaces phrases that matching would misread. */
export function foldListingName(name: string): string {
  const folded = REWRITES.reduce(
    (text, [pattern, plain]) => text.replace(pattern, plain),
    foldProse(name.slice(0, MAX_NAME)),
  );
  return CAPACITY.test(folded) && ELECTRONICS.test(folded) ? folded.replace(CAPACITIES, '$1gb') : folded;
}

/**
 * Matches the end of a part of a name: a punctuation mark, a dash between blanks, "with", or the abbreviations `w` and `w/`. The
 * comma of a number such as `1,000` or `3,5` does not end a part, nor does the unit in `40 w`.
 */
const PART_END = /(?:,(?!(?<=\d,)\d)|[;|]|\s[-–—]\s|\s(?:with(?=[\s/])|w\/)|(?<!\d)\sw(?=\s)|\()/gu;

/** The minimum number of words of a head. A shorter first part, such as "Gaming keyboard", names no product. */
const MIN_WORDS = 3;

/** The maximum number of words in brackets that still belong to the head, as in "North (Chalk White) Case". */
const MAX_BRACKETED = 3;

/**
 * The length in UTF-16 code units of the head of a name, which says which product it is. After it, shops list specifications:
 * "Asrock B550 Phantom Gaming 4 | , AMD B550, AM4, ATX, 4 DDR4". A name without punctuation is its own head.
 * @param folded a name from `foldListingName`.
 */
export function headLength(folded: string): number {
  for (const { 0: mark, index } of folded.matchAll(PART_END)) {
    if (splitWords(folded.slice(0, index)).length < MIN_WORDS) continue;
    const bracketed = mark === '(' ? (folded.slice(index + 1).split(')')[0] ?? '') : null;
    if (bracketed === null || splitWords(bracketed).length > MAX_BRACKETED) return index;
  }
  return folded.length;
}

/** Splits a folded name, or a part of one, at its punctuation marks. */
export const nameParts = (folded: string): string[] =>
  folded
    .split(/[,;|()[\]]|\s[-–—]\s/u)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
