import type { estypes } from '@elastic/elasticsearch';
import { visibleText } from '../../text/clean.js';
import { identified } from './contained-words.js';
import type { TextSpan } from './interpret/vocabulary.js';
import type { QueryClause } from './selection.js';
import { joinedPairs } from './query-words.js';
import { withPhrase } from './search.js';

/** Words of a query text that listings must not contain, such as `-red` and `-"two words"`. */
export interface Exclusion extends TextSpan {
  /** The words without the hyphen and the quotation marks. */
  text: string;
}

/** The maximum number of exclusions in a query text. */
export const MAX_EXCLUSIONS = 10;

/**
 * Matches a phrase in quotes, within which a hyphen excludes nothing, or an exclusion: a hyphen after a blank or at the
 * start that touches a phrase in quotes or a word.
 */
const PARTS =
  /(?<=^|\s)(?:-?["“”]([^"“”]{1,200})["“”](?=[,.;!?，。；！？]{0,3}(?:\s|$))|-([^\s"“”-][^\s"“”]*)(?=\s|$))/gu;
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

/** Replaces exclusions by blanks, so that the positions of all other words stay. */
export const withoutExclusions = (q: string, exclusions: readonly Exclusion[]): string =>
  exclusions.reduce((left, { from, to }) => left.slice(0, from) + ' '.repeat(to - from) + left.slice(to), q);

/** The fields in which excluded words count. */
const FIELDS = ['name', 'brand', 'internal.categories', 'internal.attributes'];

/** Words that negate the word after them, or the one after that ("without a mic"), and words that negate the one before them. */
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

/**
 * A clause for the listings that contain excluded words, as they are written or joined, and without synonyms. A word that a
 * listing itself negates ("without mic") does not count.
 */
export function excludedClause({ text }: Pick<Exclusion, 'text'>): QueryClause {
  const visible = visibleText(text);
  const words = visible.split(/[\s-]+/).filter((word) => word !== '');
  const forms = [visible, ...(words.length === 2 ? joinedPairs(words) : [])];
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
  return { any_of: { intervals: [notBefore], filter: { not_contained_by: { all_of: after } } } };
}

/** A query for the listings of which a whole text may be the identifier or the exact name. */
export const wholeTextQuery = (q: string): QueryClause => ({
  bool: { should: [identified(q), withPhrase(q)] },
});
