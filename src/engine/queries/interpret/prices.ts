import { AMOUNT, AMOUNT_GROUPS, commonCurrency, FIRST_AMOUNT, readAmounts } from './amounts.js';
import { BEGINS, ENDS, MAY_GAP, NOT_DENIED, oneOf, pattern, READ, type Span } from './phrase.js';
import {
  GOES_ON,
  MEASURES,
  OR_LESS,
  OR_MORE,
  OVER,
  PEOPLE,
  PRICE,
  RANGES,
  SCREENS,
  UNDER,
} from './price-words.js';

/** Limits that a phrase sets, inclusive; decimal strings. */
export interface PriceWords extends Span {
  min?: string;
  max?: string;
  /** ISO 4217 code, where a mark says it. */
  currency: string | null;
}

type Bound = 'min' | 'max';

/** A way of saying what something may cost. */
interface Form {
  words: RegExp;
  /** What its amounts are. */
  bounds: readonly Bound[];
  /** Whether it is said of other numbers too, so that the amount must be marked as money. */
  isLoose: boolean;
  /** Whether the amount comes last, so that what follows may be what it counts. */
  mayCount: boolean;
}

const PRICE_LEAD = `(?:(${oneOf(PRICE)})${MAY_GAP}(?:(?:is|of|at|在)${MAY_GAP})?)?`;
/** The groups before those of the first amount. */
const LEAD_GROUPS = 1;

const formOf = (words: string, rest: Omit<Form, 'words'>): Form => ({
  words: pattern(`${NOT_DENIED}${BEGINS}${PRICE_LEAD}${words}${ENDS}(?:${MAY_GAP}的)?`),
  ...rest,
});

const FORMS: readonly Form[] = [false, true].flatMap((isLoose) => {
  const kind = isLoose ? 'loose' : 'plain';
  const before = (words: readonly string[], bound: Bound) =>
    formOf(`${oneOf(words)}${MAY_GAP}${AMOUNT}`, { bounds: [bound], isLoose, mayCount: true });
  const behind = (words: readonly string[], bound: Bound) =>
    formOf(`${FIRST_AMOUNT}${MAY_GAP}${oneOf(words)}`, { bounds: [bound], isLoose, mayCount: false });
  return [
    ...RANGES[kind].map((range) =>
      formOf(
        [oneOf(range.before), FIRST_AMOUNT, oneOf(range.between), AMOUNT, oneOf(range.behind)].join(MAY_GAP),
        { bounds: ['min', 'max'], isLoose, mayCount: range.behind[0] === '' },
      ),
    ),
    behind(OR_LESS[kind], 'max'),
    behind(OR_MORE[kind], 'min'),
    before(UNDER[kind], 'max'),
    before(OVER[kind], 'min'),
  ];
});

/** The first limits that a text sets; null: none, or none that is sure to be of prices. */
export function readPrice(text: string): PriceWords | null {
  for (const form of FORMS) {
    for (const found of text.matchAll(form.words)) {
      const read = readFound(text, found, form);
      if (read !== null) return read;
    }
  }
  return null;
}

function readFound(text: string, found: RegExpExecArray, form: Form): PriceWords | null {
  const groups = form.bounds.map((_, at) => {
    const first = 1 + LEAD_GROUPS + at * AMOUNT_GROUPS;
    return found.slice(first, first + AMOUNT_GROUPS);
  });
  const amounts = readAmounts(groups);
  const [one = null, other = one] = amounts;
  if (one === null || other === null) return null;
  const currency = commonCurrency(one, other);
  // As numbers: no price takes part in this comparison.
  if (currency === undefined || Number(one.value) > Number(other.value)) return null;
  const span = { from: found.index, to: found.index + found[0].length };
  const isPrice = found[1] !== undefined || one.isMarked || other.isMarked;
  if (!isPrice && (form.isLoose || !mayBePrice(text, span, form, Number(other.value)))) return null;
  const limits = Object.fromEntries(form.bounds.map((bound, at) => [bound, amounts[at]?.value]));
  return { ...span, ...limits, currency };
}

const MORE = oneOf([...GOES_ON, ...UNDER.plain, ...OVER.plain]);
const GOES_ON_BEHIND = new RegExp(`^\\s*(?:$|${READ}|[,.;!?，。；！？)]|${MORE}${ENDS})`, 'iu');
const OF_PEOPLE = new RegExp(`${BEGINS}${oneOf(PEOPLE)}\\s*$`, 'iu');
/** `16gb ram` has its measure already. */
const OF_MEASURES = new RegExp(`(?<!\\d[a-z]{0,3}\\s{0,2})${BEGINS}${oneOf(MEASURES)}\\s*$`, 'iu');
const OF_SCREENS = new RegExp(`${BEGINS}${oneOf(SCREENS)}\\s*$`, 'iu');

/** Ages up to which, and from which on, somebody is spoken of; and what follows "over" in names (`Game Over 2`). */
const AGES = { max: 18, min: 99 };
const LEAST_OVER = 10;
const MOST_INCHES = 100;

/** Whether a number without a mark is one of money, as far as its neighbours tell. */
function mayBePrice(text: string, { from, to }: Span, { bounds, mayCount }: Form, value: number): boolean {
  // The particle belongs to what was read.
  const [before, behind] = [text.slice(0, from), text.slice(text[to - 1] === '的' ? to - 1 : to)];
  if (mayCount && !GOES_ON_BEHIND.test(behind)) return false;
  const [bound = 'max'] = bounds;
  if (bounds.length === 1 && bound === 'min' && value < LEAST_OVER) return false;
  if (value === 0 || (value <= MOST_INCHES && OF_SCREENS.test(before))) return false;
  return !OF_MEASURES.test(before) && !(value <= AGES[bound] && OF_PEOPLE.test(before));
}
