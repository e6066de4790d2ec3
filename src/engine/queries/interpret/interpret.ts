import { withMarks } from './currency-marks.js';
import { readCurrency, readPrice } from './prices.js';
import { readRating } from './ratings.js';
import { namesOf, readSource, type SourceNames } from './sources.js';
import {
  INTERPRETED,
  anyWordOf,
  OPTIONAL_GAP,
  type ParameterPhrase,
  type ParameterValue,
  phraseAt,
  QUOTED,
  SORT_WORDS,
  standalone,
  stockWords,
  type TextSpan,
  WORD_END,
  WORD_START,
  words,
} from './vocabulary.js';

/** Words of a query text that stand for a parameter, such as "under $50" for `max_price`. */
export type ParameterWords = ParameterValue & TextSpan;

interface Interpretation {
  /** The remaining query text to search for; empty if nothing remains. */
  text: string;
  /** The words of the query text that stand for parameters, in the order of the text. */
  read: ParameterWords[];
}

/** Finds the first phrase of one kind, such as a price limit, in a query text. */
type PhraseReader = (text: string, names: SourceNames) => ParameterPhrase | null;

/** Creates a reader of phrases that all stand for the same value of a parameter, such as "in stock". */
function fixed(parameter: ParameterValue['parameter'], value: string, phrases: RegExp): PhraseReader {
  return (text) => {
    const found = phrases.exec(text);
    return found && phraseAt(found, { parameter, value });
  };
}

const anywhere = (list: readonly string[]) => new RegExp(`${standalone(list)}(?:${OPTIONAL_GAP}的)?`, 'iu');

/** The readers of phrases in their order. Prices come late, because the word after a number may belong to another phrase. */
const READERS: readonly PhraseReader[] = [
  readRating,
  fixed('in_stock', 'true', anywhere(stockWords(true))),
  fixed('in_stock', 'false', anywhere(stockWords(false))),
  ...Object.entries(SORT_WORDS).map(([sort, list]) => fixed('sort', sort, anywhere(list))),
  readSource,
  readCurrency,
  readPrice,
  // The word "discount" asks for sorting by discount only at the end of a text, because a `discount card` is a product.
  fixed('sort', 'discount', new RegExp(`${standalone(words('discount'))}(?=[\\s${INTERPRETED}]*$)`, 'iu')),
];

/** Phrases in quotes are not interpreted, so each of their characters is replaced by this one. */
const QUOTE = '\u0001';

/**
 * Finds the words of a query text that stand for filters and sort orders. Words with an uncertain meaning
 * remain in the text. If two phrases contradict each other, the first one wins.
 * @param q the query text, to which the positions of the words refer.
 * @param sources the codes of all sources.
 */
export function interpret(q: string, { sources }: { sources: readonly string[] }): Interpretation {
  let left = q.replaceAll(CONTROL, ' ').replaceAll(QUOTED, (quote) => QUOTE.repeat(quote.length));
  const names = namesOf(sources);
  const read: ParameterWords[] = [];
  for (const reader of READERS) {
    // Only the reader of prices needs marks replaced by characters. The readers before it need them as typed.
    if (reader === readPrice) left = withMarks(left);
    for (;;) {
      const found = reader(left, names);
      if (found === null || found.parameters.some((one) => contradicts(one, read))) break;
      const { from, to } = found;
      left = left.slice(0, from) + INTERPRETED.repeat(to - from) + left.slice(to);
      const added = found.parameters.filter(({ parameter }) =>
        read.every((one) => one.parameter !== parameter),
      );
      read.push(...added.map((one) => ({ ...one, from, to })));
    }
  }
  if (read.length === 0) return { text: q, read };
  return { text: textLeft(q, left), read: read.sort((a, b) => a.from - b.from) };
}

/** Whether a phrase states another value of a parameter than those before, or makes the price range impossible. */
function contradicts({ parameter, value }: ParameterValue, read: readonly ParameterWords[]): boolean {
  const known = (of: ParameterValue['parameter']) => read.find((one) => one.parameter === of)?.value;
  // Price limits are compared as floating-point numbers, which is precise enough here.
  if (parameter === 'max_price' && Number(known('min_price')) > Number(value)) return true;
  if (parameter === 'min_price' && Number(known('max_price')) < Number(value)) return true;
  return (known(parameter) ?? value) !== value;
}

const CONTROL = /[\0\u0001]/g;
/** Words that only lead to a phrase, such as "and" or "that is". */
const LEADING = new RegExp(
  `(?:${WORD_START}(?:${anyWordOf([...words('leading'), ...words('priceLabels')])}${WORD_END}\\s*))+(?=${INTERPRETED})`,
  'giu',
);
/** Matches a query text that names nothing to search for, such as "anything". */
const NOTHING = new RegExp(`^(?:${anyWordOf(words('anything'))}${WORD_END}\\s*)*$`, 'iu');

/** The rest of a query text, without interpreted phrases and the words that lead to them. */
function textLeft(q: string, left: string): string {
  const masked = left.replace(LEADING, (led) => INTERPRETED.repeat(led.length));
  const text = [...masked.matchAll(new RegExp(`[^${INTERPRETED}]+`, 'g'))]
    .map(({ 0: part, index }) => q.slice(index, index + part.length).trim())
    .filter((part) => part !== '')
    .join(' ');
  return NOTHING.test(text) || !/[\p{L}\p{N}]/u.test(text) ? '' : text;
}

export { mayNameSource } from './sources.js';
