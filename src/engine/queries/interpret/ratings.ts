import { BEGINS, ENDS, MAY_GAP, NOT_DENIED, oneOf, pattern, type Span } from './phrase.js';

const N = '([0-5](?:\\.\\d)?)(?![\\d]|\\.\\d)';
const STARS = `${MAY_GAP}-?(?:stars?|bintang)`;
const AT_LEAST = oneOf([
  'at least',
  'min(?:imum)?',
  'over',
  'above',
  '(?:more|higher|better) than',
  '>=?',
  'di ?atas',
  'lebih dari(?:pada)?',
  'melebihi',
  'minimal',
  'minimum',
  'sekurang-kurangnya',
]);
const AND_UP = oneOf([
  '\\+',
  '(?:and|or|&) (?:up|above|higher|more|better|over)',
  '(?:dan )?ke ?atas',
  'atau lebih',
]);
const RATED = oneOf(['(?:highly )?rated', '(?:customer )?(?:rating|review)s?(?: of)?', 'penilaian']);
const AT_LEAST_ZH = oneOf(['高于', '超过', '大于', '不低于', '至少', '在']);

/** `4 star` alone says nothing of reviews: hotels and generals have stars too. */
const FORMS = [
  `(?:with )?(?:${RATED}${MAY_GAP})?${AT_LEAST}${MAY_GAP}${N}(?:${MAY_GAP}\\+)?${STARS}(?: ratings?)?`,
  `(?:with )?(?:${RATED}${MAY_GAP})?${N}${STARS}${MAY_GAP}${AND_UP}`,
  `(?:with )?(?:${RATED}${MAY_GAP})?${N}${MAY_GAP}\\+${STARS}`,
  `(?:with )?${RATED}${MAY_GAP}${AT_LEAST}${MAY_GAP}${N}`,
  `(?:with )?${RATED}${MAY_GAP}${N}${MAY_GAP}${AND_UP}`,
  `(?:with )?(?:a )?min(?:imum|imal)? rating(?: of)? ${N}`,
  `bintang ${N}${MAY_GAP}${AND_UP}`,
  `(?:评分|评价)${AT_LEAST_ZH}?${MAY_GAP}${N}(?:分|星)?及?以上的?`,
  `(?:评分|评价)(?!在)${AT_LEAST_ZH}${MAY_GAP}${N}(?:分|星)?的?`,
  `${N}${MAY_GAP}颗?星级?[及或]?以上的?`,
].map((words) => pattern(`${NOT_DENIED}${BEGINS}${words.replaceAll(/ (?!\?)/g, '\\s{1,2}')}${ENDS}`));

/** The lowest rating that a text asks for. */
export function readRating(text: string): (Span & { value: string }) | null {
  for (const form of FORMS) {
    const found = form.exec(text);
    form.lastIndex = 0;
    const value = found?.[1];
    if (found && value !== undefined && Number(value) <= 5) {
      return { from: found.index, to: found.index + found[0].length, value };
    }
  }
  return null;
}
