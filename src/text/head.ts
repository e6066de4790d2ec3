import { CHINESE_ENDING, FIRST_WORDS, LAST_WORDS, ONLY_ACCESSORIES } from './accessories.js';
import { ASCII } from './fold.js';
import { visibleText } from './clean.js';

const MAX_NAME = 300;
/** What ends the phrase that names a thing: what it is for or comes with. */
const PREPOSITION =
  /(?<![\p{L}\p{N}])(?:for|fits?|compatible|with|w\/|without|incl(?:udes|uding)?|featuring|by|from|(?<!\d[\s-]?)in(?!\.)|of|untuk|serasi|dengan|utk)(?![\p{L}\p{N}])|适用于|適用於|适配|适用|兼容|相容/u;
const SELLING = /\[[^[\]]*\]|【[^【】]*】|\([^()]*\)|\{[^{}]*\}/gu;
const SEGMENTS = /\s[-–—|/•+]\s|[,;:|–—]\s|\s\|/u;
/** A size: what follows tells properties, where a name stands before. `5G` is none. */
const MEASURE =
  /(?<![\p{L}\p{N}])\d[\d.,x/ -]*\s?(?:cm|mm|m|in|inch(?:es)?|ft|gb|tb|mb|mah|wh|w|kw|v|hz|khz|mhz|ghz|ml|l|kg|(?<!(?<![\d.])[2-6])g|oz|lbs?|mp|dpi|pixels|px|mbps|btu|va|nm|pcs?|pack|count|ct|gal|qt|sq|ply|寸|英寸|"|''|″|”)(?![\p{L}\p{N}])/u;
/** After "for", a word and a number are a model: what is for it goes with it. */
const FOR_MODEL =
  /(?<![\p{L}])(?:for|fits|compatible with|untuk|serasi dengan)\s(?:\p{L}+\s){0,2}?(?!(?:ages?|size|up|to|and|all|years?|kids|over|about)\s)\p{L}{3,}[\s-]\p{L}{0,2}\d{1,3}(?![\d.-]|\s?(?:x|in|inch|cm|mm|ft|lbs?|[tgm]b|oz|gal|years?|months?|people|persons?|"))/u;
/** What is said of a notebook of paper, and of a computer. */
const PAPER =
  /(?<![\p{L}\p{N}])(?:a[3-7]|b[5-6]|ruled|lined|unlined|grid|dotted|spiral|hardcover|softcover|pages|sheets|paper|diary|journal|composition|stationery|kertas)(?![\p{L}\p{N}])/u;
const COMPUTER =
  /(?<![\p{L}\p{N}])(?:intel|amd|ryzen|core|ssd|hdd|ram|windows|macos|laptop|\d+gb)(?![\p{L}\p{N}])/u;
const NUMBERED = /\d/;
const MODEL = /^[a-z]{0,3}\d{1,4}[a-z]{0,2}$/;
/** "Phones & accessories" may be either. */
const MIXED = /accessor/i;
const IDEOGRAPH = /\p{Script=Han}/u;

/** Behind what a thing is called: colours, tiers and what shops add. */
const BEHIND = new Set(
  (
    'black white red blue navy green yellow orange purple violet pink brown grey gray silver gold golden beige ivory teal turquoise cyan magenta ' +
    'burgundy bronze copper titanium midnight starlight coral mint olive clear transparent rose graphite charcoal cream natural chrome nickel stainless ' +
    'steel dark light matte glossy multicolor multicolour hitam putih merah biru hijau kuning emas perak ' +
    'pro plus max mini lite ultra air se fe xl xs xxl small medium large slim premium deluxe edition series version generation gen new original ' +
    'genuine official sale promo stock ready sg set pack pcs pc pair box boxed size colour color ii iii iv usa uk eu the a an and or s m l k ' +
    'inch cm mm gb tb warranty local unlocked refurbished used metallic colourless colorless width length height wifi 5g 4g lte dual sim bundle women womens men mens unisex kids boys girls adult'
  ).split(' '),
);

/**
 * The nouns that say what a thing is, lower case: the last of the name's first phrase, those of its category, and of what
 * is no accessory the family that it is of. "Clear case for Galaxy S24" is a case, "Galaxy S24 smartphone" a smartphone
 * and a Galaxy, "TV wall mount" a mount.
 * @param category the seller's name of it, the narrowest; null: none.
 */
export function kindsOf(name: string, category: string | null): string[] {
  const folded = fold(name.slice(0, MAX_NAME));
  const phrase = wordsOf(phraseOf(folded));
  const ofCategory = category === null || MIXED.test(category) ? [] : nounsOfCategory(category);
  if (isOfPaper([...phrase, ...ofCategory], `${folded} ${fold(category ?? '')}`))
    return [
      'notepad',
      ...ofCategory.filter((kind) => !isSame(kind, 'notebook') && !CHINESE_NOTEBOOK.test(kind)),
    ];
  const last = phrase.slice(0, 2).find((word) => FIRST_WORDS.has(word)) ?? phrase.findLast(isNoun);
  const named = last === undefined ? [] : [withoutTarget(last)];
  const families = isAccessory(folded, phrase, [...named, ...ofCategory]) ? [] : familiesOf(phrase);
  return [...new Set([...named, ...ofCategory, ...families])];
}

/** What a shopper's words say that the thing is. */
export interface AskedKinds {
  /** What the text is about: `charger` of "laptop charger". */
  head: string[];
  /** Its other nouns, of which the thing may be one too: the monitor of "monitor ips"; none beside an accessory. */
  others: string[];
  /** Whether what goes with another thing is asked for. */
  isAccessory: boolean;
}

/** The kinds of thing that a shopper's words may ask for. */
export function kindsAsked(text: string): AskedKinds {
  const head = kindsOf(text, null);
  const folded = fold(text.slice(0, MAX_NAME));
  const phrase = wordsOf(phraseOf(folded));
  const asksAccessory = isAccessory(folded, phrase, head);
  const others = asksAccessory ? [] : phrase.filter((word) => isNoun(word) && !head.includes(word));
  return { head, others: [...new Set(others)], isAccessory: asksAccessory };
}

/** Of a run of ideographs that ends with an accessory that end: `挂架` of `电视壁挂架`. */
const withoutTarget = (noun: string): string =>
  IDEOGRAPH.test(noun) && CHINESE_ENDING.test(noun)
    ? noun.slice(-Math.max(2, CHINESE_ENDING.exec(noun)?.[0].length ?? 0))
    : noun;

const nounsOfCategory = (category: string): string[] =>
  fold(category)
    .split(/\s(?:&|and|dan)\s|[,/>]|和/u)
    .flatMap((part) => wordsOf(part).findLast(isNoun) ?? []);

/** Whether one of its nouns is, or it is for a model: then the family is another thing's. */
const isAccessory = (folded: string, phrase: readonly string[], nouns: readonly string[]): boolean =>
  nouns.some((noun) => isAccessoryWord(noun)) ||
  phrase.some((word) => ONLY_ACCESSORIES.has(word)) ||
  FOR_MODEL.test(folded);

const isAccessoryWord = (word: string): boolean =>
  LAST_WORDS.has(word) || FIRST_WORDS.has(word) || (IDEOGRAPH.test(word) && CHINESE_ENDING.test(word));

/** The words before a model's number: `galaxy` of "Galaxy S24". */
const familiesOf = (phrase: readonly string[]): string[] =>
  phrase.filter((word, at) => isNoun(word) && word.length > 2 && MODEL.test(phrase[at + 1] ?? ''));

/** Shops call a laptop a notebook too, in Chinese as well. */
const isOfPaper = (words: readonly string[], said: string): boolean =>
  words.some((word) => isSame(word, 'notebook') || CHINESE_NOTEBOOK.test(word)) &&
  PAPER.test(said) &&
  !COMPUTER.test(said);
const CHINESE_NOTEBOOK = /(?:笔记本|筆記本)(?!电脑|電腦)/u;

/** The part of a name that says what it is: to the first preposition, mark or size after more than a brand. */
function phraseOf(folded: string): string {
  const plain = folded.replace(SELLING, ' ').trim();
  const text = plain === '' ? folded : plain;
  const [before = '', rest = ''] = splitAt(text, PREPOSITION);
  const named = before.trim() === '' ? rest : before;
  const segments = named.split(SEGMENTS);
  const enough = segments.findIndex((_, end) => nounsOf(segments.slice(0, end + 1).join(' ')) > 1);
  const segment = segments.slice(0, enough < 0 ? segments.length : enough + 1).join(' ');
  const [name = ''] = splitAt(segment, MEASURE);
  return nounsOf(name) > 1 ? name : segment;
}

function splitAt(text: string, mark: RegExp): [string, string] {
  const found = mark.exec(text);
  return found === null
    ? [text, '']
    : [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

const nounsOf = (text: string): number => wordsOf(text).filter(isNoun).length;
const isNoun = (word: string): boolean => !NUMBERED.test(word) && !BEHIND.has(word) && word.length > 1;

/** The same but for the plural. */
const isSame = (a: string, b: string): boolean => singular(a) === singular(b);
const singular = (word: string): string => word.replace(/(?<=[^s])(?:es|s)$/u, '');

const wordsOf = (folded: string): string[] => folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

/** Lower case without accents and possessives, ideographs apart from letters. */
function fold(text: string): string {
  const isAscii = ASCII.test(text);
  const lower = (isAscii ? text : visibleText(text).normalize('NFKD').replace(/\p{M}/gu, '')).toLowerCase();
  const plain = lower.replace(/['’]s?(?!\p{L})/gu, '');
  return isAscii
    ? plain
    : plain.replace(/(?<=\p{Script=Han})(?=[a-z0-9])|(?<=[a-z0-9])(?=\p{Script=Han})/gu, ' ');
}
