import type { NameReading } from '../schemas/reading.js';
import { FOR_WORDS } from '../naming/target-words.js';
import { foldValue } from '../text/fold.js';
import { isAccessoryNoun } from '../naming/kinds.js';
import { singular } from '../text/singular.js';
import { type Token, tokenize } from '../text/tokenize.js';
import { COLOURS } from '../naming/lexicon.js';
import {
  ACCESSORIES,
  DESCRIBING,
  FILLERS,
  isTier,
  MARKETING_WORDS,
  NAME_STOP_WORDS,
  NOT_NOUNS,
  PREPOSITIONS,
  VARIANTS,
} from '../text/vocabulary.js';
import { tiersAfter } from './number-context.js';
import { readName } from './reading.js';
import { asCandidate } from './requested/requested-product.js';

/** What a name says about the product that accessories and parts go with. */
interface NamedListing {
  listing: { name: string; brand: string | null; internal: { accessory?: boolean; kinds?: string[] } };
  reading: NameReading;
}

/** A product as names of accessories state it. */
export type NamedProduct = NonNullable<ReturnType<typeof productNamed>>;

const MAX_NAME = 300;
/** The maximum number of words from the word of a line to its model: `redmi note 11`. */
const MAX_WORDS = 4;
/** Letters after a long number belong to the model number: "PZ 320 M4". */
const LONG_NUMBER = /^\d{3,}$/;
const SHORT_CODE = /^\p{L}\d{1,2}$/u;
/** Tiers that also describe accessories, as in "slim case". */
const STYLES = new Set(['slim']);

/** Matches the mark between models in a row, as in "iPhone 7/8", which is read as "or". */
const BETWEEN_MODELS = /(?<=\p{N}\p{L}?)\s*[/,&+]\s*(?=\p{L}?\p{N})/gu;

const singularTokens = (text: string): Token[] =>
  tokenize(foldValue(text.slice(0, MAX_NAME)).replaceAll(BETWEEN_MODELS, ' or ')).map((token) => ({
    ...token,
    text: token.kind === 'word' ? singular(token.text) : token.text,
  }));

const wordsIn = (text: string | null | undefined): string[] =>
  singularTokens(text ?? '').map((token) => token.text);

const SAYS_NOTHING = [
  FILLERS,
  MARKETING_WORDS,
  NAME_STOP_WORDS,
  PREPOSITIONS,
  FOR_WORDS,
  NOT_NOUNS,
  DESCRIBING,
  ACCESSORIES,
  COLOURS,
];

/** Whether a word before the name of a product cannot be its maker, such as a stop word or an accessory. */
const isNoMaker = (token: Token | undefined, kinds: readonly string[]): boolean =>
  token === undefined ||
  token.kind !== 'word' ||
  SAYS_NOTHING.some((list) => list.has(token.text)) ||
  isAccessoryNoun(token.text) ||
  kinds.some((kind) => kind.split(' ').includes(token.text));

/** Whether a word after the name of a product is its tier or variant, and does not describe the accessory ("slim case"). */
const isTierOfProduct = (word: string, next: string | undefined): boolean =>
  (isTier(word, next) || VARIANTS.has(word)) && !STYLES.has(word);

/** The line and model in a name: those of the product that the listing goes with, or else its own; null if it states none. */
export function productNamed({ listing, reading }: NamedListing) {
  const [target] = reading.compatible_with;
  if (target === undefined) return productIn(listing.name, listing, reading);
  return productIn(target, listing, readName({ ...asCandidate(target), brand: null }));
}

function productIn(name: string, listing: NamedListing['listing'], reading: NameReading) {
  const tokens = singularTokens(name);
  const model = wordsIn(reading.model);
  const [lastOfModel] = model.slice(-1);
  const [firstOfLine] = wordsIn(reading.line);
  const kinds = listing.internal.kinds ?? [];
  const modelAt = tokens.findIndex(({ text }) => text === model[0]);
  let last = tokens.findIndex(({ text }, at) => at >= modelAt && text === lastOfModel);
  if (modelAt < 0 || last < 0) return null;
  const lineAt = tokens.findIndex(({ text }, at) => text === firstOfLine && at < modelAt);
  const isNear = lineAt >= 0 && modelAt - lineAt < MAX_WORDS;
  const isShort = (tokens[modelAt]?.text ?? '').length < MIN_NAME;
  const isOfLine = !isNear && !isNoMaker(tokens[modelAt - 1], []) && isShort;
  const first = isNear ? lineAt : isOfLine ? modelAt - 1 : modelAt;
  if (LONG_NUMBER.test(tokens[last]?.text ?? '') && SHORT_CODE.test(tokens[last + 1]?.text ?? '')) last += 1;
  /** The words of the line and model in the order of the name, in the singular: `redmi`, `note`, `11`. */
  const words = tokens.slice(first, last + 1).map(({ text }) => text);
  // A short number alone does not name a product.
  if (words.join('').length < MIN_NAME) return null;
  /** Whether the listing only goes with the product, as a case does. */
  const isTarget = name !== listing.name || listing.internal.accessory === true;
  /** The words before the line that may be its maker. Empty if an accessory does not state the maker of what it goes with. */
  const makers = new Set([
    ...(isTarget ? [] : wordsIn(reading.maker ?? listing.brand)),
    ...(isNoMaker(tokens[first - 1], kinds) ? [] : [tokens[first - 1]?.text ?? '']),
  ]);
  return { words, tiers: tiersAfter(tokens, last, isTierOfProduct), makers, isTarget };
}

const MIN_NAME = 4;

/**
 * Whether a name says that a listing goes with a product: `fits` by line, model and tiers, `other` for "iPhone 7 Plus" instead of
 * the iPhone 7, or `unstated`. Two things for the same product, such as a case and a charger, do not go with each other.
 */
export function statesProduct(
  { words, tiers, makers, isTarget }: NamedProduct,
  { listing, reading }: NamedListing,
): 'fits' | 'other' | 'unstated' {
  const tokens = singularTokens(listing.name);
  const goesWith = listing.internal.accessory === true || reading.compatible_with.length > 0;
  const own = wordsIn(reading.maker ?? listing.brand);
  const kinds = listing.internal.kinds ?? [];
  // An accessory may omit the maker of what it goes with, and a listing without a maker does not contradict another maker.
  const isOfAny = goesWith || makers.size === 0 || own.length === 0;
  const found = tokens.flatMap((_, start) => {
    const end = endOf(tokens, start, words);
    if (end === null) return [];
    const before = tokens[start - 1];
    const isOwn = own.includes(before?.text ?? '');
    const isByMaker =
      makers.has(before?.text ?? '') ||
      ((isNoMaker(before, kinds) || (isOwn && isOfAny)) && (isOfAny || own.some((word) => makers.has(word))));
    return [isByMaker && !(isTarget && goesWith) && tiersAfter(tokens, end - 1, isTierOfProduct) === tiers];
  });
  return found.includes(true) ? 'fits' : found.length > 0 ? 'other' : 'unstated';
}

/** Whether two names state different tiers after a code, as "S24 Ultra" and "S24" do. */
export function haveOtherTiers(code: string, one: string, other: string): boolean {
  const tiersIn = (name: string) => {
    const tokens = singularTokens(name);
    return tokens.flatMap(({ text }, at) => (text === code ? [tiersAfter(tokens, at, isTierOfProduct)] : []));
  };
  const [ofOne, ofOther] = [tiersIn(one), tiersIn(other)];
  return ofOne.length > 0 && ofOther.length > 0 && !ofOne.some((tiers) => ofOther.includes(tiers));
}

/** The index behind a product's name that begins at a token, and behind further models ("iPhone 7/8"); null if none begins. */
function endOf(tokens: readonly Token[], start: number, words: readonly string[]): number | null {
  const whole = words.join('');
  const line = words.slice(0, -1).join('');
  const model = words.at(-1);
  let written = '';
  for (let at = start; at < tokens.length && written.length < whole.length; at += 1) {
    written += tokens[at]?.text ?? '';
    if (written !== whole && written !== line) continue;
    const first = written === whole ? at : at + 1;
    let last = first;
    while (tokens[last + 1]?.text === 'or' && tokens[last + 2]?.kind !== 'word') last += 2;
    if (written === whole || tokens.slice(first, last + 1).some(({ text }) => text === model))
      return last + 1;
  }
  return null;
}
