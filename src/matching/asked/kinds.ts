import { presence } from '../overlap.js';
import { isFarBelow, type SourcePrice, votesOf } from '../../listing/usual-price.js';
import { readProfile } from '../profile.js';
import { remembered } from '../../text/remembered.js';
import { asCandidate, type ProductQuery } from '../query.js';
import type { Judged, Reading } from './reading.js';
import { STANDINGS, type Verdict } from './words.js';

/** "Wireless headphones" names a kind of thing, of which many are on offer, and no product. */
export const isKind = ({ profile: { words, measures } }: ProductQuery): boolean =>
  measures.values.size === 0 && words.every(({ kind }) => kind === 'word');

/** The first listings of a search tell what the kind usually costs; what costs this part of it or less is another kind. */
const FIRST = 10;
const FAR_LESS = 0.2;

/** A kind is what names say, not attributes, and costs what such things cost: a mouse for a laptop is none. */
export function ofTheKind<V extends Verdict & { candidate: Judged; named: boolean }>(
  judged: readonly V[],
): V[] {
  const named = judged.filter((one) => one.named);
  const literal = ofLiteralKind(named.length > 0 ? named : judged);
  const some = soldFirst(literal);
  const votes = votesOf(some.slice(0, FIRST).flatMap(pricesOf));
  return some.filter((one) => !pricesOf(one).some((price) => isFarBelow(price, FAR_LESS, votes)));
}

/** The price of a listing with its source; none where it has no price that compares. */
const pricesOf = ({ candidate: { source, comparablePrice } }: { candidate: Judged }): SourcePrice[] =>
  comparablePrice === null ? [] : [{ source, price: comparablePrice }];

/** So few words, be it with a size, name a kind. */
const KIND_WORDS = 3;
const SIZE = /^\d{2,4}(?:\.\d)?$/;

/** `monitor 27` and `rice cooker 1.8 L`: a kind of thing in a size. */
export const isKindOfSize = ({ profile: { words } }: ProductQuery): boolean =>
  words.length <= KIND_WORDS && words.every(({ kind, text }) => kind === 'word' || SIZE.test(text));

/** What listings must say of themselves: a description names what a thing goes with, too. */
export const isShortKind = (query: ProductQuery): boolean =>
  isKind(query) && query.profile.words.length <= KIND_WORDS;

/**
 * Those that say that they are the thing, else those that call it by another word, else those that name it beside
 * something: a tablet that takes a microSD, as its description says, does not call it so where cards do.
 */
export function soldFirst<V extends Verdict>(judged: readonly V[]): readonly V[] {
  const by = (head: Verdict['head']) => judged.filter((one) => one.head === head);
  const surest = STANDINGS.find((one) => judged.some(({ standing }) => standing === one));
  const calledElse = by('none').filter(({ standing }) => standing === surest);
  return [by('sold'), calledElse].find((some) => some.length > 0) ?? judged;
}

/** Synonyms name other things too: a notebook is a laptop where the laptops are, and paper elsewhere. */
function ofLiteralKind<V extends Verdict & { candidate: Judged }>(judged: readonly V[]): V[] {
  const kinds = new Set(
    judged.flatMap(({ literal, head, candidate }) =>
      literal && head === 'sold' ? [candidate.category] : [],
    ),
  );
  return judged.filter(
    ({ literal, candidate: { category } }) =>
      kinds.size === 0 || literal || (category !== null && kinds.has(category)),
  );
}

/** An accessory costs less than this part of the thing. */
export const MUCH_LESS = 0.25;

/**
 * A "memory card" or a "hard case suitcase" only sounds like an accessory where others of its kind and price do not.
 * Where all do, the words are the thing's own, unless it surely goes with another.
 * @param from the part of the usual price from which on such a one counts.
 */
export function withoutAccessories<V extends Verdict & { candidate: Judged }>(
  judged: readonly V[],
  from: number,
): V[] {
  const plain = judged.filter(({ accessory }) => accessory === 'no');
  if (plain.length === 0) return judged.filter(({ accessory }) => accessory === 'perhaps');
  const kinds = new Set(plain.flatMap(({ candidate }) => candidate.category ?? []));
  const votes = votesOf(plain.flatMap(pricesOf));
  return judged.filter((one) => {
    if (one.accessory === 'no') return true;
    const { category } = one.candidate;
    const isTooCheap = pricesOf(one).some((price) => isFarBelow(price, from, votes));
    return category !== null && kinds.has(category) && !isTooCheap;
  });
}

const CATEGORIES = 1_024;

const categoryOf = remembered(CATEGORIES, (name) => readProfile(asCandidate(name)));

/** Whether the name or the category has the words as they are; its departments name other kinds too. */
export function isLiteral({ query, profile, candidate }: Reading): boolean {
  const category = categoryOf(candidate.category ?? '');
  return query.words.every((word) => presence(word, profile) === 1 || presence(word, category) === 1);
}
