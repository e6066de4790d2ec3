import type { Condition } from '../schemas/condition.js';
import { foldProse, foldWords } from '../text/fold.js';
import { phrasesOfMarkets } from '../text/market-words.js';

/** The maximum number of characters of a name, and of a stated condition, that are read. */
const MAX = { name: 400, stated: 120 };

const fold = (text: string): string => foldProse(text).normalize('NFC');
const foldedPhrase = (phrase: string): string => fold(phrase).trim().replace(/\s+/g, ' ');
const phrasesIn = (list: string): string[] =>
  phrasesOfMarkets(list).map(({ phrase }) => foldedPhrase(phrase));

/** For each phrase of a list, the words before or after which it does not state the condition: the others of its line. */
function exceptionsIn(list: 'not_before' | 'not_after'): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>();
  for (const { first, phrase } of phrasesOfMarkets(list)) {
    const of = foldedPhrase(first);
    if (phrase !== first) words.set(of, [...(words.get(of) ?? []), foldedPhrase(phrase)]);
  }
  return words;
}

/** Matches scripts without blanks between words, in which the borders of a phrase cannot be checked. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\d\s]+$/u;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
/** A pattern for any of some phrases, longer ones first, with the borders of words once, because they are slow to compile. */
const anyOf = (phrases: readonly string[]): string => {
  if (phrases.length === 0) return '(?!)';
  const sorted = [...phrases].sort((a, b) => b.length - a.length);
  const patterns = (isSpaced: boolean) =>
    sorted
      .filter((phrase) => UNSPACED.test(phrase) !== isSpaced)
      .map((phrase) => escaped(phrase).replaceAll(' ', '[\\s-]?'))
      .join('|');
  const [spaced, unspaced] = [patterns(true), patterns(false)];
  const bounded = spaced === '' ? [] : [`(?<![\\p{L}\\p{N}])(?:${spaced})(?![\\p{L}\\p{N}])`];
  return `(?:${[...bounded, ...(unspaced === '' ? [] : [unspaced])].join('|')})`;
};
const hasOneOf = (list: string): RegExp => new RegExp(anyOf(phrasesIn(list)), 'u');

/** The word of the files that stands for any number. */
const NUMBER = '0';
/** A word after which a phrase does not state the condition; blanks, hyphens and quotation marks may be between them. */
function neighbour(words: readonly string[], side: 'before' | 'after'): RegExp | null {
  if (words.length === 0) return null;
  const one = anyOf(words.filter((word) => word !== NUMBER));
  const any = words.includes(NUMBER) ? `(?:${one}|\\d+)` : one;
  return new RegExp(side === 'after' ? `${any}[\\s"'-]*$` : `^[\\s"'-]*${any}`, 'u');
}

const [NOT_BEFORE, NOT_AFTER] = [exceptionsIn('not_before'), exceptionsIn('not_after')];
const NOT_AFTER_ANY = phrasesIn('not_after_any');

/** All phrases that state a condition. "Refurbished" says more than "used" and comes first, then longer phrases do. */
const ENTRIES = (['refurbished', 'used'] as const).flatMap((value) =>
  ([value, `${value}_placed`] as const).flatMap((list) =>
    phrasesIn(list)
      .sort((a, b) => b.length - a.length)
      .map((phrase) => ({
        value,
        isPlaced: list !== value,
        phrase,
        pattern: new RegExp(anyOf([phrase]), 'gu'),
        isLong: phrase.includes(' '),
        isGrade: phrase.includes('grade'),
        notBefore: neighbour(NOT_BEFORE.get(phrase) ?? [], 'before'),
        notAfter: neighbour([...NOT_AFTER_ANY, ...(NOT_AFTER.get(phrase) ?? [])], 'after') ?? /$^/,
      })),
  ),
);

type Entry = (typeof ENTRIES)[number];

const ANY = new RegExp(anyOf(ENTRIES.map(({ phrase }) => phrase)), 'u');
const TARGET = new RegExp(
  `${anyOf(phrasesIn('goes_with'))}|(?<=\\S.*)${anyOf(phrasesIn('goes_with_inside'))}`,
  'u',
);
const BORDER = /[()[\]{}【】（）<>|,;:•·*!]|(?<![\p{L}\p{N}])[-–—/]|[-–—/](?![\p{L}\p{N}])/gu;
const FILLER = new RegExp(anyOf(phrasesIn('beside_condition')), 'gu');
const GRADED = new RegExp(`${hasOneOf('graded').source}|\\d\\s?[gt]b(?![\\p{L}\\p{N}])`, 'u');
const UNGRADED = hasOneOf('ungraded');
const GARMENT = hasOneOf('garments');

/** Reads whether a name states "refurbished" or "used", unlike "case for refurbished phones" and "grade A eggs"; else null. */
export function conditionInName(name: string): 'refurbished' | 'used' | null {
  return statementIn(fold(name.slice(0, MAX.name)))?.value ?? null;
}

/** Reads the condition that a search text asks for: "renewed Orbit V40". @returns null if it names none. */
export const conditionInText = (text: string): 'refurbished' | 'used' | null =>
  statementIn(fold(text.slice(0, MAX.name)), true)?.value ?? null;

/** Removes the words by which a search text asks for a condition: "used Orbit V40, like new". The rest is folded. */
export function withoutCondition(text: string): string {
  let left = fold(text);
  for (let found = statementIn(left, true); found !== null; found = statementIn(left, true))
    left = `${left.slice(0, found.from)} ${left.slice(found.to)}`;
  return left.replace(/\s+/g, ' ').trim();
}

/** The first phrase that states a condition, refurbished first. @param isSearch of a search text, which states it at an end. */
function statementIn(
  name: string,
  isSearch = false,
): { value: 'refurbished' | 'used'; from: number; to: number } | null {
  if (!ANY.test(name)) return null;
  for (const entry of ENTRIES) {
    for (const { index: from, 0: phrase } of name.matchAll(entry.pattern)) {
      const to = from + phrase.length;
      if (states(entry, { name, isSearch }, from, to)) return { value: entry.value, from, to };
    }
  }
  return null;
}

/** Whether a phrase in a folded name, from one position to another, states the condition of the listing. */
function states(
  entry: Entry,
  { name, isSearch }: { name: string; isSearch: boolean },
  from: number,
  to: number,
): boolean {
  const [before, after] = [name.slice(0, from), name.slice(to)];
  if (entry.notAfter.test(before) || entry.notBefore?.test(after) === true) return false;
  const segment = segmentAround(name, from, to);
  const rest = (text: string) => text.replace(FILLER, ' ').replace(/[^\p{L}\p{N}]+/gu, '');
  const follows = rest(segment.after);
  if (TARGET.test(segment.before) && follows !== '') return false;
  const isAlone = rest(segment.before) === '' && follows === '' && !segment.isWholeName;
  if (entry.isGrade) {
    const isAtEdge = rest(after) === '' || (isSearch && rest(before) === '');
    return (isAlone || isAtEdge) && GRADED.test(name) && !UNGRADED.test(name);
  }
  if (!entry.isPlaced) return isAlone || !GARMENT.test(name) || entry.value === 'refurbished';
  // A condition at the beginning of a name may be part of a title: "Renewed: a memoir".
  if (isAlone && !segment.isFirst) return true;
  const begins = rest(before) === '' && (entry.isLong || entry.value === 'refurbished');
  return (isSearch || GRADED.test(name)) && (begins || rest(after) === '');
}

/** The text around a phrase up to the next brackets, commas or dashes. */
function segmentAround(name: string, from: number, to: number) {
  let start = 0;
  let end = name.length;
  for (const { index, 0: mark } of name.matchAll(BORDER)) {
    if (index + mark.length <= from) start = index + mark.length;
    else if (index >= to) {
      end = index;
      break;
    }
  }
  return {
    before: name.slice(start, from),
    after: name.slice(to, end),
    isFirst: start === 0,
    isWholeName: start === 0 && end === name.length,
  };
}

const STATING: readonly (readonly [Condition, readonly string[]])[] = [
  ['new', ['new_stated']],
  ['refurbished', ['refurbished', 'refurbished_placed', 'refurbished_stated']],
  ['used', ['used', 'used_placed', 'used_stated']],
];
const STATED: ReadonlyMap<string, Condition> = new Map(
  STATING.flatMap(([value, lists]) =>
    lists.flatMap(phrasesIn).map((phrase) => [wordsOf(phrase), value] as const),
  ),
);

/** A stated condition as words: `UsedLikeNew`, `used_like_new` and "Used – Like New condition" are "used like new". */
function wordsOf(text: string): string {
  const words = foldWords(fold(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll('_', ' ')));
  return words
    .replace(/(?<!\S)(?:item |product )?condition(?!\S)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Reads a stated condition: `UsedCondition`, `Refurbished - Grade A`, "Neu". @returns null if the text is no known one. */
export function readCondition(text: string): Condition | null {
  const given = text.slice(0, MAX.stated);
  const [first = ''] = given.split(/[:;,(–—/]|\s-/u);
  return STATED.get(wordsOf(given)) ?? conditionInName(wordsOf(given)) ?? STATED.get(wordsOf(first)) ?? null;
}

/** The folded names of attributes that state the condition. */
export const CONDITION_ATTRIBUTES: ReadonlySet<string> = new Set(phrasesIn('condition_attributes'));
