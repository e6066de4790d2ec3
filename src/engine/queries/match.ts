import { SIMPLE_QUERY_SCHEMA } from '../../listing/schema-versions.js';
import { UNIT_WORDS } from '../../text/units.js';
import type { QueryClause } from './selection.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * Matches texts, separated by " | ", from which the analyzer `simple_query` makes the same terms as `product_query`: words of ASCII
 * letters and digits. The rules of `product_query` for markup, marks, units and other scripts, which are most of its cost, do not
 * concern them.
 */
const SIMPLE = /^(?:[A-Za-z\d]+|\d+\.\d+[A-Za-z]*)(?:(?:[ -]| \| )(?:[A-Za-z\d]+|\d+\.\d+[A-Za-z]*))*$/;
/** Matches a number with its unit, which the analyzer `product_query` turns into a single term. */
const MEASURE = new RegExp(`\\d[ -](?:${UNIT_WORDS}|met(?:er|re)s?)(?![a-z\\d])`, 'i');
/** Matches the long form of a unit after a number, for which the index contains the short form. */
const LONG_UNITS = /(?<=\d)[ -]?(?:(in)ch(?:es)?|(m)et(?:er|re)s?)(?![a-z\d])/gi;

/** Replaces units after a number by the short form that the index contains: `12in` for `12 inches`. */
export const abbreviated = (text: string): string => text.replace(LONG_UNITS, '$1$2');

interface MatchOptions {
  /** The schema version of the index that is searched. */
  schema: number;
  boost?: number;
}

/**
 * Builds a clause for the listings that contain a term of any of these texts in a field, with the analyzer that costs least.
 * Synonyms of several words never become phrase queries, because some fields have no positions.
 */
export function matchAny(
  field: string,
  texts: readonly string[],
  { schema, ...options }: MatchOptions,
): QueryClause {
  // Without a mark between the texts, the analyzer would read a number and the next text as a measure, such as `12` and `in`.
  const query = texts.join(' | ');
  const hasDigit = /\d/.test(query);
  const isSimple = schema >= SIMPLE_QUERY_SCHEMA && SIMPLE.test(query) && !(hasDigit && MEASURE.test(query));
  const simple = isSimple ? (hasDigit ? abbreviated(query) : query).replaceAll(/ \| |-/g, ' ') : null;
  // A text of many words joined by hyphens keeps its hyphens, so that no clause has more words than a search may have.
  const isShort = simple !== null && simple.split(' ').length <= SEARCH_TUNING.maxWords;
  const analysis = isShort ? { query: simple, analyzer: 'simple_query' } : { query };
  return { match: { [field]: { ...analysis, ...options, auto_generate_synonyms_phrase_query: false } } };
}
