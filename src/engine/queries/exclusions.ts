import type { estypes } from '@elastic/elasticsearch';
import { wordForms } from '../../naming/word-forms.js';
import { visibleText } from '../../text/clean.js';
import { foldWords } from '../../text/fold.js';
import { UNIT_WORDS } from '../../text/units.js';
import { COLOURS } from '../../naming/lexicon.js';
import { identified, withPhrase } from './contained-words.js';
import { interpret } from './interpret/interpret.js';
import { QUOTED, type TextSpan } from './interpret/vocabulary.js';
import type { QueryClause } from './selection.js';
import { joinedWords } from './query-words.js';

/** Words of a query text that listings must not contain, such as `-red` and `-"two words"`. */
export interface Exclusion extends TextSpan {
  /** The words without the hyphen and the quotation marks, or without the word that negates them. */
  text: string;
  /** Whether it is uncertain what the words exclude. They are then searched for like all other words. */
  isUnclear?: true;
}

/** The maximum number of exclusions in a query text. */
export const MAX_EXCLUSIONS = 10;

/**
 * Matches a phrase in quotes, within which a hyphen excludes nothing, or an exclusion: a hyphen after a blank or at the
 * start that touches a phrase in quotes or a word, which may be a number with an inch mark.
 */
const PARTS =
  /(?<=^|\s)(?:-?["“”]([^"“”]{1,200})["“”](?=[,.;!?，。；！？]{0,3}(?:\s|$))|-(\d[\d.,]*["“”][,.;!?，。；！？]{0,3}|[^\s"“”-][^\s"“”]*)(?=\s|$))/gu;
/** Punctuation after an excluded word. */
const TRAILING = /[,.;!?，。；！？]{1,5}$/u;

/** Finds the exclusions of a query text, in its order. */
export function readExclusions(q: string): Exclusion[] {
  if (!q.includes('-')) return [];
  return [...q.matchAll(PARTS)].flatMap(({ 0: part, 1: phrase, 2: word, index }) => {
    if (!part.startsWith('-')) return [];
    const written = word === undefined ? part : part.replace(TRAILING, '');
    const text = (phrase ?? written.slice(1)).trim();
    return /[\p{L}\p{N}]/u.test(text) ? [{ text, from: index, to: index + written.length }] : [];
  });
}

/**
 * Matches words that exclude those after them, up to a mark or the next condition: "not hp", "without a mic". They follow
 * another word, unlike those of "do not disturb" and of a question; Chinese needs no blank before them ("耳机不要红色").
 */
const NEGATED =
  /(?:(?<=\S\s{1,9})(?<!(?<!\S)(?:do|does|did|is|are|was|can|could|should|will|would|why|or|if|and|that|which|but|yang)\s{1,9})(?:not|without|ohne|tanpa)\s+|(?<=\S\s{0,9})(?<!要)不要\s*)((?:(?!(?:and|or|but|under|below|over|above|for|with|und|oder|dan|atau|not|without|ohne|tanpa|mit|untuk)\s)[^\s,;!?，；！？\0]+\s*)+)/giu;
const ARTICLE = /^(?:an?|any|the|ein|eine|einen|kein|keine)\s+/iu;
/** The maximum number of words that a negation clearly refers to: "not galaxy s23 ultra". */
const MAX_NEGATED_WORDS = 3;
/** Words after a negation that do not name what a listing must not have: "not from here", "not too heavy". */
const UNCLEAR =
  /^(?:from|on|at|by|via|in|out|of|to|too|so|very|really|be|only|just|sold|available|listed|included|including|dari|di|zu)(?!\S)/iu;
/** Words that name a shade together with the colour after them, such as "dark blue". */
const SHADE = /^(?:dark|light|deep|pale|bright)(?!\S)/iu;
const MEASURE = new RegExp(`^\\d[\\d.,]*${UNIT_WORDS}$`, 'iu');

/** Finds the words of a query text that exclude others, such as "not hp" and "without a mic", in its order. */
export function readNegations(q: string): Exclusion[] {
  if (!/not|without|ohne|tanpa|不要/iu.test(q)) return [];
  const read = [...interpret(q, { sources: [] }).read, ...readExclusions(q)];
  const masked = read.reduce(
    (left, { from, to }) => left.slice(0, from) + '\0'.repeat(to - from) + left.slice(to),
    q.replaceAll(QUOTED, (quoted) => '\0'.repeat(quoted.length)),
  );
  return [...masked.matchAll(NEGATED)].map(({ 0: all, 1: words = '', index }) => {
    const text = words.trim().replace(ARTICLE, '').replace(/\.$/, '');
    const parts = text.split(/\s+/);
    const mayBelongToProduct = (word: string) =>
      (COLOURS.has(foldWords(word)) && !SHADE.test(text)) || MEASURE.test(word);
    const isUnclear =
      parts.length > MAX_NEGATED_WORDS || UNCLEAR.test(text) || parts.slice(1).some(mayBelongToProduct);
    const span = { text, from: index, to: index + all.trimEnd().length };
    return isUnclear ? { ...span, isUnclear } : span;
  });
}

/** Replaces exclusions by blanks, so that the positions of all other words stay. */
export const withoutExclusions = (q: string, exclusions: readonly Exclusion[]): string =>
  exclusions.reduce((left, { from, to }) => left.slice(0, from) + ' '.repeat(to - from) + left.slice(to), q);

/** The fields in which listings must not contain excluded words. */
const FIELDS = ['name', 'brand', 'internal.categories', 'internal.attributes'];

/** Words that negate the next word or the one after it ("without a mic"), and words that negate the word before them. */
const NEGATIONS = {
  before: [
    'without',
    'no',
    'not',
    'non',
    'sans',
    'ohne',
    'kein',
    'keine',
    'tanpa',
    'bukan',
    '无',
    '不含',
    '不带',
  ],
  after: ['free'],
};
/** What a listing gives away, so that "free" before it negates nothing: "silver free shipping". */
const GIVEN_FREE = ['shipping', 'delivery', 'postage', 'returns', 'exchange', 'gift', 'installation'];

/**
 * A clause for the listings that contain excluded words, as they are written or joined, and without synonyms. A word that a
 * listing itself negates ("without mic") does not count.
 */
export function excludedClause({ text }: Pick<Exclusion, 'text'>): QueryClause {
  const visible = visibleText(text);
  const words = visible.split(/[\s-]+|(?<=\p{L})\.(?=\p{L})/u).filter((word) => word !== '');
  const joined = words.length === 2 ? joinedWords(words).map((one) => one.text) : [];
  const forms = [visible, ...wordForms(visible), ...joined];
  const should = forms.flatMap((form) => {
    const stated = statedPhrase(form);
    return FIELDS.map((field): QueryClause => ({ intervals: { [field]: stated } }));
  });
  return { bool: { should } };
}

const phrase = (query: string): { match: estypes.QueryDslIntervalsMatch } => ({
  match: { query, ordered: true, max_gaps: 0, analyzer: 'product_query_as_typed' },
});

/**
 * The places of a field where words stand next to each other and are not negated. Each negation has a filter of its own,
 * because Elasticsearch ignores most of `not_contained_by` with an `any_of` of phrases.
 */
function statedPhrase(words: string): estypes.QueryDslIntervalsQuery {
  const negated = phrase(words);
  const before = {
    ordered: true,
    // "without a mic"
    max_gaps: 1,
    intervals: [{ any_of: { intervals: NEGATIONS.before.map(phrase) } }, negated],
  };
  const after = {
    ordered: true,
    max_gaps: 0,
    intervals: [negated, { any_of: { intervals: NEGATIONS.after.map(phrase) } }],
  };
  const notBefore = { match: { ...negated.match, filter: { not_contained_by: { all_of: before } } } };
  const notAfter = { intervals: [notBefore], filter: { not_contained_by: { all_of: after } } };
  const givenFree = {
    ordered: true,
    max_gaps: 0,
    intervals: [notBefore, phrase('free'), { any_of: { intervals: GIVEN_FREE.map(phrase) } }],
  };
  return { any_of: { intervals: [{ any_of: notAfter }, { all_of: givenFree }] } };
}

/** A query for the listings of which a whole text may be the identifier or the exact name. */
export const wholeTextQuery = (q: string): QueryClause => ({
  bool: { should: [identified(q), withPhrase(q)] },
});
