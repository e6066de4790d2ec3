import { UNIT_WORDS } from '../../text/units.js';
import type { QueryClause } from './selection.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * Matches texts, separated by " | ", from which the analyzer `simple_query` makes the same terms as `product_query`: words of ASCII
 * letters and digits. The rules of `product_query` for markup, marks, units and other scripts, which are most of its cost, do not
 * concern them.
 */
const SIMPLE = /^(?:[A-Za-z\d]+|\d+\.\d+[A-Za-z]*)(?:(?:[ -]| \| )(?:[A-Za-z\d]+|\d+\.\d+[A-Za-z]*))*$/;
/** Matches a number and its unit, of which `product_query` makes one term. */
const MEASURE = new RegExp(`\\d[ -](?:${UNIT_WORDS}|met(?:er|re)s?)(?![a-z\\d])`, 'i');
/** Matches units after a number that the index abbreviates. */
const LONG_UNITS = /(?<=\d)[ -]?(?:(in)ch(?:es)?|(m)et(?:er|re)s?)(?![a-z\d])/gi;

/** Abbreviates units after a number as the index does. */
export const abbreviated = (text: string): string => text.replace(LONG_UNITS, '$1$2');

interface MatchOptions {
  /** Whether the index has the analyzer `simple_query`. */
  hasSimpleQuery: boolean;
  boost?: number;
}

/**
 * A clause for the listings that contain a term of any of these texts in a field. The analyzer that costs least is used. No phrase
 * is made of a synonym, because not all fields have positions.
 */
export function matchAny(
  field: string,
  texts: readonly string[],
  { hasSimpleQuery, ...options }: MatchOptions,
): QueryClause {
  // The mark between the texts prevents the analyzer from taking a number and the word after it for a measure.
  const query = texts.join(' | ');
  const hasDigit = /\d/.test(query);
  const isSimple = hasSimpleQuery && SIMPLE.test(query) && !(hasDigit && MEASURE.test(query));
  const simple = isSimple ? (hasDigit ? abbreviated(query) : query).replaceAll(/ \| |-/g, ' ') : null;
  // Words with many hyphens are left to the analyzer of the field, so that no request has more words than may be searched for.
  const isShort = simple !== null && simple.split(' ').length <= SEARCH_TUNING.maxWords;
  const analysis = isShort ? { query: simple, analyzer: 'simple_query' } : { query };
  return { match: { [field]: { ...analysis, ...options, auto_generate_synonyms_phrase_query: false } } };
}
