import {
  NOT_NEGATED,
  anyWordOf,
  OPTIONAL_GAP,
  pattern,
  type ParameterPhrase,
  phraseAt,
  WORD_END,
  WORD_START,
  words,
} from './vocabulary.js';

const RATING = '([0-5](?:\\.\\d)?)(?![\\d]|\\.\\d)';
const STARS = `${OPTIONAL_GAP}-?(?:stars?|bintang)`;
const AT_LEAST = anyWordOf(words('ratingAtLeast'));
const AND_UP = anyWordOf(words('ratingAndUp'));
const RATED = anyWordOf(words('rated'));
const AT_LEAST_ZH = anyWordOf(['高于', '超过', '大于', '不低于', '至少', '在']);

/** Patterns of phrases that state a minimum rating. `4 star` alone is not one, because hotels and generals have stars. */
const FORMS = [
  `(?:with )?(?:${RATED}${OPTIONAL_GAP})?${AT_LEAST}${OPTIONAL_GAP}${RATING}(?:${OPTIONAL_GAP}\\+)?${STARS}(?: ratings?)?`,
  `(?:with )?(?:${RATED}${OPTIONAL_GAP})?${RATING}${STARS}${OPTIONAL_GAP}${AND_UP}`,
  `(?:with )?(?:${RATED}${OPTIONAL_GAP})?${RATING}${OPTIONAL_GAP}\\+${STARS}`,
  `(?:with )?${RATED}${OPTIONAL_GAP}${AT_LEAST}${OPTIONAL_GAP}${RATING}`,
  `(?:with )?${RATED}${OPTIONAL_GAP}${RATING}${OPTIONAL_GAP}${AND_UP}`,
  `(?:with )?(?:a )?min(?:imum|imal)? rating(?: of)? ${RATING}`,
  `bintang ${RATING}${OPTIONAL_GAP}${AND_UP}`,
  `(?:评分|评价)${AT_LEAST_ZH}?${OPTIONAL_GAP}${RATING}(?:分|星)?及?以上的?`,
  `(?:评分|评价)(?!在)${AT_LEAST_ZH}${OPTIONAL_GAP}${RATING}(?:分|星)?的?`,
  `${RATING}${OPTIONAL_GAP}颗?星级?[及或]?以上的?`,
].map((words) =>
  pattern(`${NOT_NEGATED}${WORD_START}${words.replaceAll(/ (?!\?)/g, '\\s{1,2}')}${WORD_END}`),
);

/** Reads the minimum rating that a query text states; null if there is none. */
export function readRating(text: string): ParameterPhrase | null {
  // Most query texts have no number, and trying all patterns takes a twentieth of the time of a search.
  if (!/\d/.test(text)) return null;
  for (const form of FORMS) {
    const found = form.exec(text);
    form.lastIndex = 0;
    const value = found?.[1];
    if (found && value !== undefined && Number(value) <= 5)
      return phraseAt(found, { parameter: 'min_rating', value });
  }
  return null;
}
