import { foldedText, wordsTyped } from '../listing/folding.js';
import { COLOURS, NOISE } from '../matching/vocabulary.js';

const MIN_WORDS = 2;
const MAX_WORDS = 4;
const MAX_LENGTH = 60;
/** Of a script without blanks: what is longer is a sentence. */
const LONGEST_RUN = 12;

/** A phrase ends where a name has one of these. */
const BORDERS = /[,;:|()[\]{}<>"“”„!?…•·–—【】（）「」、，。]+|\s[-/+~*]+(?=\s)/u;
/** Without the marks before and behind it. */
const WORD = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;
const MARKUP = /<[a-z/][^<>]{0,200}>|&(?:#\d{1,6}|[a-z]{2,8});/gi;

const UNIT =
  /^(?:inch(?:es)?|in|[tgmk]b|ml|cl|l|litres?|liters?|kg|g|mg|mm|cm|m|ft|oz|lbs?|k?w|watts?|v|mah|[kmg]?hz|mp|dpi|rpm|btu|[mk]b\/s|fps|pcs|pack|years?|months?)$/i;

const INCHES = /(\d)(?:"|″|”|'')/g;

/** Nobody types what begins or ends with these. */
const FUNCTION_WORDS = new Set(
  'a an and as at by de for from in into is it no of on or per so than the this to up via vs with without your 适用于 適用於 适配 兼容'.split(
    ' ',
  ),
);

/** What goes on behind these is what is meant. */
const UNFINISHED = new Set(
  'fast ready local official original authentic genuine new free best hot compatible limited imported'.split(
    ' ',
  ),
);

/** One phrase of a name: its parts are words, or characters of a script without blanks. */
export interface Phrase {
  text: string;
  key: string;
  /** The keys of the same without its first, and without its last part, where these are phrases too. */
  within: string[];
}

/**
 * Runs of two to four words in a name that say what the thing is, each once: "M4 Wireless" says nothing without the mouse.
 * @param kinds what the listing is, as `kindsOf` reads it.
 */
export function phrasesOf(name: string, kinds: readonly string[]): Phrase[] {
  const found = new Map<string, Found>();
  for (const segment of name.replace(MARKUP, ' , ').replace(INCHES, '$1 inch ').split(BORDERS)) {
    const words = wordsOf(segment);
    collect(words, ' ', found);
    for (const word of words) {
      for (const run of wordsTyped(word)) if (run.isCjk) collectCharacters([...run.text], found);
    }
  }
  const folded = kinds.map(foldedText);
  return [...found.values()].flatMap(({ goesOn, ...phrase }) =>
    saysKind(phrase.key, folded, goesOn === true) ? [phrase] : [],
  );
}

/** A phrase, and whether a part of a model follows: then what it says last is that model's family. */
type Found = Phrase & { goesOn?: boolean };

/**
 * Whether one of the words is what the thing is, be it in the plural. Before a part of a model it must be the last, which
 * "Galaxy" is and "Laptop Harrier" has not alone. Of ideographs the phrase may be the end of the kind.
 * @param kinds folded.
 */
function saysKind(key: string, kinds: readonly string[], goesOn: boolean): boolean {
  const words = wordsTyped(key).map(({ text }) => singular(text));
  const isKind = (word: string) => kinds.some((kind) => singular(kind) === word);
  if (goesOn) return words.findIndex(isKind) === words.length - 1;
  if (words.some(isKind)) return true;
  return kinds.some((kind) => IDEOGRAPH.test(kind) && (key.includes(kind) || kind.endsWith(key)));
}

const IDEOGRAPH = /\p{Script=Han}/u;
const singular = (word: string): string => word.replace(/(?<=[^s])(?:es|s)$/u, '');

/** Without the marks around them; a number and its unit are one. */
function wordsOf(segment: string): string[] {
  const words: string[] = [];
  for (const written of segment.split(/\s+/)) {
    const [word = ''] = WORD.exec(written) ?? [];
    const before = words.at(-1);
    if (word === '') continue;
    if (before !== undefined && UNIT.test(word) && /^\p{Nd}[\p{Nd}.,-]*$/u.test(before)) {
      words[words.length - 1] = `${before} ${word}`;
    } else words.push(word);
  }
  return words;
}

function collect(parts: readonly string[], between: '' | ' ', found: Map<string, Found>): void {
  for (let size = MIN_WORDS; size <= MAX_WORDS; size++) {
    for (let at = 0; at + size <= parts.length; at++) {
      if (isWithinModel(parts, at)) continue;
      const phrase = phraseOf(parts.slice(at, at + size), between);
      if (phrase !== null) found.set(phrase.key, { ...phrase, goesOn: isModelPart(parts[at + size]) });
    }
  }
}

/** A number or a short code, and no size. */
const MODEL_PART = /^(?:\p{L}{1,3}\d{1,4}\p{L}{0,2}|\d{1,4})$/u;
const isModelPart = (part: string | undefined): boolean => part !== undefined && MODEL_PART.test(part);

/** Behind another part of a model, or a name: the `M4` of `SW 840 M4 Wireless Mouse`, and of `Glide M4`. */
const isWithinModel = (words: readonly string[], at: number): boolean =>
  isModelPart(words[at]) && /^[\p{Lu}\d]/u.test(words[at - 1] ?? '');

/** Nobody knows where words end in such a run but at its own ends, so a phrase is what begins or ends it, or all of it. */
function collectCharacters(run: readonly string[], found: Map<string, Found>): void {
  for (let size = MIN_WORDS; size <= MAX_WORDS; size++) {
    for (const part of [run.slice(0, size), run.slice(-size)]) {
      const phrase = part.length === size ? phraseOf(part, '') : null;
      if (phrase !== null) found.set(phrase.key, phrase);
    }
  }
  const whole = run.length > MAX_WORDS && run.length <= LONGEST_RUN ? phraseOf(run, '') : null;
  if (whole === null) return;
  const ends = [run.slice(0, MAX_WORDS), run.slice(-MAX_WORDS)];
  found.set(whole.key, { ...whole, within: ends.map((part) => foldedText(part.join(''))) });
}

function phraseOf(parts: readonly string[], between: string): Phrase | null {
  const text = parts.join(between);
  const isEdge = (part = '') => FUNCTION_WORDS.has(part.toLowerCase()) || NOISE.has(part.toLowerCase());
  if (UNFINISHED.has((parts.at(-1) ?? '').toLowerCase())) return null;
  if (text.length > MAX_LENGTH || isEdge(parts[0]) || isEdge(parts.at(-1)) || !/\p{L}/u.test(text))
    return null;
  // A number says nothing without what it counts: the 5 of `Brisk 5 Toothbrush`, the inches of `27 inch`.
  if (/^\p{Nd}{1,3}$/u.test(parts[0] ?? '') || UNIT.test(parts[0] ?? '') || isOffer(parts)) return null;
  const keyOf = (some: readonly string[]) => foldedText(some.join(between));
  const within = parts.length === MIN_WORDS ? [] : [keyOf(parts.slice(1)), keyOf(parts.slice(0, -1))];
  return { text, key: keyOf(parts), within };
}

/** Words of the shop rather than of what it sells: `Fast Delivery`, `White Ready Stock`. */
function isOffer(parts: readonly string[]): boolean {
  const words = parts.map((part) => part.toLowerCase());
  const noise = words.filter((word) => NOISE.has(word)).length;
  return noise > 1 || words.every((word) => NOISE.has(word) || COLOURS.has(word));
}
