import { foldPhrase } from '../text/fold.js';
import { oneOf } from '../text/goods.js';
import { singular } from '../text/singular.js';
import { splitWords } from '../text/tokenize.js';
import { UNIT_WORDS } from '../text/units.js';
import { FOR } from './target-words.js';
import {
  ACCESSORY_BEGINNINGS,
  ACCESSORY_ENDING,
  ACCESSORY_ENDINGS,
  ACCESSORY_FIRST_WORDS,
  ACCESSORY_LAST_WORDS,
  NO_ACCESSORIES,
  NOT_NOUNS,
  ONLY_ACCESSORIES,
  PROPERTY_CODE,
} from '../text/vocabulary.js';
import { isIn, LEXICON, phrasesOf } from './lexicon.js';
import { isCompound } from './word-forms.js';

/** The maximum number of characters of a name that are examined for nouns. */
const MAX_NAME = 300;
/** Words after which a name states what the product is for or comes with. */
const PREPOSITION = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:with|w\/|without|incl(?:udes|uding)?|featuring|by|from|(?<!\d[\s-]?)in(?!\.)|of|dengan|mit|ohne|pour(?![\s-]over)|avec|sans)(?![\p{L}\p{N}])|${FOR}`,
  'u',
);
const BRACKETED = /\[[^[\]]*\]|【[^【】]*】|\([^()]*\)|\{[^{}]*\}/gu;
const SEGMENTS = /\s[-–—|/•+]\s|[,;:|–—]\s|\s\|/u;
/** A size with its unit, such as "128 GB". Only properties follow a size. `5G` is not a size. */
const MEASURE =
  /(?<![\p{L}\p{N}])\d[\d.,x/ -]*\s?(?:cm|mm|m|in|inch(?:es)?|zoll|ft|gb|tb|mb|mah|wh|w|kw|v|hz|khz|mhz|ghz|ml|l|kg|(?<!(?<![\d.])[2-6])g|oz|lbs?|mp|dpi|pixels|px|mbps|btu|va|nm|pcs?|pack|count|ct|gal|qt|sq|ply|寸|英寸|"|''|″|”)(?![\p{L}\p{N}])/u;
/** "for" followed by a word and a number, as in "for iPhone 13": the product goes with that model. */
const FOR_MODEL = new RegExp(
  String.raw`${FOR}\s(?:\p{L}+\s){0,2}?(?!(?:ages?|size|up|to|and|all|years?|kids|over|about)\s)\p{L}{3,}[\s-]\p{L}{0,2}\d{1,3}(?![\d.-]|\s?(?:x|in|inch|cm|mm|ft|lbs?|[tgm]b|oz|gal|years?|months?|people|persons?|"))`,
  'u',
);
/** Words that tell a notebook made of paper from a computer. */
const PAPER =
  /(?<![\p{L}\p{N}])(?:a[3-7]|b[5-6]|ruled|lined|unlined|grid|dotted|spiral|hardcover|softcover|pages|sheets|paper|diary|journal|composition|stationery|kertas|laborator(?:y|ies)|lab|quadrille|duplicate|carbonless|wirebound|stitched|subject)(?![\p{L}\p{N}])/u;
const COMPUTER =
  /(?<![\p{L}\p{N}])(?:intel|amd|ryzen|core|ssd|hdd|ram|windows|macos|laptop|\d+gb)(?![\p{L}\p{N}])/u;
const CHINESE_NOTEBOOK = /(?:笔记本|筆記本)(?!电脑|電腦)/u;
const NUMBERED = /\d/;
/** Letters that may be the beginning of a model number, such as those of "TN-2410". */
const SHORT_LETTERS = /^[a-z]{1,3}$/;
const MODEL = /^[a-z]{0,3}\d{1,4}[a-z]{0,2}$/;
/** A number with its unit in one word, such as "512mb", which has the form of a model number. */
const SIZE_IN_ONE_WORD = new RegExp(`^\\d+${UNIT_WORDS}$`);
/** A mixed category such as "Phones & accessories" does not say whether a listing is an accessory. */
const MIXED_CATEGORY = /accessor/i;
const IDEOGRAPH = /\p{Script=Han}/u;
const THAI = /\p{Script=Thai}/u;
const CHINESE_KINDS = oneOf(
  phrasesOf('kind')
    .filter((kind) => IDEOGRAPH.test(kind))
    .map(foldPhrase),
);
/** Matches a kind of product in a run of ideographs, and the accessory that follows it. */
const ACCESSORY_OF_KIND = new RegExp(`${CHINESE_KINDS}(${ACCESSORY_ENDINGS})`, 'u');
/** Matches a run of ideographs that ends with the name of a kind. What follows it after a blank describes the product. */
const CHINESE_KIND = new RegExp(`(?:${CHINESE_KINDS}|${ACCESSORY_ENDINGS})$`, 'u');
/** The words that name kinds in languages in which the noun of a name is its first one. */
const LEADING: ReadonlySet<string> = new Set(phrasesOf('leading').map(foldPhrase));
const isLeading = (word: string, next = ''): boolean =>
  LEADING.has(word) || LEADING.has(`${word} ${next}`) || THAI.test(word);
const ACCESSORY_BEGINNING = new RegExp(`^${oneOf(ACCESSORY_BEGINNINGS.map(foldPhrase))}`, 'u');
const THAI_BEGINNING = new RegExp(`${ACCESSORY_BEGINNING.source}|^${oneOf(LEADING)}`, 'u');

/**
 * The nouns that say what a product is: the last of the first phrase, or the one before maker and model number; those of the
 * category; and unless it is an accessory, the family: "Galaxy S24 smartphone" is a smartphone and a Galaxy.
 * @param category the narrowest category that the seller states.
 * @param brand the stated brand, whose words are no kind if the name has another noun: "Kettle Rono RK17" is a kettle.
 */
export function kindsOf(name: string, category: string | null, brand: string | null = null): string[] {
  const { folded, words } = nounPhrase(name);
  const ofCategory = category === null || MIXED_CATEGORY.test(category) ? [] : nounsOfCategory(category);
  if (isPaperNotebook([...words, ...ofCategory], `${folded} ${foldPhrase(category ?? '')}`)) {
    const others = ofCategory.filter((kind) => singular(kind) !== 'notebook' && !CHINESE_NOTEBOOK.test(kind));
    return ['notepad', ...others];
  }
  const ofBrand = brand === null ? [] : splitWords(foldPhrase(brand));
  const noun =
    words.find((word, at) => isLeading(word, words[at + 1]) || (at < 2 && ACCESSORY_FIRST_WORDS.has(word))) ??
    kindBeforeMaker(words, ofBrand) ??
    words.findLast((word) => IDEOGRAPH.test(word) && CHINESE_KIND.test(word)) ??
    words.findLast((word, at) => isNounAt(at, words) && !ofBrand.includes(word)) ??
    words.findLast(isNoun) ??
    words.find((word) => IDEOGRAPH.test(word));
  const named = noun === undefined ? [] : [ownKind(noun, words) ?? headOf(noun)];
  const families = namesAccessory(folded, words, [...named, ...ofCategory]) ? [] : familiesIn(words);
  return [...new Set([...named, ...ofCategory, ...families.filter((family) => family !== noun)])];
}

/** Whether the nouns that say what a listing is name an accessory. @param kinds from `kindsOf`. */
export const areOfAccessory = (kinds: readonly string[]): boolean => kinds.some(isAccessoryNoun);

/** The nouns that say what a search text is about (`charger` in "laptop charger"), and others (`monitor` in "monitor ips"). */
export function kindsInQuery(text: string) {
  const headNouns = kindsOf(text, null);
  const { folded, words } = nounPhrase(text);
  const inHead = headNouns.flatMap(splitWords);
  const isOwnKind = inHead.length > headNouns.length;
  const asksAccessory = !isOwnKind && namesAccessory(folded, words, headNouns);
  const otherNouns = asksAccessory ? [] : words.filter((word) => isNoun(word) && !inHead.includes(word));
  return { headNouns, otherNouns: [...new Set(otherNouns)], isAccessory: asksAccessory };
}

function nounPhrase(text: string): { folded: string; words: string[] } {
  const folded = foldPhrase(text.slice(0, MAX_NAME));
  return { folded, words: splitWords(firstPhrase(folded)) };
}

/**
 * The kind that a name states before its maker or line: "Laptop Rono L14". Undefined if several runs of words name kinds ("Laptop
 * Rono hinge"), or no unknown word with a model number follows ("Kettle descaler 250ml"); after the line of the maker with which
 * the name begins, one digit is enough. @param ofBrand the words of the stated brand, which need no model number after them.
 */
function kindBeforeMaker(words: readonly string[], ofBrand: readonly string[]): string | undefined {
  const isKind = words.map(isKnownKind);
  words.forEach((word, at) => {
    if (isListedKind(word + (words[at + 1] ?? ''))) isKind.fill(true, at, at + 2);
  });
  const end = isKind.indexOf(false, isKind.indexOf(true));
  if (end < 1 || isKind.lastIndexOf(true) >= end) return undefined;
  const rest = words.slice(end);
  const [next = '', number = ''] = rest;
  const accessory = words.slice(0, end).findLast(isAccessoryNoun);
  const isUnknown =
    (isNoun(next) && (!LEXICON.has(next) || isIn('chip', next))) ||
    (SHORT_LETTERS.test(next) && /^\d+$/.test(number));
  const isOfLine =
    rest.some(isOwnNumber) || (ofBrand.includes(words[0] ?? '') && familiesIn([next, number]).length > 0);
  const isNamed =
    accessory === undefined ? isUnknown && isOfLine : rest.some(isOwnNumber) || familiesIn(rest).length > 0;
  return isNamed || ofBrand.includes(next) ? (accessory ?? words[end - 1]) : undefined;
}

/** Whether a word is a model number, and no size or number of pieces: "L14", the number in "HP 255", or one of four digits. */
const isOwnNumber = (word: string, at: number, words: readonly string[]): boolean => {
  if (!NUMBERED.test(word) || isProperty(word)) return false;
  return /\p{L}|^\d{4}/u.test(word) || SHORT_LETTERS.test(words[at - 1] ?? '');
};

/** Whether a word names a kind of product or an accessory: in a lexicon, or as a German compound. */
export const isKnownKind = (word: string): boolean => isListedKind(word) || isCompound(word);

/**
 * Whether a text is the name of a product and no SKU: one of its words names a kind, or it has more than two words of letters. Any
 * shop may state the name of another one's product as its SKU.
 */
export function isProductName(text: string): boolean {
  const words = text.toLowerCase().split(/\s+/u);
  const ofLetters = words.filter((word) => /\p{L}/u.test(word) && !/\p{N}/u.test(word));
  return ofLetters.length > 2 || ofLetters.some((word) => isKnownKind(singular(word)));
}

const isListedKind = (word: string): boolean => isIn('kind', word) || isAccessoryNoun(word);

/**
 * What a Chinese or Thai text without blanks names: `挂架` (mount) for `电视壁挂架` (TV wall mount), `收纳包` (pouch) for `耳机收纳包便携` (pouch
 * for headphones, portable), and the noun with which a Thai text begins. A longer Chinese one begins with no kind, because nouns stand
 * behind what describes them: `冰箱除味剂` is no fridge.
 */
function headOf(noun: string): string {
  if (THAI.test(noun)) return THAI_BEGINNING.exec(noun)?.[0] ?? noun;
  if (!IDEOGRAPH.test(noun)) return noun;
  const found = ACCESSORY_ENDING.exec(noun) ?? ACCESSORY_OF_KIND.exec(noun);
  if (found === null) return noun.length <= 2 || isListedKind(noun) ? noun : noun.slice(1);
  const end = found.index + found[0].length;
  return noun.slice(Math.max(0, end - Math.max(2, (found[1] ?? found[0]).length)), end);
}

/** The noun of an accessory and the word before it, if both together name a product that is no accessory: "tea bags". */
function ownKind(noun: string, words: readonly string[]): string | undefined {
  const before = words.find((word, at) => words[at + 1] === noun && NO_ACCESSORIES.has(word + noun));
  return before === undefined ? undefined : `${before} ${noun}`;
}

const nounsOfCategory = (category: string): string[] =>
  foldPhrase(category)
    .split(/\s(?:&|and|dan)\s|[,/>]|和/u)
    .flatMap((part) => splitWords(part).findLast(isNoun) ?? []);

/** Whether a noun of a name is an accessory, or the name says that the product is for a certain model. */
const namesAccessory = (folded: string, phrase: readonly string[], nouns: readonly string[]): boolean =>
  nouns.some((noun) => isAccessoryNoun(noun)) ||
  phrase.some((word) => ONLY_ACCESSORIES.has(word)) ||
  FOR_MODEL.test(folded);

/** Whether a noun names an accessory, such as `charger`. */
export const isAccessoryNoun = (noun: string): boolean =>
  ACCESSORY_LAST_WORDS.has(noun) ||
  ACCESSORY_FIRST_WORDS.has(noun) ||
  (IDEOGRAPH.test(noun) && (ACCESSORY_ENDING.test(noun) || ACCESSORY_OF_KIND.test(noun))) ||
  (THAI.test(noun) && ACCESSORY_BEGINNING.test(noun));

/** The words before a model number, `galaxy` in "Galaxy S24", and not before a size or a standard: "Laptop DDR4 Memory". */
const familiesIn = (phrase: readonly string[]): string[] =>
  phrase.filter(
    (word, at) => word.length > 2 && isModel(phrase[at + 1] ?? '') && isNoun(word) && !LEADING.has(word),
  );

const isModel = (word: string): boolean => MODEL.test(word) && !isProperty(word);

const isProperty = (word: string): boolean => PROPERTY_CODE.test(word) || SIZE_IN_ONE_WORD.test(word);

/** Whether "notebook" means one made of paper. The other words of the name decide, because laptops are called notebooks too. */
const isPaperNotebook = (words: readonly string[], text: string): boolean =>
  words.some((word) => singular(word) === 'notebook' || CHINESE_NOTEBOOK.test(word)) &&
  PAPER.test(text) &&
  !COMPUTER.test(text);

/** The beginning of a name up to the first preposition, or to the first mark or size after two nouns. */
function firstPhrase(folded: string): string {
  const plain = folded.replace(BRACKETED, ' ').trim();
  const text = plain === '' ? folded : plain;
  const [before = '', rest = ''] = splitAt(text, PREPOSITION);
  const named = before.trim() === '' ? rest : before;
  const segments = named.split(SEGMENTS);
  const enough = segments.findIndex((_, end) => countNouns(segments.slice(0, end + 1).join(' ')) > 1);
  const segment = segments.slice(0, enough < 0 ? segments.length : enough + 1).join(' ');
  const [name, behind] = splitAt(segment, MEASURE);
  if (countNouns(name) < 2) return segment;
  // After a size, a name states only properties, unless the size describes the next noun: "Rono 28 cm Non-Stick Pan, grey".
  const behindWords = splitWords(behind);
  const isKind = behindWords.map((word, at) => isKnownKind(word) && isNounAt(at, behindWords));
  const end = isKind.indexOf(false, isKind.indexOf(true));
  const isOneRun = isKind.includes(true) && (end < 0 || isKind.lastIndexOf(true) < end);
  if (!isOneRun || (!isKind[0] && splitWords(name).some(isKnownKind))) return name;
  // The number of a model may precede that of the size: "Fathom 7 128 GB Smartphone".
  const [model = ''] = /^\d+(?=\s\d)/.exec(segment.slice(name.length)) ?? [];
  return [name, model, ...behindWords.slice(0, isKind.lastIndexOf(true) + 1)].join(' ');
}

function splitAt(text: string, mark: RegExp): [string, string] {
  const found = mark.exec(text);
  return found === null
    ? [text, '']
    : [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

const countNouns = (text: string): number => splitWords(text).filter(isNoun).length;

const isNoun = (word: string): boolean =>
  !NUMBERED.test(word) &&
  !NOT_NOUNS.has(word) &&
  word.length > 1 &&
  (!isIn('shoptalk', word) || isKnownKind(word));

/** Whether a word is a noun in its place, as "box" in "storage box", unlike the letters of a model number such as "VG 4109". */
const isNounAt = (at: number, words: readonly string[]): boolean => {
  const [before = '', word = '', next = ''] = [words[at - 1], words[at], words[at + 1]];
  const isPrefix = SHORT_LETTERS.test(word) && /^\d/.test(next);
  if (isPrefix && !isKnownKind(word) && !isIn('chip', word)) return false;
  if (isIn('shoptalk', word + next) || isIn('shoptalk', before + word)) return false;
  return isNoun(word) || (word.length > 1 && !NUMBERED.test(word) && isIn('kind', before + word));
};
