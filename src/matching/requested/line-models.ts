import { isTier, VARIANTS } from '../../text/vocabulary.js';
import { NOT_A_LINE_NUMBER } from '../number-context.js';
import { areNear } from '../numbers.js';
import { INCHES, isSizeIn, MIN_PART_LENGTH } from './bare-sizes.js';
import type { CandidateListing } from './candidate-listing.js';

/** Matches the number that tells models of a line apart, such as the 5 of "Nitro 5". */
export const LINE_NUMBER = /^\d{1,2}$/;

/** A letter that can name a variant; a single "w" stands for "with". */
export const SINGLE_LETTER = /^[a-vx-z]$/;

/** Matches a short model number, such as `s9` and `510bt`. */
const SHORT_CODE = /^(?:\p{L}{1,2}\d{1,3}|\d{2,3}\p{L}{1,2})$/u;

/**
 * Whether the listing names another model of a line than a number after the word of the line does: by another short number,
 * a short model number, or a tier word or a letter that the request lacks. A number after a line is its model, so no size of
 * such a listing stands for it: "Tarn 9 Pro 12GB" and "Tarn SE 12GB" are not "Tarn 12". A row of numbers states several
 * models, as in "Tarn 11/12". Beside a short model number, inches stand for the number: "OLED C3 55 inch" is "OLED 55".
 */
export function namesOtherModel(line: string, number: string, candidate: CandidateListing): boolean {
  const { query, profile, brands, listing } = candidate;
  const words = profile.words.slice(0, profile.words.length - profile.measures.words.length);
  const isStated = profile.numbers.has(number) || isSizeIn(number, listing.name, INCHES);
  const namesModel = (at: number) => {
    const end = words.findIndex(({ kind }, next) => next > at && kind === 'word');
    const row = words.slice(at + 1, end < 0 ? words.length : end).map(({ text }) => text);
    const [first] = row;
    if (first !== undefined)
      return LINE_NUMBER.test(first)
        ? !row.includes(number) && !areNear(first, number)
        : number.length < MIN_PART_LENGTH &&
            SHORT_CODE.test(first) &&
            !NOT_A_LINE_NUMBER.test(first) &&
            !first.endsWith(number) &&
            !isStated;
    const { text = '' } = words[at + 1] ?? {};
    const { text: next = '' } = words[at + 2] ?? {};
    const isSubline = VARIANTS.has(text) && LINE_NUMBER.test(next);
    const isVariant = isSubline || isTier(text, next) || SINGLE_LETTER.test(text);
    return isVariant && !query.forms.has(text) && !profile.numbers.has(number);
  };
  // A number after a maker alone is a model as well: "Corvane 12" is not "Corvane Tarn 9 12GB".
  const isOfMaker = brands.has(line) && query.words.length === 2;
  const places = words.flatMap(({ text }, at) =>
    text === line || (isOfMaker && profile.lines.has(text)) ? [namesModel(at)] : [],
  );
  return isOfMaker ? places.some(Boolean) : places.length > 0 && places.every(Boolean);
}
