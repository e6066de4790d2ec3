import { areNear } from './numbers.js';
import type { Profile } from './profile.js';
import { NOISE, PLATFORMS, STOP_WORDS } from '../text/vocabulary.js';
import type { Word } from '../text/words.js';

/** How much a word tells, 0 to 1: near 1 for one that few listings have. */
export type WordWeight = (text: string) => number;

/** How much of one listing's name the other has. */
export interface Coverage {
  /** Share of the words' weight that is in the other's name, 0 to 1. */
  share: number;
  /** The same, in the other's name or description. */
  described: number;
  /** Weight of the words that are in the other's name, and of those that are not. */
  there: number;
  missing: number;
  /** Weight of the heaviest word that is missing in the name. */
  heaviestMissing: number;
}

const MIN_FUZZY = 5;
const MIN_ABBREVIATION = 4;
/** What a word counts that is there in another form: shortened, or one letter off. */
const FUZZY = 0.8;
const STOP_FACTOR = 0.15;
const NOISE_FACTOR = 0.3;
/** Whether the brands agree is evidence of its own; names leave them out. */
const BRAND_FACTOR = 0.4;

const factor = (text: string): number =>
  STOP_WORDS.has(text) ? STOP_FACTOR : NOISE.has(text) || PLATFORMS.has(text) ? NOISE_FACTOR : 1;

/** @param also texts that count as described besides those of the description. */
export function coverage(of: Profile, by: Profile, weight: WordWeight, also?: ReadonlySet<string>): Coverage {
  const there = joinedThere(of, by);
  const inDescription = by.described().words;
  let total = 0;
  let covered = 0;
  let described = 0;
  let heaviestMissing = 0;
  of.words.forEach((word, index) => {
    const weighs = weight(word.text) * factor(word.text);
    const found = there.has(index) ? 1 : presence(word, by);
    total += weighs;
    covered += weighs * found;
    described += inDescription.has(word.text) || also?.has(word.text) ? weighs : weighs * found;
    heaviestMissing = Math.max(heaviestMissing, weighs * (1 - found));
  });
  const share = (part: number) => (total === 0 ? 0 : part / total);
  return {
    share: share(covered),
    described: share(described),
    there: covered,
    missing: total - covered,
    heaviestMissing,
  };
}

/** Positions of words that the other name writes as one: `print shop` and `printshop`, `wh 1000 xm5`. */
function joinedThere(of: Profile, by: Profile): Set<number> {
  const found = new Set<number>();
  for (const { text, start, end } of of.joins) {
    if (!by.forms.has(text)) continue;
    for (let index = start; index <= end; index += 1) found.add(index);
  }
  return found;
}

/** How much of a word the other listing's name has, 0 to 1. */
export function presence({ text, kind, pieces }: Word, by: Profile): number {
  if (by.forms.has(text) || by.brand.includes(text)) return 1;
  if (kind === 'code') {
    if (by.codes.has(text)) return 1;
    const shared = pieces.filter((piece) => piece.length > 1 && by.forms.has(piece));
    return Math.min(0.6, shared.reduce((sum, piece) => sum + piece.length, 0) / text.length);
  }
  if (kind === 'number') return [...by.numbers].some((other) => areNear(text, other)) ? FUZZY : 0;
  if (text.length < MIN_FUZZY) return 0;
  return by.words.some((other) => other.kind === 'word' && alike(text, other.text)) ? FUZZY : 0;
}

/** One is the beginning of the other, or they are one letter apart. */
export function alike(one: string, other: string): boolean {
  if (one.charCodeAt(0) !== other.charCodeAt(0) && one.charCodeAt(1) !== other.charCodeAt(1)) return false;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length >= MIN_ABBREVIATION && long.startsWith(short)) return true;
  return short.length >= MIN_FUZZY && long.length - short.length <= 1 && oneEdit(short, long);
}

function oneEdit(short: string, long: string): boolean {
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  const left = short.length - start - end;
  if (long.length === short.length && left === 2) {
    return short[start] === long[start + 1] && short[start + 1] === long[start];
  }
  return left <= (long.length === short.length ? 1 : 0);
}

/**
 * How much a word tells, from how many of these listings have it: what all candidates share cannot tell them apart.
 * Measured to serve as well as its frequency in the whole catalogue, without asking for it.
 */
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
    const weighs = Math.log(1 + profiles.length / count) / most;
    weights.set(text, brands.has(text) ? BRAND_FACTOR * weighs : weighs);
  }
  return (text) => weights.get(text) ?? 1;
}
