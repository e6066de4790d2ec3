import { foldedText, wordsTyped } from '../../text/folding.js';
import { COLOURS, NOISE } from '../../text/vocabulary.js';

const MIN_WORDS = 2;
const MAX_WORDS = 5;
const MAX_LENGTH = 60;
/** In a script without blanks a phrase has so many characters, and a longer run is a sentence. */
const MAX_CHARACTERS = 4;
const LONGEST_RUN = 12;

/** A phrase ends where a name has one of these. */
const BORDERS = /[,;:|()[\]{}<>"“”„!?…•·–—【】（）「」、，。]+|\s[-/+~*]+(?=\s)/u;
/** Without the marks before and behind it. */
const WORD = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;
const MARKUP = /<[a-z/][^<>]{0,200}>|&(?:#\d{1,6}|[a-z]{2,8});/gi;

const UNIT =
  /^(?:inch(?:es)?|in|[tgmk]b|ml|cl|l|litres?|liters?|kg|g|mg|mm|cm|m|ft|oz|lbs?|sqm|k?w|watts?|v|mah|[kmg]?hz|mp|dpi|rpm|btu|[mk]b\/s|fps|pcs|pack|years?|months?)$/i;

const INCHES = /(\d)(?:"|″|”|'')/g;
/** "6 x", of a pack of several. */
const TIMES = /^\p{Nd}+ ?[x×]$/iu;
/** The blank in "500 GB", which other shops leave out. */
const BEFORE_UNIT = new RegExp(`(?<=\\p{Nd}) (?=(?:${UNIT.source.slice(1, -1)})(?![\\p{L}\\p{N}]))`, 'giu');

/** Nobody types what begins or ends with these. */
const FUNCTION_WORDS = new Set(
  'a an and as at by de for from in into is it no of on or per so than the this to up via vs with without your untuk dengan utk serasi 适用于 適用於 适配 兼容'.split(
    ' ',
  ),
);

/** What goes on behind these is what is meant. */
const UNFINISHED = new Set(
  'fast ready local official original authentic genuine new free best hot compatible limited imported'.split(
    ' ',
  ),
);

/** What a size counts or measures; behind a size, the word belongs to it. */
const MEASURED = /^(?:ram|rom|emmc|storage|keys?|sheets)$/i;
/** Words of shops in Malay and Indonesian. */
const OFFER = new Set('stok sedia ada ready penghantaran pantas gratis ongkir murah promo jual'.split(' '));
const VARIANTS = new Set('pro plus ultra max mini lite air se fe ii iii'.split(' '));
const SHOE_SIZE = /^(?:US|UK|EU) \d/i;
/** Whom a thing is for may be left out before it. */
const PEOPLE = /^(?:(?:wo)?mens?|lad(?:y|ies)|boys?|girls?|kids?|unisex)$/;
const FOR = /^(?:for|untuk)$/i;

/** One phrase of a name: its parts are words, or characters of a script without blanks. */
export interface Phrase {
  text: string;
  key: string;
  /** The keys of the same without its first, and without its last part, where these are phrases too. */
  within: string[];
  /** The word before it, folded; null: the phrase stands at the beginning, or behind a brand, a size or a number. */
  before: string | null;
  /** Its last word, folded, where that is the name of a thing: other names show whether it can end a phrase. */
  ending: string | null;
}

/** What a phrase is read from. */
export interface Named {
  name: string;
  brand: string | null;
  /** What the listing is, as `kindsOf` reads it. */
  kinds: readonly string[];
  /** Those that its category names: behind others, a number is a model's. */
  things: readonly string[];
}

/**
 * The runs of two to five words of a name that a shopper would type: a thing with what is said before it and one size
 * behind it ("Air Fryer 4L"), a line or brand with its model ("Galaxy S24 Ultra"), and what goes with either ("Case for
 * Galaxy S24").
 */
export function phrasesOf({ name, brand, kinds, things }: Named): Phrase[] {
  const found = new Map<string, Phrase>();
  const folded = kinds.map(foldedText);
  for (const words of segmentsOf(name)) {
    collect(readWords(words, { brand, kinds: folded, things: things.map(foldedText) }), found);
    for (const word of words)
      for (const run of wordsTyped(word)) if (run.isCjk) collectCharacters([...run.text], found);
  }
  return [...found.values()].filter(({ key }) => !IDEOGRAPH.test(key) || saysKind(key, folded));
}

/** The words of a name, apart where a mark parts them. */
const segmentsOf = (name: string): string[][] =>
  name.replace(MARKUP, ' , ').replace(INCHES, '$1 inch ').split(BORDERS).map(wordsOf);

/**
 * Calls `see` for each word of a name, folded, with whether the name of a thing ends there. `null`: a size or a number
 * follows, which may as well be within.
 */
export function eachEnding(name: string, see: (word: string, isEnd: boolean | null) => void): void {
  for (const words of segmentsOf(name))
    words.forEach((word, at) => {
      const next = words[at + 1]?.toLowerCase();
      const isEnd = next === undefined || FUNCTION_WORDS.has(next) || COLOURS.has(next);
      see(foldedText(word), isEnd || !/\d/.test(next) ? isEnd : null);
    });
}

/** Whether a phrase in ideographs contains the kind of thing, or is the end of its name. */
const saysKind = (key: string, kinds: readonly string[]): boolean =>
  kinds.some((kind) => IDEOGRAPH.test(kind) && (key.includes(kind) || kind.endsWith(key))) ||
  wordsTyped(key).some(({ text }) => kinds.some((kind) => singular(kind) === singular(text)));

const IDEOGRAPH = /\p{Script=Han}/u;
const singular = (word: string): string => word.replace(/(?<=[^s])(?:es|s)$/u, '');

/** A word of a name and its role there. `line`: a product line, which the number of a model follows. */
interface Read {
  text: string;
  is: 'kind' | 'line' | 'model' | 'size' | 'brand' | 'for' | 'small' | 'word';
  /** Whether the category names the kind too, so that it can surely end a phrase. */
  isSure?: boolean;
}

/** A number or a short code, and no size. */
const MODEL = /^(?:\p{L}{1,3}\d{1,4}\p{L}{0,2}|\d{1,4}|(?=.*\d)[\p{Lu}\d]+(?:-[\p{Lu}\d]+)*)$/u;
const SIZE = new RegExp(
  `^(?:\\p{Nd}+ ?[x×] )?\\p{Nd}[\\p{Nd}.,x×/-]*[\\s-]?(?:${UNIT.source.slice(1, -1).replace(/^\(\?:|\)$/g, '')})(?:/day)?(?: (?:ram|rom|emmc|storage|keys?|sheets))?$|^(?:US|UK|EU) \\p{Nd}`,
  'iu',
);

function readWords(words: readonly string[], { brand, kinds, things }: Omit<Named, 'name'>): Read[] {
  const brands = new Set(brand === null ? [] : foldedText(brand).split(' '));
  const isModel = (word = '') => MODEL.test(word) && !SIZE.test(word);
  return words.map((text, at): Read => {
    const key = foldedText(text);
    if (FOR.test(text)) return { text, is: 'for' };
    if (SIZE.test(text)) return { text, is: 'size' };
    if (isModel(text)) return { text, is: 'model' };
    if (brands.has(key)) return { text, is: 'brand' };
    if ([FUNCTION_WORDS, NOISE, OFFER].some((set) => set.has(key))) return { text, is: 'small' };
    const isAmong = (some: readonly string[]) => some.some((kind) => singular(kind) === singular(key));
    if (isAmong(things)) return { text, is: 'kind', isSure: true };
    if (isAmong(kinds)) return { text, is: isModel(words[at + 1]) ? 'line' : 'kind' };
    return { text, is: 'word' };
  });
}

/** The words without the marks around them; a number with its unit is one, and so is a shoe size with its system. */
function wordsOf(segment: string): string[] {
  const words: string[] = [];
  for (const written of segment.replace(/\b(US|UK|EU)(?=\d{1,2}(?:\.5)?\b)/g, '$1 ').split(/\s+/)) {
    const [word = ''] = WORD.exec(written) ?? [];
    const before = words.at(-1);
    if (word === '') continue;
    const isMeasured = UNIT.test(word) && /^\p{Nd}[\p{Nd}.,-]*$/u.test(before ?? '');
    const isPack = /^[x×]$/i.test(word) && /^\p{Nd}+$/u.test(before ?? '');
    const isOfPack = TIMES.test(before ?? '') && /^\p{Nd}/u.test(word);
    const isPart = MEASURED.test(word) && SIZE.test(before ?? '');
    const isSized = /^\d{1,2}(?:\.5)?$/.test(word) && /^(?:US|UK|EU)$/i.test(before ?? '');
    if (before !== undefined && (isMeasured || isPack || isOfPack || isPart || isSized))
      words[words.length - 1] = `${before} ${word}`;
    else words.push(word);
  }
  return words;
}

function collect(words: readonly Read[], found: Map<string, Phrase>): void {
  for (let at = 0; at < words.length; at++) {
    const before = words[at - 1];
    if (!mayBegin(words[at], before)) continue;
    for (let size = MIN_WORDS; size <= MAX_WORDS && at + size <= words.length; size++) {
      const parts = words.slice(at, at + size);
      const ending = endingOf(parts, words[at + size]);
      const phrase =
        ending === null
          ? null
          : phraseOf(
              parts.map(({ text }) => text),
              ' ',
            );
      if (phrase === null) continue;
      const isPlain = before?.is === 'word' || before?.is === 'kind';
      found.set(phrase.key, {
        ...phrase,
        before: isPlain && !PEOPLE.test(foldedText(before.text)) ? foldedText(before.text) : null,
        ending: ending === '' ? null : ending,
      });
    }
  }
}

/** Whether a phrase may begin here: not within a brand or a model, and not behind a size that the word belongs to. */
function mayBegin(first: Read | undefined, before: Read | undefined): boolean {
  if (first === undefined || first.is === 'small' || first.is === 'for') return false;
  if (first.is === 'brand' && before?.is === 'brand') return false;
  if (MEASURED.test(first.text) || SHOE_SIZE.test(first.text)) return false;
  if (/^(?:ssd|hdd)$/i.test(first.text)) return before?.is !== 'size';
  if (isVariant(first)) return before?.is !== 'model' && before?.is !== 'line';
  if (first.is !== 'model') return true;
  return before === undefined || !/^[\p{Lu}\d]/u.test(before.text);
}

const endingWith = ({ text, isSure }: Read): string => (isSure === true ? '' : foldedText(text));

/**
 * Whether a shopper would type these words as a whole.
 * @returns the word, folded, that other names must show to be able to end a phrase; '' if none has to; null if the words are
 * not a whole.
 */
function endingOf(parts: readonly Read[], next: Read | undefined): string | null {
  const last = parts.at(-1);
  if (last === undefined || parts.filter(({ is }) => is === 'size').length > 1) return null;
  const served = parts.findIndex(({ is }) => is === 'for');
  if (served > 0) {
    const thing = served === 1 ? null : endingOf(parts.slice(0, served), undefined);
    const single = served === 1 && parts[0]?.is === 'kind' ? endingWith(parts[0]) : null;
    const target = parts.slice(served + 1);
    if ((thing ?? single) === null || target.length === 0) return null;
    if (target.some(({ is }) => is === 'small' || is === 'for' || is === 'size')) return null;
    const isWhole = last.is === 'model' || isVariant(last) || next?.is === 'model';
    return isWhole ? (thing ?? single) : foldedText(last.text);
  }
  if (parts.some(({ is }) => is === 'small')) {
    // "Wall and Ceiling Lamp" is a phrase, "Lamp with Shade" may be.
    if (last.is !== 'kind') return null;
  }
  const things = parts.filter(({ is }) => is === 'kind').length;
  if (last.is === 'kind') {
    // A line goes with its model.
    const isCut = parts.some(({ is }, at) => is === 'line' && parts[at + 1]?.is !== 'model');
    return isCut || (next?.is === 'kind' && !isVariant(next)) ? null : endingWith(last);
  }
  if (last.is === 'size') {
    const thing = parts.at(-2);
    return thing?.is === 'kind' ? endingWith(thing) : null;
  }
  if (things > 0) return null;
  const isModelOf = (at: number) =>
    parts[at]?.is === 'model' && parts.slice(0, at).some(({ is }) => is !== 'model');
  if (last.is === 'model') {
    const names = parts.slice(0, -1);
    return names.every(({ is }) => is === 'line' || is === 'brand') ? '' : null;
  }
  if (isVariant(last) && isModelOf(parts.length - 2))
    return parts.slice(0, -2).every(({ is }) => is === 'line' || is === 'brand') ? '' : null;
  return last.is === 'line' && parts.slice(0, -1).every(({ is }) => is === 'brand') ? '' : null;
}

const isVariant = ({ text }: Read): boolean => VARIANTS.has(text.toLowerCase());

/** Nobody knows where words end in such a run but at its own ends, so a phrase is what begins or ends it, or all of it. */
function collectCharacters(run: readonly string[], found: Map<string, Phrase>): void {
  for (let size = MIN_WORDS; size <= MAX_CHARACTERS; size++) {
    for (const part of [run.slice(0, size), run.slice(-size)]) {
      const phrase = part.length === size ? phraseOf(part, '') : null;
      if (phrase !== null) found.set(phrase.key, { ...phrase, before: null, ending: null });
    }
  }
  const whole = run.length > MAX_CHARACTERS && run.length <= LONGEST_RUN ? phraseOf(run, '') : null;
  if (whole === null) return;
  const ends = [run.slice(0, MAX_CHARACTERS), run.slice(-MAX_CHARACTERS)];
  found.set(whole.key, {
    ...whole,
    before: null,
    ending: null,
    within: ends.map((part) => foldedText(part.join(''))),
  });
}

function phraseOf(parts: readonly string[], between: string): Pick<Phrase, 'text' | 'key' | 'within'> | null {
  const text = parts.join(between);
  if (COLOURS.has(text) || NOISE.has(text)) return null;
  const isEdge = (part = '') => FUNCTION_WORDS.has(part.toLowerCase()) || NOISE.has(part.toLowerCase());
  if (UNFINISHED.has((parts.at(-1) ?? '').toLowerCase())) return null;
  if (text.length > MAX_LENGTH || isEdge(parts[0]) || isEdge(parts.at(-1)) || !/\p{L}/u.test(text))
    return null;
  // A number says nothing without what it counts: the 5 of `Brisk 5 Toothbrush`, the inches of `27 inch`.
  if (/^\p{Nd}{1,3}$/u.test(parts[0] ?? '') || UNIT.test(parts[0] ?? '') || isOffer(parts)) return null;
  const keyOf = (some: readonly string[]) => foldedText(some.join(between).replace(BEFORE_UNIT, ''));
  const within = parts.length === MIN_WORDS ? [] : [keyOf(parts.slice(1)), keyOf(parts.slice(0, -1))];
  return { text, key: keyOf(parts), within };
}

/** Words of the shop rather than of what it sells: `Fast Delivery`, `White Ready Stock`. */
function isOffer(parts: readonly string[]): boolean {
  const words = parts.map((part) => part.toLowerCase());
  const noise = words.filter((word) => NOISE.has(word)).length;
  return noise > 1 || words.every((word) => NOISE.has(word) || COLOURS.has(word));
}
