import { gtinOf } from '../../listing/gtin.js';
import { normaliseIdentifier } from '../../listing/identify.js';
import { normaliseUrl } from '../../listing/url.js';
import { isProductName, kindsInQuery } from '../../naming/kinds.js';
import { FOR } from '../../naming/target-words.js';
import { visibleText } from '../../text/clean.js';
import { normalisedName } from '../../text/exact-name.js';
import { foldProse } from '../../text/fold.js';
import { type Token, tokenize } from '../../text/tokenize.js';
import { DIMENSION_NAMES, MARKETING_WORDS, NAME_STOP_WORDS, SHOPPING_WORDS } from '../../text/vocabulary.js';
import type { Candidate } from '../evidence.js';
import { foldListingName } from '../listing-name.js';
import { readProfile, withWords } from '../profile.js';

/** The product that a shopper's text names. */
export type RequestedProduct = ReturnType<typeof readRequestedProduct>;

/** A kit of equal parts, such as memory modules. */
export interface Kit {
  count: number;
  /** The capacity of one part of the kit, in GB. */
  size: number;
}

const KIT = /\(?(?<![\d.])(\d{1,2}) ?x ?(\d+(?:\.\d+)?) ?([gt])b\b\)?/;
/** Matches the word "kit", which adds nothing to a statement of parts such as `2 x 8GB`. */
const KIT_WORDS = /\bkit\b/gi;
/** Matches names of dimensions, such as "screen size", that precede a size and do not tell products apart. */
const SIZE_NAMES = /\b(?:storage|screen|display)[ -](?:size|capacity)\b/gi;

/** Reads the number and capacity of equal parts that a text names, such as `2 x 8GB`. */
export function readKit(text: string): Kit | null {
  const [, count, part, unit] = KIT.exec(foldListingName(text)) ?? [];
  return count === undefined
    ? null
    : { count: Number(count), size: Number(part) * (unit === 't' ? 1000 : 1) };
}

const GENERIC_WORDS: ReadonlySet<string> = new Set([
  ...NAME_STOP_WORDS,
  ...MARKETING_WORDS,
  ...DIMENSION_NAMES,
]);

/** Units, which identify a product only after a number: "w" for watts, "in" for inches. */
const UNITS = new Set(['w', 'in']);

/** Matches a text in quotation marks. A quotation mark after a number does not count, because it stands for inches. */
const QUOTED = /(?<=^|\s)(["“”'])([^"“”]{1,200}?)["“”'](?=$|[\s,.;!?])/gu;
const INCH_MARK = /(?<=\d)\s?(?:["“”″]|'')/gu;

/** Returns the typed text without inch marks, in case they are stray quotation marks. Null if it has none. */
export const withoutInchMarks = (typed: string): string | null =>
  typed.search(INCH_MARK) < 0 ? null : typed.replace(INCH_MARK, ' ').trim();

/** Reads which product a shopper asks for, from any text. */
export function readRequestedProduct(typed: string) {
  const visible = visibleText(typed).replace(QUOTED, '$2');
  const kit = readKit(visible);
  const named = visible.replace(SIZE_NAMES, ' ');
  const whole = kit === null ? named : named.replace(new RegExp(KIT, 'i'), ' ').replace(KIT_WORDS, ' ');
  const parts = whole.split(/\s+/).filter((word) => word !== '');
  const isDistinctive = (part: string, at: number) => {
    const word = bare(part);
    const isGeneric = word === '' || GENERIC_WORDS.has(word) || SHOPPING_WORDS.has(word);
    return !isGeneric || (UNITS.has(word) && /\d$/.test(parts[at - 1] ?? ''));
  };
  const orAll = (chosen: string[]) => (chosen.length > 0 ? chosen : parts).join(' ');
  const profile = readProfile(asCandidate(orAll(parts.filter((word) => !SHOPPING_WORDS.has(bare(word))))));
  const words = profile.words.filter(({ text }) => !GENERIC_WORDS.has(text));
  const identifier = normaliseIdentifier(visible);
  const text = orAll(parts.filter(isDistinctive));
  return {
    /** The words of the request that identify the product, as typed; all its words if none identifies one. */
    text,
    /** The text with units after a bare number (`cooler 360mm`), and without optional words (`R5 II` for `R5 Mark II`). */
    otherTexts: [...withUnits(text), ...withoutOptionalWords(text)],
    /** The normalised URL, if the request is the address of a page, or null. */
    url: normaliseUrl(visible.trim()),
    /** The request, read like the name of a listing, and reduced to the words that identify the product. */
    profile: words.length > 0 ? withWords(profile, words) : profile,
    /** The words of the request before "from", "with" or "for". The last of them says what the product is. */
    phrase: phraseOf(visible, words),
    typed,
    /** Whether the request asks for an accessory, such as "filter for an air purifier". "Camera with lens" asks for a camera. */
    asksForAccessory: kindsInQuery(text).isAccessory && !profile.parts.isKit,
    kit,
    /** The whole text of the request as a normalised identifier, and if it is a GTIN, also with 14 digits; none for a name. */
    identifiers: isProductName(visible)
      ? []
      : [...new Set([identifier, gtinOf(visible) ?? identifier])].filter((one) => one !== ''),
  };
}

const PREPOSITION = new RegExp(String.raw`\b(?:from|by|with)\b|\bw\/|${FOR}`, 'u');

function phraseOf(text: string, words: readonly Token[]): readonly Token[] {
  const before = new Set(tokenize(foldProse(text).split(PREPOSITION)[0] ?? '').map((token) => token.text));
  const phrase = words.filter((token) => before.has(token.text));
  return phrase.length > 0 ? phrase : words;
}

/** Matches a number that may be a size without its unit. */
const BARE_NUMBER = /(?<!\S)(\d{2,4}(?:\.\d)?|\d\.\d)(?!\S)/;
/** Units that shoppers leave out, by the number of digits before the decimal point. */
const OMITTED_UNITS: Readonly<Record<number, readonly string[]>> = {
  1: ['in', 'gb'],
  2: ['in', 'gb'],
  3: ['in', 'gb', 'mm'],
  4: ['mhz', 'mah', 'gb'],
};

function withUnits(text: string): string[] {
  const number = BARE_NUMBER.exec(text)?.[1] ?? '';
  const units = OMITTED_UNITS[number.split('.')[0]?.length ?? 0] ?? [];
  return units.map((unit) => text.replace(BARE_NUMBER, `$1${unit}`));
}

/** Matches words for which other names have a sign or nothing: in "Mark II", "S24 plus" and "12 x 80". */
const OPTIONAL_WORDS = /\b(?:mark|mk)\s?(?=(?:[ivx]{1,4}|\d)\b)|(?<=\d\s?)\bplus\b|(?<=\d\s)x(?=\s\d)/gi;

const withoutOptionalWords = (text: string): string[] =>
  text.search(OPTIONAL_WORDS) < 0 ? [] : [text.replace(OPTIONAL_WORDS, ' ')];

/** Matches a word that alone names no product: a letter, a number of one or two digits, or a year. */
const VAGUE_WORD = /^(?:[a-z]|\d{1,2}(?:\.\d+)?|(?:19|20)\d{2})$/;

/** Whether the words of a request name nothing, so that only an identifier or the exact name of a listing can be meant. */
export const namesNothing = ({ profile: { words }, kit }: RequestedProduct): boolean =>
  kit === null && words.every(({ text }) => VAGUE_WORD.test(text));

const bare = (word: string): string => normalisedName(word).replaceAll(' ', '');

/** Returns a text as a listing that has this name and states nothing else. */
export const asCandidate = (name: string): Candidate => ({
  id: 0,
  source: '',
  merchant_id: null,
  name,
  description: null,
  brand: null,
  metadata: null,
  internal: { gtins: [], models: [] },
  comparablePrice: null,
});
