import { visibleText } from '../../text/clean.js';
import { interpret } from './interpret/interpret.js';
import { anyWordOf, QUOTED, standalone, words } from './interpret/vocabulary.js';
import type { WordSynonyms } from './synonyms.js';
import { SEARCH_TUNING } from './tuning.js';

export interface QueryText {
  /** The text as typed. */
  typed: string;
  /** All words to search for; the words of phrases in quotes come last. */
  text: string;
  /** The words of the query text outside of quotes. Only the spelling of these words may be corrected. */
  plain: string;
  /** The phrases in quotes of the query text, of as many words as a text may have. A listing must contain each of them exactly. */
  phrases: string[];
  /** The synonyms of words of `plain` that merchandising rules state. */
  synonyms: readonly WordSynonyms[];
  /** `plain` with blanks in the place of words that have such synonyms, because their spelling is not corrected. */
  correctable: string;
  /** Words that no listing contains. They are not searched for, unless there are no others. */
  unknown: readonly string[];
  /** The schema version of the index that is searched; 0: the clauses suit an index of any version. */
  schema: number;
}

/** A query text without phrases in quotes, all of whose words are searched for. */
export const literalText = (text: string, schema = 0): QueryText => ({
  typed: text,
  text,
  plain: text,
  phrases: [],
  synonyms: [],
  correctable: text,
  unknown: [],
  schema,
});

const MAX_PHRASES = 5;
/** The languages with blanks between words, and those without. */
const [SPACED, UNSPACED] = [['en', 'ms', 'de'] as const, ['zh', 'th'] as const];
const QUESTION_STARTS = [words('questionStarts', SPACED), words('questionStarts', UNSPACED)] as const;
const QUESTION_ENDS = [words('questionEnds', SPACED), words('questionEnds', UNSPACED)] as const;

/** Phrases before the name of a product, such as "where can I buy a". Each phrase ends with a blank, except in Chinese. */
const BEFORE_PRODUCT = new RegExp(
  `^(?:${QUESTION_STARTS[0].join('|')}) (?:(?:an?|some|any|all(?: the)?|the) )?|^${anyWordOf(QUESTION_STARTS[1])} ?`,
  'iu',
);

/** Phrases after the product name, such as "near me". "for baby" is part of a name, "for my baby" is not. */
const AFTER_PRODUCT = new RegExp(` (?:${QUESTION_ENDS[0].join('|')})$|${anyWordOf(QUESTION_ENDS[1])}$`, 'iu');

/**
 * Conditions that no parameter stands for: what a product must not be, praise, and limits of a size. They are
 * not searched for, because words such as "not" and "under" are rarer than the product's and would outweigh
 * them. Chinese words such as 不锈 (stainless) and 不粘 (non-stick) name products and are excluded.
 */
const CONDITIONS = new RegExp(
  [
    `(?<![\\p{L}\\p{N}])(?:${words('conditions', SPACED).join('|')})(?![\\p{L}\\p{N}])`,
    ...words('conditions', UNSPACED),
  ].join('|'),
  'giu',
);

/**
 * Characters that the analyzers would not treat as blanks: a colon between letters, as in `brand:sony`, would join two
 * words, and `<` before a word would begin markup, which is left out.
 */
const JOINERS = /(?<=\p{L}):(?=\p{L})|<(?![^<>]*>)/gu;

/**
 * Parses a query text into its parts. Invisible format characters are ignored.
 * @param schema the schema version of the index that is searched.
 */
export function parseQueryText(text: string, schema = 0): QueryText {
  const typed = visibleText(text);
  const quoted = [...typed.matchAll(QUOTED)]
    .slice(0, MAX_PHRASES)
    .flatMap(([, phrase = '']) => phrase.trim() || []);
  const unquoted = (quoted.length === 0 ? typed : typed.replace(QUOTED, ' ').trim()).replace(JOINERS, ' ');
  const plain = withoutQuestion(withoutConditions(unquoted));
  return {
    ...literalText(plain, schema),
    typed: text,
    text: [plain, ...quoted].filter((part) => part !== '').join(' '),
    phrases: firstWords(quoted, SEARCH_TUNING.maxWords),
  };
}

/** Words of grammar in other languages than English, where they may be names or abbreviations. */
const GRAMMAR = new RegExp(standalone(words('grammar')), 'giu');

/** The name of a product in a text: without parameters, conditions, the phrases around it, and words of grammar. */
export function productNameIn(text: string): string {
  const named = parseQueryText(text).text;
  const left = named.replace(GRAMMAR, ' ').replaceAll(/\s+/g, ' ').trim();
  return left === '' ? named : left;
}

/** The same query text with corrected spelling of the words outside of quotes. */
export const withSpelling = (wording: QueryText, corrected: string): QueryText => ({
  ...wording,
  text: [corrected, ...wording.phrases].join(' '),
  plain: corrected,
});

/** The first words of several phrases, up to a maximum number in total. */
function firstWords(phrases: readonly string[], most: number): string[] {
  let left = most;
  return phrases.flatMap((phrase) => {
    const words = phrase.split(/\s+/).slice(0, left);
    left -= words.length;
    return words.join(' ') || [];
  });
}

/** Removes parameters and other conditions from a query text. If nothing would remain, the text stays as it is. */
function withoutConditions(text: string): string {
  const { text: unread } = interpret(text, { sources: [] });
  const left = unread.replace(CONDITIONS, ' ');
  if (left === text || !/[\p{L}\p{N}]/u.test(left)) return text;
  return left.replaceAll(/\s+/g, ' ').trim();
}

/** Removes the phrases around the name of a product from a query text. If nothing would remain, the text stays as it is. */
export function withoutQuestion(text: string): string {
  const tidy = text.replaceAll(/\s+/g, ' ');
  let left = tidy;
  for (;;) {
    const shorter = left.replace(BEFORE_PRODUCT, '').replace(AFTER_PRODUCT, '');
    if (shorter === left) return left === tidy ? text : left;
    if (!/[\p{L}\p{N}]/u.test(shorter)) return left;
    left = shorter;
  }
}
