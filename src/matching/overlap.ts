import { isOneEdit } from '../text/typo.js';
import { areNear } from './numbers.js';
import type { Profile } from './profile.js';
import { MARKETING_WORDS, PLATFORMS, NAME_STOP_WORDS } from '../text/vocabulary.js';
import type { Token } from '../text/tokenize.js';

/** Returns the weight of a word, 0 to 1. A word that occurs in few listings weighs nearly 1. */
export type WordWeight = (text: string) => number;

const MIN_FUZZY = 5;
const MIN_ABBREVIATION = 4;
/** How much a word counts as present if it occurs only abbreviated, or with one wrong letter. */
const FUZZY = 0.8;
const STOP_FACTOR = 0.15;
const NOISE_FACTOR = 0.3;
/** Brand words weigh less, because names often leave the brand out, and whether brands agree is a feature of its own. */
const BRAND_FACTOR = 0.4;

const factor = (text: string): number =>
  NAME_STOP_WORDS.has(text)
    ? STOP_FACTOR
    : MARKETING_WORDS.has(text) || PLATFORMS.has(text)
      ? NOISE_FACTOR
      : 1;

/** Computes how much of the name of the first listing occurs in the second listing. */
export function coverage(of: Profile, by: Profile, weight: WordWeight) {
  const joined = joinedIn(of, by);
  const inDescription = by.described().words;
  let total = 0;
  let covered = 0;
  let described = 0;
  let heaviestMissing = 0;
  of.words.forEach((word, index) => {
    const wordWeight = weight(word.text) * factor(word.text);
    const found = joined.has(index) ? 1 : presence(word, by);
    total += wordWeight;
    covered += wordWeight * found;
    described += inDescription.has(word.text) ? wordWeight : wordWeight * found;
    heaviestMissing = Math.max(heaviestMissing, wordWeight * (1 - found));
  });
  const share = (part: number) => (total === 0 ? 0 : part / total);
  return {
    /** The share of the first listing's words, by weight, 0 to 1, in the other's name, and in its name or description. */
    share: share(covered),
    described: share(described),
    /** The total weight of the first listing's words that occur in the name of the second listing, and of those that do not. */
    found: covered,
    missing: total - covered,
    heaviestMissing,
  };
}

/** The indices of words that the other name writes as one word: `wh 1000 xm5` is `wh1000xm5` there. */
function joinedIn(of: Profile, by: Profile): Set<number> {
  const found = new Set<number>();
  for (const { text, start, end } of of.joins) {
    if (!by.forms.has(text)) continue;
    for (let index = start; index <= end; index += 1) found.add(index);
  }
  return found;
}

/** How far a word occurs in the name or brand of a listing: 1 if it does, less in another form or in part, 0 if not at all. */
export function presence({ text, kind, pieces }: Token, by: Profile): number {
  if (by.forms.has(text) || by.brand.includes(text)) return 1;
  if (kind === 'code') {
    if (by.codes.has(text)) return 1;
    const shared = pieces.filter((piece) => piece.length > 1 && by.forms.has(piece));
    return Math.min(0.6, shared.reduce((sum, piece) => sum + piece.length, 0) / text.length);
  }
  if (kind === 'number') return [...by.numbers].some((other) => areNear(text, other)) ? FUZZY : 0;
  if (text.length < MIN_FUZZY) return 0;
  return by.words.some((other) => other.kind === 'word' && isVariantForm(text, other.text)) ? FUZZY : 0;
}

/** Whether one word is an abbreviation of the other, or differs from it in one letter. */
function isVariantForm(one: string, other: string): boolean {
  if (one.charCodeAt(0) !== other.charCodeAt(0) && one.charCodeAt(1) !== other.charCodeAt(1)) return false;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length >= MIN_ABBREVIATION && long.startsWith(short)) return true;
  return (
    short.length >= MIN_FUZZY &&
    long.length - short.length <= 1 &&
    isOneEdit(short, long, { transposed: true })
  );
}

/** Weighs words by how few compared listings have them (IDF). Counting in the whole catalogue gives no better matches. */
export function wordWeight(
  profiles: readonly Profile[],
  brands: ReadonlySet<string> = new Set(),
): WordWeight {
  const counts = new Map<string, number>();
  for (const { words } of profiles) {
    for (const text of new Set(words.map((word) => word.text))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const most = Math.log(1 + profiles.length);
  const weights = new Map<string, number>();
  for (const [text, count] of counts) {
    const weight = Math.log(1 + profiles.length / count) / most;
    weights.set(text, brands.has(text) ? BRAND_FACTOR * weight : weight);
  }
  return (text) => weights.get(text) ?? 1;
}
