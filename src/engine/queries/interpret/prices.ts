import { readDigits } from '../../../listing/amount-digits.js';
import { patternOfAny } from '../../../naming/markets.js';
import { currencyOf, currencyOfCharacter, MARK, MARKS } from './currency-marks.js';
import {
  INTERPRETED,
  NOT_NEGATED,
  anyWordOf,
  OPTIONAL_GAP,
  type ParameterPhrase,
  type ParameterValue,
  phraseAt,
  pattern,
  RANGE_AROUND,
  SCALES,
  type TextSpan,
  WORD_END,
  WORD_START,
  words,
} from './vocabulary.js';

/** A number in a query text that may be an amount of money. */
interface PriceAmount {
  /** The amount of money as a decimal string. */
  value: string;
  /** The ISO 4217 code of the currency, if the text names exactly one; otherwise null. */
  currency: string | null;
  /** Whether a currency or another word marks the number as an amount of money. */
  isMarked: boolean;
}

/** The capture groups of an amount: currency before it, digits, scale (such as "k"), currency after it. */
const AMOUNT_GROUPS = 4;
/** A pattern for the first of several amounts in a price phrase, which is followed by more words of the phrase. */
const FIRST_AMOUNT =
  `(?:${MARK}${OPTIONAL_GAP})?(\\d+(?:[.,]\\d+)*)(?:${OPTIONAL_GAP}(${anyWordOf(Object.keys(SCALES))})(?![a-z]))?` +
  `(?:${OPTIONAL_GAP}${MARK}(?![a-z]))?(?!\\d|[.,]\\d)`;
/** A pattern for an amount at the end of a price phrase. A letter or symbol after it would make it a size or a model. */
const AMOUNT = `${FIRST_AMOUNT}(?![a-z0-9%‰°"”'’*×/_]|-[a-z0-9])`;

type MatchGroups = readonly (string | undefined)[];

/**
 * Reads the amounts of a price phrase; null if a number is ambiguous. In `1-2 juta`, both numbers are millions; in `500 - 2k`,
 * only the second number is multiplied.
 */
function readAmounts(phrase: readonly MatchGroups[]): (PriceAmount | null)[] {
  const [[, least = '', ownScale] = [], [, most = '', scale] = []] = phrase;
  const sharesScale = ownScale === undefined && Number(least) < Number(most);
  return phrase.map((groups) => {
    const [before, digits, own = sharesScale ? scale : undefined, behind] = groups;
    return readAmount([before, digits, own, behind]);
  });
}

function readAmount(groups: MatchGroups): PriceAmount | null {
  const [first, digits = '', scale, last] = groups;
  const marks = [currencyOfCharacter(first), currencyOfCharacter(last)].filter((mark) => mark !== undefined);
  const named = [...new Set(marks.filter((mark) => mark !== null))];
  if (named.length > 1) return null;
  const currency = named[0] ?? null;
  const plain = plainNumber(digits, currency);
  if (plain === null) return null;
  const { zeros, isMoney } = SCALES[scale?.toLowerCase() ?? ''] ?? { zeros: 0, isMoney: false };
  const value = scaled(plain, zeros);
  return value === null ? null : { value, currency, isMarked: marks.length > 0 || isMoney };
}

/** The currency of a price range, which either of its amounts may state; undefined if the amounts contradict each other. */
function commonCurrency(one: PriceAmount, other: PriceAmount): string | null | undefined {
  if (one.currency !== null && other.currency !== null && one.currency !== other.currency) return undefined;
  return one.currency ?? other.currency;
}

/** Reads digits as a price in the currency is written, otherwise with a decimal point. */
function plainNumber(digits: string, currency: string | null): string | null {
  const context = { usual: currency, markets: currency === null ? [] : [currency] };
  const read = (['either', '.'] as const).map((decimal) => readDigits(digits, { ...context, decimal }));
  return read.find((one) => typeof one === 'string') ?? null;
}

/**
 * Multiplies a decimal number in text form by a power of ten.
 * @returns null if the result exceeds the highest possible price.
 */
function scaled(plain: string, zeros: number): string | null {
  const [whole = '', fraction = ''] = plain.split('.');
  const moved = whole + fraction.slice(0, zeros).padEnd(zeros, '0');
  const left = fraction.slice(zeros);
  const units = moved.replace(/^0+(?=\d)/, '');
  return units.length > 13 ? null : left === '' ? units : `${units}.${left}`;
}

/** Finds the first phrase that asks for prices in one currency alone, such as "only in SGD"; null if there is none. */
export function readCurrency(text: string): ParameterPhrase | null {
  const found = MAY_BE_ONLY_IN.test(text) ? ONLY_IN.exec(text) : null;
  const value = currencyOf(found?.slice(1).find((mark) => mark !== undefined));
  if (found === null || typeof value !== 'string') return null;
  return phraseAt(found, { parameter: 'currency', value });
}

/** Matches phrases that ask for prices in one currency alone, with a capture group for the currency in each form. */
const ONLY_IN = new RegExp(
  words('onlyInCurrency')
    .map((form) => `${NOT_NEGATED}${WORD_START}${anyWordOf([form])}${WORD_END}`)
    .join('|')
    .replaceAll('CURRENCY', () => `(${patternOfAny(MARKS)})`),
  'iu',
);
/**
 * A cheap test before `ONLY_IN`: matches every text with such a phrase, and few others. Any characters may stand in the place of
 * the currency; of a form that begins with the currency, only the words after it are tested.
 */
const MAY_BE_ONLY_IN = new RegExp(
  words('onlyInCurrency')
    .map((form) => anyWordOf([form.replace(/^(?:\(\?<?[!=].*\))?CURRENCY/, '').replace('CURRENCY', '[^]*?')]))
    .join('|'),
  'iu',
);

type Bound = 'min' | 'max';

/** A form of phrase that sets price limits, such as "under AMOUNT". */
interface PriceForm {
  /** Matches the phrase in a text from `withMarks`. */
  phrase: RegExp;
  /** For each amount in the phrase, which price limit it sets. */
  bounds: readonly Bound[];
  /** Whether the phrase also occurs with numbers that are no prices ("up to 512 GB"). The amount must then state a currency. */
  isLoose: boolean;
  /** Whether the phrase ends with the amount, so that the number may instead count the word after it ("under 500 puzzles"). */
  mayCount: boolean;
}

const PRICE_LEAD = `(?:(${anyWordOf(words('priceLabels'))})${OPTIONAL_GAP}(?:(?:is|of|at|在)${OPTIONAL_GAP})?)?`;
/** The number of capture groups of a price phrase before those of its first amount. */
const LEAD_GROUPS = 1;

const formOf = (phrase: string, rest: Omit<PriceForm, 'phrase'>): PriceForm => ({
  phrase: pattern(`${WORD_START}${NOT_NEGATED}${PRICE_LEAD}${phrase}${WORD_END}(?:${OPTIONAL_GAP}的)?`),
  ...rest,
});

const DASHES = '[-–~]';
/** The words before, between and after the two numbers of a price range. */
const RANGES = {
  plain: [
    { starts: words('rangeStarts'), separators: [...words('rangeSeparators'), DASHES], ends: [''] },
    { ...RANGE_AROUND, separators: [...RANGE_AROUND.separators, DASHES] },
  ],
  loose: [
    {
      starts: [...words('rangeStartsLoose'), ''],
      separators: [...words('rangeSeparatorsLoose'), DASHES],
      ends: [''],
    },
  ],
};

const FORMS: readonly PriceForm[] = [false, true].flatMap((isLoose) => {
  const listOf = (key: 'under' | 'over' | 'orLess' | 'orMore') => words(isLoose ? `${key}Loose` : key);
  const before = (list: readonly string[], bound: Bound) =>
    formOf(`${anyWordOf(list)}${OPTIONAL_GAP}${AMOUNT}`, { bounds: [bound], isLoose, mayCount: true });
  const after = (list: readonly string[], bound: Bound) =>
    formOf(`${FIRST_AMOUNT}${OPTIONAL_GAP}${anyWordOf(list)}`, { bounds: [bound], isLoose, mayCount: false });
  return [
    ...RANGES[isLoose ? 'loose' : 'plain'].map(({ starts, separators, ends }) =>
      formOf(
        [anyWordOf(starts), FIRST_AMOUNT, anyWordOf(separators), AMOUNT, anyWordOf(ends)].join(OPTIONAL_GAP),
        { bounds: ['min', 'max'], isLoose, mayCount: ends[0] === '' },
      ),
    ),
    after(listOf('orLess'), 'max'),
    after(listOf('orMore'), 'min'),
    before(listOf('under'), 'max'),
    before(listOf('over'), 'min'),
  ];
});

/** Finds the first phrase of a text from `withMarks` that certainly sets price limits; null if there is none. */
export function readPrice(text: string): ParameterPhrase | null {
  if (!/\d/.test(text)) return null;
  for (const form of FORMS) {
    // `matchAll` would copy the expression, and the copy would be compiled again after each garbage collection.
    form.phrase.lastIndex = 0;
    for (let found = form.phrase.exec(text); found !== null; found = form.phrase.exec(text)) {
      const read = readFound(text, found, form);
      if (read !== null) return read;
    }
  }
  return null;
}

function readFound(text: string, found: RegExpExecArray, form: PriceForm): ParameterPhrase | null {
  const groups = form.bounds.map((_, at) => {
    const first = 1 + LEAD_GROUPS + at * AMOUNT_GROUPS;
    return found.slice(first, first + AMOUNT_GROUPS);
  });
  const amounts = readAmounts(groups);
  const [one = null, other = one] = amounts;
  if (one === null || other === null) return null;
  const currency = commonCurrency(one, other);
  // Price limits are compared as floating-point numbers, which is precise enough here.
  if (currency === undefined || Number(one.value) > Number(other.value)) return null;
  const limits = form.bounds.map((bound, at): ParameterValue => ({
    parameter: `${bound}_price`,
    value: amounts[at]?.value ?? '',
  }));
  const phrase = phraseAt(found, ...limits);
  if (currency !== null) phrase.parameters.push({ parameter: 'price_currency', value: currency });
  const isPrice = found[1] !== undefined || one.isMarked || other.isMarked;
  if (!isPrice && (form.isLoose || !mayBePrice(text, phrase, form, Number(other.value)))) return null;
  return phrase;
}

/** Words that may follow a price without a currency. Any other word may be what the number counts. */
const CONTINUATION = anyWordOf([...words('afterPrice'), ...words('under'), ...words('over')]);
const CONTINUES = new RegExp(`^\\s*(?:$|${INTERPRETED}|[,.;!?，。；！？)]|${CONTINUATION}${WORD_END})`, 'iu');
/** Matches words after which a number may be an age, as in "kids under 5". */
const BEFORE_AGES = new RegExp(`${WORD_START}${anyWordOf(words('beforeAges'))}\\s*$`, 'iu');
/** Matches words after which a number is a measure and no price, unless a number precedes them, as in `16gb ram`. */
const BEFORE_MEASURES = new RegExp(
  `(?<!\\d[a-z]{0,3}\\s{0,2})${WORD_START}${anyWordOf(words('beforeMeasures'))}\\s*$`,
  'iu',
);
/** Words after which a number of at most 100 may be the diagonal of a screen in inches. */
const BEFORE_INCHES = new RegExp(`${WORD_START}${anyWordOf(words('beforeInches'))}\\s*$`, 'iu');

/** The highest number that may be an age in years and no price, after words such as "under" (`max`) and "over" (`min`). */
const MAX_AGE = { max: 18, min: 99 };
/** The lowest number that is read as a price after "over". Lower ones may be part of a name, as in `Game Over 2`. */
const MIN_PRICE_OVER = 10;
const MAX_INCHES = 100;

/** Whether the words around a number without a currency allow it to be a price. */
function mayBePrice(
  text: string,
  { from, to }: TextSpan,
  { bounds, mayCount }: PriceForm,
  value: number,
): boolean {
  // The Chinese particle 的 after a price belongs to the price phrase, so the text after it begins after the particle.
  const [before, after] = [text.slice(0, from), text.slice(text[to - 1] === '的' ? to - 1 : to)];
  if (mayCount && !CONTINUES.test(after)) return false;
  const [bound = 'max'] = bounds;
  if (bounds.length === 1 && bound === 'min' && value < MIN_PRICE_OVER) return false;
  if (value === 0 || (value <= MAX_INCHES && BEFORE_INCHES.test(before))) return false;
  return !BEFORE_MEASURES.test(before) && !(value <= MAX_AGE[bound] && BEFORE_AGES.test(before));
}
