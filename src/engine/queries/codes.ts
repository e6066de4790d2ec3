import type { NamedProduct } from '../../matching/compatibility.js';
import { SIZE_SYSTEMS } from '../../matching/measures.js';
import { foldValue } from '../../text/fold.js';
import { oneOf } from '../../text/goods.js';
import { tokenize } from '../../text/tokenize.js';
import { UNIT_WORDS } from '../../text/units.js';

const MAX = { codes: 60, name: 300, number: 3 };

/**
 * The source of a regular expression for the units of capacities, rates and counts, which state an amount and not what fits.
 * Widths in `mm` and voltages are left out, because a part must have the same to fit.
 */
const AMOUNT = `(?!(?:mm|v)(?!\\p{L}))(?:${UNIT_WORDS}|fps|kb|[kmgt]b(?:it|p?s)|bits?|cores?|ports?|threads?|channels?|in1)`;

/** Matches words that are quantities, resolutions and network generations, such as `550w`, `2x`, `4k`, `1080p` and `5g`. */
const QUANTITY = new RegExp(`^\\d{1,2}x$|^\\d+${AMOUNT}$|^[2458]k$|^\\d{3,4}p$`, 'u');

/** Matches quantities that consist of several words or contain marks: percentages, resolutions, apertures and decimals. */
const WRITTEN_QUANTITY = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:\\d+\\s?%|\\d+\\s?x\\s?\\d+|f/\\d+|\\d+[.,]\\d+\\p{L}*|\\d+\\s${AMOUNT}(?![\\p{L}\\p{N}]))`,
  'gu',
);

/**
 * Matches codes that many things share, although they do not go together: single letters with a digit, such as the size `a4`
 * and the end of "HK 220 M4", years, sizes of shoes, plugs, protection against water, and versions of features.
 */
const COINCIDENCE = new RegExp(
  `^(?:\\p{L}\\d|(?:19|20)\\d{2}|\\d{1,3}(?:pins?)?|${oneOf(SIZE_SYSTEMS)}\\d+|ip[x\\d]\\d{0,2}k?|(?:usb|hdmi|wifi|bt|gen|mp|h)\\d+)$`,
  'u',
);

/** Matches a model number such as `pz320m4`, and not the line and model `tarn9`. */
const MODEL_NUMBER = /^\p{L}{0,4}\d{3}/u;

/**
 * The codes in a name by which other listings state that they go with it, such as models, chips, sockets and standards, and
 * long numbers, in all forms in which shops write them. A model number of several words is one code.
 * @param product the product that the name states.
 */
export function fittingCodes(name: string, product: NamedProduct | null): string[] {
  const model = product?.words.join('') ?? '';
  const codes = tokenize(foldValue(name.slice(0, MAX.name)).replace(WRITTEN_QUANTITY, ' '))
    .filter(({ kind }) => kind !== 'word')
    .filter(({ text: word }) => !QUANTITY.test(word))
    .flatMap(({ text: word }) => formsOf(word))
    .filter((code) => !COINCIDENCE.test(code));
  return [...new Set([...(MODEL_NUMBER.test(model) ? [model] : []), ...codes])].slice(0, MAX.codes);
}

/** Whether a text contains a code, with or without a blank or a hyphen between its letters and digits. */
export function statesCode(text: string, code: string): boolean {
  const written = (code.match(/\p{N}+|\p{L}+/gu) ?? []).join('[^\\p{L}\\p{N}]?');
  return new RegExp(`(?<![\\p{L}\\p{N}.])${written}(?![\\p{L}\\p{N}])`, 'u').test(foldValue(text));
}

/** Prefixes of the codes of processor sockets, which shops also leave out: `sWRX8` is `WRX8`, `LGA1700` is `1700`. */
const SOCKET = /^(?:s|fclga|lga|pga)(?=[a-z]*\d+$)/;

/** The forms in which shops write a code. */
function formsOf(code: string): string[] {
  const bare = code.replace(SOCKET, '');
  return bare !== code && bare.length >= MAX.number ? [code, bare] : [code];
}
