import { gtinOf } from '../../listing/gtin.js';
import { areOfAccessory, isKnownKind, kindsOf } from '../../naming/kinds.js';
import { wordForms } from '../../naming/word-forms.js';
import { memoize } from '../../text/memoize.js';
import { withoutFillers } from '../../text/stop-words.js';
import { accessorySynonyms } from '../../text/vocabulary.js';
import { type ContainedWord, fieldsOfWords, PAIRS } from './contained-words.js';
import { ACCESSORY } from './kinds-named.js';
import { matchAny } from './match.js';
import { modelNumbersIn } from './model-numbers.js';
import type { QueryText } from './query-text.js';
import { countingWords, partsOf, UNSPACED_LETTER, wordsOf } from './query-words.js';
import { combined, CROWD, type QueryClause } from './selection.js';
import { SEARCH_TUNING as tuning } from './tuning.js';

/** Returns the name of a clause, if the clauses of a query have names. */
export type NameOf = (clause: string) => { _name?: string };

/**
 * Clauses that rank listings by the words of a text, its kind of thing, and the model numbers and identifiers in it. They do not
 * apply to listings that are near-identical to a better one of their owner, so that those come after the others with as many
 * words. Elasticsearch evaluates such clauses faster one by one than in a common one.
 */
export const rankingClauses = (read: QueryText, name: NameOf): QueryClause[] =>
  scoringClauses(read, name).map((clause) => ({ bool: { must: [clause], must_not: [CROWD] } }));

function scoringClauses({ text, schema, synonyms }: QueryText, name: NameOf): QueryClause[] {
  const words = wordsOf(text);
  const whole = words.join(' ');
  const others = synonyms.flatMap((one) => one.others);
  const query = [...countingWords(words), ...words.flatMap(wordForms), ...others].join(' ');
  const further = fieldsOfWords(schema).filter((field) => field !== 'name' && field !== PAIRS);
  const scored = [
    matchAny('name', [query], { schema, boost: tuning.name }),
    ...further.map((field) => matchAny(field, [query], { schema, boost: 1 })),
  ];
  if (isLong(words)) return scored;
  const unspaced = UNSPACED.test(whole) ? [whole, ...wordForms(whole)] : [];
  const kinds = kindClauses(words, [whole, ...others, ...unspaced.slice(1)], schema);
  const codes = modelNumbersIn(whole).slice(0, tuning.maxWords);
  const identifiers = [...codes.filter(mayIdentify), ...gtinsIn(words)];
  return [
    ...scored,
    ...kinds.map((filter) => ({ constant_score: { filter, boost: tuning.kind, ...name('kind') } })),
    ...inTypedScript(unspaced),
    ...withCodes('name.codes', codes, { boost: tuning.codes, ...name('model_number') }),
    ...withCodes('internal.identifiers.codes', identifiers, {
      boost: tuning.identifierPart,
      ...name('identifier_part'),
    }),
  ];
}

/** Whether a text is so long that only its words are searched for. */
const isLong = (words: readonly string[]): boolean =>
  words.length > tuning.maxLookupWords || partsOf(words.join(' ')).length > tuning.maxLookupParts;

const UNSPACED = new RegExp(UNSPACED_LETTER, 'u');
/** The share of the pairs of characters of a word that a kind may lack: none of three. A single pair names nothing. */
const MOST_PAIRS = '-25%';

/**
 * A clause for the names with all words of a text as they are typed, because the search also finds English synonyms of them.
 * @param spellings a text in a script without spaces, as typed and in the other Chinese script; none for other texts.
 */
function inTypedScript(spellings: readonly string[]): QueryClause[] {
  if (spellings.length === 0) return [];
  const analyzer = 'product_query_as_typed';
  const named = spellings.map((query) => ({
    match: { name: { query, operator: 'and' as const, analyzer } },
  }));
  return [{ constant_score: { filter: combined('should', named), boost: tuning.asTyped } }];
}

/** Whether a model number may be an identifier by itself. Short texts may not, because they may be sizes or years. */
const mayIdentify = (code: string): boolean => code.length > 3 && !/^\d{1,6}$/.test(code);

/** The canonical forms of the GTINs among the words of a text. */
const gtinsIn = (words: readonly string[]): string[] =>
  words.flatMap((word) => gtinOf(word) ?? []).filter((gtin) => !words.includes(gtin));

/** A clause for the listings that have one of these codes in a field of codes; none if there are no codes. */
const withCodes = (
  field: string,
  codes: readonly string[],
  options: { boost: number; _name?: string },
): QueryClause[] =>
  codes.length === 0
    ? []
    : [{ match: { [field]: { query: codes.join(' '), analyzer: 'whitespace', ...options } } }];

/**
 * Clauses for the kind of thing that a text names: for listings of this kind, and if the text names a further kind, too, for
 * listings with the head noun in their names that are not of the further kind: for "printer ink", ink and no printers.
 */
function kindClauses(words: readonly string[], texts: readonly string[], schema: number): QueryClause[] {
  const kinds = texts.flatMap((text) => kindsOf(withoutFillers(text), null));
  const spaced = kinds.flatMap((kind) => (UNSPACED.test(kind) ? [] : [kind, ...wordForms(kind)]));
  const unspaced = kinds.filter((kind) => UNSPACED.test(kind));
  const ofKind = combined('should', [
    ...(spaced.length > 0 || unspaced.length === 0
      ? [matchAny('internal.kinds', [spaced.join(' ')], { schema })]
      : []),
    ...unspaced.map((query) => {
      const named = { match: { 'internal.kinds': { query, minimum_should_match: MOST_PAIRS } } };
      // Accessories are left out, because their names contain that of the product: "鞋带" (shoelaces) contains "鞋" (shoes).
      return areOfAccessory([query]) ? named : { bool: { filter: [named], must_not: [ACCESSORY] } };
    }),
  ]);
  const head = headNounAmong(words);
  const others = words.filter((word) => word !== head && kindsOfWord(word).some(isKnownKind));
  if (head === undefined || others.length === 0) return [ofKind];
  const isOther = matchAny('internal.kinds', others, { schema });
  return [ofKind, { bool: { filter: [matchAny('name', [head], { schema })], must_not: [isOther] } }];
}

/** The word of a text that names the kind of thing; undefined if none does. */
function headNounAmong(words: readonly string[]): string | undefined {
  const kinds = kindsOf(words.join(' '), null);
  return words.findLast((word) => kinds.includes(kindsOfWord(word)[0] ?? ''));
}

const MEMOIZED_WORDS = 8_192;
/** The kinds that a single word names. Reading them takes a fifth of the time in which a query is built. */
const kindsOfWord = memoize(MEMOIZED_WORDS, (word) => kindsOf(word, null));

/**
 * A clause for the listings that lack the noun of an accessory, but serve the same purpose and have another word of the text: camera
 * cases for "camera bag", where bags of tea have as many words.
 */
export function alikeClauses(words: readonly ContainedWord[]): QueryClause[] {
  // Finding the noun takes a tenth of the time of building the clauses, and few texts have a word that may be an accessory.
  if (words.every(({ word }) => accessorySynonyms(word).length === 0)) return [];
  const head = headNounAmong(words.map(({ word }) => word));
  const alike = accessorySynonyms(head ?? '').join(' ');
  const noun = words.find(({ word }) => word === head);
  if (noun === undefined || alike === '' || words.length === 1) return [];
  const others = words.filter((one) => one !== noun).map(({ query }) => query);
  const filter = [{ match: { 'internal.kinds': alike } }, combined('should', others)];
  const serves = { bool: { filter, must_not: [noun.query] } };
  return [{ constant_score: { filter: serves, boost: ((3 / 4) * tuning.allWords) / words.length } }];
}
