import { SIZE_SYSTEMS } from '../../matching/measures.js';
import { FOR_WORDS } from '../../naming/target-words.js';
import { UNIT_WORDS } from '../../text/units.js';
import { withoutPluralEnding } from '../../text/singular.js';
import { foldWords } from '../../text/fold.js';
import { splitByScript } from '../../text/tokenize.js';
import { COLOURS } from '../../naming/lexicon.js';
import { MARKETING_WORDS } from '../../text/vocabulary.js';

const MIN_WORDS = 2;
const MAX_WORDS = 5;
const MAX_LENGTH = 60;
/** The maximum number of characters of a phrase in a longer run of Chinese or Japanese characters. */
const MAX_CHARACTERS = 4;
/** A longer run of Chinese or Japanese characters is a sentence and not itself a phrase. */
const MAX_RUN = 12;

/** Matches punctuation that separates the segments of a name. No phrase extends over such a separator. */
const SEPARATORS = /[,;:|()[\]{}<>"“”„!?…•·–—【】（）「」、，。]+|\s[-/+~*]+(?=\s)/u;
const WORD = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;
const MARKUP = /<[a-z/][^<>]{0,200}>|&(?:#\d{1,6}|[a-z]{2,8});/gi;

const UNIT = new RegExp(`^(?:${UNIT_WORDS}|[mk]b/s|fps|pcs|pack|years?|months?)$`, 'i');

const INCHES = /(\d)(?:"|″|”|'')/g;
const PACK_COUNT = /^\p{Nd}+ ?[x×]$/iu;
/** Matches the blank between a number and its unit, as in "500 GB". The keys of phrases omit it, because many shops do. */
const BEFORE_UNIT = new RegExp(`(?<=\\p{Nd}) (?=${UNIT.source.slice(1, -1)}(?![\\p{L}\\p{N}]))`, 'giu');

const FUNCTION_WORDS = new Set([
  ...'a an and as at by de from in into is it no of on or per so than the this to up via vs with without your dengan'.split(
    ' ',
  ),
  ...FOR_WORDS,
]);

/** Adjectives with which no suggested phrase ends, because the noun that they describe follows. */
const ADJECTIVES = new Set(
  'fast ready local official original authentic genuine new free best hot compatible limited imported'.split(
    ' ',
  ),
);

/** Matches words that belong to the size before them, such as "RAM" in "8GB RAM". */
const AFTER_SIZE = /^(?:ram|rom|emmc|storage|keys?|sheets)$/i;
const MALAY_MARKETING_WORDS = new Set(
  'stok sedia ada ready penghantaran pantas gratis ongkir murah promo jual'.split(' '),
);
const VARIANTS = new Set('pro plus ultra max mini lite air se fe ii iii'.split(' '));
const SYSTEM = SIZE_SYSTEMS.join('|').toUpperCase();
const SHOE_SIZE = new RegExp(`^(?:${SYSTEM}) \\d`, 'i');
const BEFORE_SIZE = new RegExp(`\\b(${SYSTEM})(?=\\d{1,2}(?:\\.5)?\\b)`, 'g');
const SIZE_SYSTEM = new RegExp(`^(?:${SYSTEM})$`, 'i');
/** Matches a group of people. A phrase is complete without it: "running shoes" in "women's running shoes". */
const PEOPLE = /^(?:(?:wo)?mens?|lad(?:y|ies)|boys?|girls?|kids?|unisex)$/;

/** A phrase of a name: several words, or a run of Chinese or Japanese characters. */
export interface Phrase {
  text: string;
  key: string;
  /** The keys of the two phrases that lack its first or last part; none if it has only one part. */
  within: string[];
  /** The folded word before the phrase; null at the beginning of a segment and after a brand, a size or a number. */
  before: string | null;
  /** The folded last noun if other listings must confirm that it can end a phrase; null if the category or a model does. */
  lastNoun: string | null;
}

interface PhraseSource {
  name: string;
  brand: string | null;
  kinds: readonly string[];
  /** The nouns in the name that the category also contains. A number after a noun that it lacks is a model number. */
  categoryKinds: readonly string[];
}

/**
 * Returns the phrases of a name that a shopper might type, of two to five words: a product term with the words before it and one size
 * ("Air Fryer 4L"), a line or brand with its model ("Galaxy S24 Ultra"), and an accessory with what it is for ("Case for Galaxy S24").
 */
export function phrasesOf({ name, brand, kinds, categoryKinds }: PhraseSource): Phrase[] {
  const found = new Map<string, Phrase>();
  const folded = kinds.map(foldWords);
  for (const words of segmentsOf(name)) {
    collect(
      classifyWords(words, { brand, kinds: folded, categoryKinds: categoryKinds.map(foldWords) }),
      found,
    );
    for (const word of words)
      for (const run of splitByScript(word)) if (run.isCjk) collectCharacters([...run.text], found);
  }
  return [...found.values()].filter(({ key }) => !IDEOGRAPH.test(key) || containsKind(key, folded));
}

const segmentsOf = (name: string): string[][] =>
  name.replace(MARKUP, ' , ').replace(INCHES, '$1 inch ').split(SEPARATORS).map(wordsOf);

/** The position of a word in a product term: at its end, elsewhere in it, or before a size or number, where a term may end. */
type WordPosition = 'end' | 'within' | 'before size';

export function eachWord(name: string, onWord: (word: string, position: WordPosition) => void): void {
  for (const words of segmentsOf(name))
    words.forEach((word, at) => {
      const next = words[at + 1]?.toLowerCase();
      const isEnd = next === undefined || FUNCTION_WORDS.has(next) || COLOURS.has(next);
      onWord(foldWords(word), isEnd ? 'end' : /\d/.test(next) ? 'before size' : 'within');
    });
}

/** Whether a Chinese phrase contains a noun that says what the product is, or the end of such a noun. */
const containsKind = (key: string, kinds: readonly string[]): boolean =>
  kinds.some((kind) => IDEOGRAPH.test(kind) && (key.includes(kind) || kind.endsWith(key))) ||
  splitByScript(key).some(({ text }) =>
    kinds.some((kind) => withoutPluralEnding(kind) === withoutPluralEnding(text)),
  );

const IDEOGRAPH = /\p{Script=Han}/u;

/** A word of a name with its role. A `line` is a product line, which a model follows. `small` words are function words. */
interface NameWord {
  text: string;
  is: 'kind' | 'line' | 'model' | 'size' | 'brand' | 'for' | 'small' | 'word';
  /** Whether the category contains this noun as well, which confirms that it can end a phrase. */
  isConfirmed?: boolean;
}

/** Matches a model: a number or a short code. Some sizes match as well, and are excluded by `SIZE`. */
const MODEL = /^(?:\p{L}{1,3}\d{1,4}\p{L}{0,2}|\d{1,4}|(?=.*\d)[\p{Lu}\d]+(?:-[\p{Lu}\d]+)*)$/u;
const SIZE = new RegExp(
  `^(?:\\p{Nd}+ ?[x×] )?\\p{Nd}[\\p{Nd}.,x×/-]*[\\s-]?${UNIT.source.slice(1, -1)}(?:/day)?(?: (?:ram|rom|emmc|storage|keys?|sheets))?$|^(?:${SYSTEM}) \\p{Nd}`,
  'iu',
);

function classifyWords(
  words: readonly string[],
  { brand, kinds, categoryKinds }: Omit<PhraseSource, 'name'>,
): NameWord[] {
  const brands = new Set(brand === null ? [] : foldWords(brand).split(' '));
  const isModel = (word = '') => MODEL.test(word) && !SIZE.test(word);
  return words.map((text, at): NameWord => {
    const key = foldWords(text);
    if (FOR_WORDS.has(key)) return { text, is: 'for' };
    if (SIZE.test(text)) return { text, is: 'size' };
    if (isModel(text)) return { text, is: 'model' };
    if (brands.has(key)) return { text, is: 'brand' };
    if ([FUNCTION_WORDS, MARKETING_WORDS, MALAY_MARKETING_WORDS].some((set) => set.has(key)))
      return { text, is: 'small' };
    const isAmong = (some: readonly string[]) =>
      some.some((kind) => withoutPluralEnding(kind) === withoutPluralEnding(key));
    if (isAmong(categoryKinds)) return { text, is: 'kind', isConfirmed: true };
    if (isAmong(kinds)) return { text, is: isModel(words[at + 1]) ? 'line' : 'kind' };
    return { text, is: 'word' };
  });
}

/** Splits a segment of a name into words. A number and its unit form one word, and so do a shoe size and its system ("US 9"). */
function wordsOf(segment: string): string[] {
  const words: string[] = [];
  for (const written of segment.replace(BEFORE_SIZE, '$1 ').split(/\s+/)) {
    const [word = ''] = WORD.exec(written) ?? [];
    const before = words.at(-1);
    if (word === '') continue;
    const isMeasured = UNIT.test(word) && /^\p{Nd}[\p{Nd}.,-]*$/u.test(before ?? '');
    const isPack = /^[x×]$/i.test(word) && /^\p{Nd}+$/u.test(before ?? '');
    const isOfPack = PACK_COUNT.test(before ?? '') && /^\p{Nd}/u.test(word);
    const isPart = AFTER_SIZE.test(word) && SIZE.test(before ?? '');
    const isSized = /^\d{1,2}(?:\.5)?$/.test(word) && SIZE_SYSTEM.test(before ?? '');
    if (before !== undefined && (isMeasured || isPack || isOfPack || isPart || isSized))
      words[words.length - 1] = `${before} ${word}`;
    else words.push(word);
  }
  return words;
}

function collect(words: readonly NameWord[], found: Map<string, Phrase>): void {
  for (let at = 0; at < words.length; at++) {
    const before = words[at - 1];
    if (!mayBegin(words[at], before)) continue;
    for (let size = MIN_WORDS; size <= MAX_WORDS && at + size <= words.length; size++) {
      const parts = words.slice(at, at + size);
      const ending = endingOf(parts, words[at + size]);
      if (ending === null) continue;
      const texts = parts.map(({ text }) => text);
      const phrase = phraseOf(texts, ' ');
      if (phrase === null) continue;
      const isPlain = before?.is === 'word' || before?.is === 'kind';
      found.set(phrase.key, {
        ...phrase,
        before: isPlain && !PEOPLE.test(foldWords(before.text)) ? foldWords(before.text) : null,
        lastNoun: ending === '' ? null : ending,
      });
    }
  }
}

/** A phrase may not begin within a brand or model, or with a word that belongs to the size before it. */
function mayBegin(first: NameWord | undefined, before: NameWord | undefined): boolean {
  if (first === undefined || first.is === 'small' || first.is === 'for') return false;
  if (first.is === 'brand' && before?.is === 'brand') return false;
  if (AFTER_SIZE.test(first.text) || SHOE_SIZE.test(first.text)) return false;
  if (/^(?:ssd|hdd)$/i.test(first.text)) return before?.is !== 'size';
  if (isVariant(first)) return before?.is !== 'model' && before?.is !== 'line';
  if (first.is !== 'model') return true;
  return before === undefined || !/^[\p{Lu}\d]/u.test(before.text);
}

/** The last noun of a phrase, if names of other listings must confirm it as an end; an empty text if the category confirms it. */
const endingWith = ({ text, isConfirmed }: NameWord): string => (isConfirmed === true ? '' : foldWords(text));

/** Returns null if words form no complete phrase; its last noun, if other names must confirm its end; otherwise an empty text. */
function endingOf(parts: readonly NameWord[], next: NameWord | undefined): string | null {
  const last = parts.at(-1);
  if (last === undefined || parts.filter(({ is }) => is === 'size').length > 1) return null;
  const preposition = parts.findIndex(({ is }) => is === 'for');
  if (preposition > 0) {
    // In "case for iPhone 13", both the accessory and the product after "for" must be complete.
    const accessoryWords = parts.slice(0, preposition);
    const [only] = accessoryWords;
    const accessory =
      accessoryWords.length > 1
        ? endingOf(accessoryWords, undefined)
        : only?.is === 'kind'
          ? endingWith(only)
          : null;
    const target = parts.slice(preposition + 1);
    if (accessory === null || target.length === 0) return null;
    if (target.some(({ is }) => is === 'small' || is === 'for' || is === 'size')) return null;
    const isWhole = last.is === 'model' || isVariant(last) || next?.is === 'model';
    return isWhole ? accessory : foldWords(last.text);
  }
  // A phrase with a word such as "and" must end with the noun of a product: "Wall and Ceiling Lamp".
  if (parts.some(({ is }) => is === 'small') && last.is !== 'kind') return null;
  if (last.is === 'kind') {
    // A phrase is cut off if it contains a product line without the model that follows it in the name.
    const isCut = parts.some(({ is }, at) => is === 'line' && parts[at + 1]?.is !== 'model');
    return isCut || (next?.is === 'kind' && !isVariant(next)) ? null : endingWith(last);
  }
  if (last.is === 'size') {
    const noun = parts.at(-2);
    return noun?.is === 'kind' ? endingWith(noun) : null;
  }
  if (parts.some(({ is }) => is === 'kind')) return null;
  const areLineOrBrand = (words: readonly NameWord[]) =>
    words.every(({ is }) => is === 'line' || is === 'brand');
  if (last.is === 'model') return areLineOrBrand(parts.slice(0, -1)) ? '' : null;
  const isVariantOfModel =
    isVariant(last) && parts.at(-2)?.is === 'model' && parts.slice(0, -2).some(({ is }) => is !== 'model');
  if (isVariantOfModel) return areLineOrBrand(parts.slice(0, -2)) ? '' : null;
  return last.is === 'line' && parts.slice(0, -1).every(({ is }) => is === 'brand') ? '' : null;
}

const isVariant = ({ text }: NameWord): boolean => VARIANTS.has(text.toLowerCase());

/** Word boundaries are only certain at both ends of a run, so its phrases are its beginnings, its ends and the whole run. */
function collectCharacters(run: readonly string[], found: Map<string, Phrase>): void {
  for (let size = MIN_WORDS; size <= MAX_CHARACTERS; size++) {
    for (const part of [run.slice(0, size), run.slice(-size)]) {
      const phrase = part.length === size ? phraseOf(part, '') : null;
      if (phrase !== null) found.set(phrase.key, { ...phrase, before: null, lastNoun: null });
    }
  }
  const whole = run.length > MAX_CHARACTERS && run.length <= MAX_RUN ? phraseOf(run, '') : null;
  if (whole === null) return;
  const ends = [run.slice(0, MAX_CHARACTERS), run.slice(-MAX_CHARACTERS)];
  found.set(whole.key, {
    ...whole,
    before: null,
    lastNoun: null,
    within: ends.map((part) => foldWords(part.join(''))),
  });
}

function phraseOf(parts: readonly string[], separator: string) {
  const text = parts.join(separator);
  if (COLOURS.has(text) || MARKETING_WORDS.has(text)) return null;
  const isEdge = (part = '') =>
    FUNCTION_WORDS.has(part.toLowerCase()) || MARKETING_WORDS.has(part.toLowerCase());
  if (ADJECTIVES.has((parts.at(-1) ?? '').toLowerCase())) return null;
  if (text.length > MAX_LENGTH || isEdge(parts[0]) || isEdge(parts.at(-1)) || !/\p{L}/u.test(text))
    return null;
  // A number or unit at the beginning belongs to the words before it, as the 5 of "Brisk 5 Toothbrush" does.
  if (/^\p{Nd}{1,3}$/u.test(parts[0] ?? '') || UNIT.test(parts[0] ?? '') || isOffer(parts)) return null;
  const keyOf = (some: readonly string[]) => foldWords(some.join(separator).replace(BEFORE_UNIT, ''));
  const within = parts.length === MIN_WORDS ? [] : [keyOf(parts.slice(1)), keyOf(parts.slice(0, -1))];
  return { text, key: keyOf(parts), within };
}

/** Whether words of a name describe the offer rather than the product, as in "Fast Delivery" or "White Ready Stock". */
function isOffer(parts: readonly string[]): boolean {
  const words = parts.map((part) => part.toLowerCase());
  const marketing = words.filter((word) => MARKETING_WORDS.has(word)).length;
  return marketing > 1 || words.every((word) => MARKETING_WORDS.has(word) || COLOURS.has(word));
}
