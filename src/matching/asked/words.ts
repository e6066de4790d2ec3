import { MATCH_THRESHOLD } from '../match.js';
import { presence, type WordWeight } from '../overlap.js';
import { TIERS, VARIANTS } from '../../text/vocabulary.js';
import type { Word } from '../../text/words.js';
import type { Head } from './heads.js';
import { isJoined, isPresent, type Reading } from './reading.js';

/** How a listing accounts for a query, the surest first, and what that is worth. */
export const CONFIDENCE = { identified: 1, told: 0.95, described: 0.8, alike: 0.6 } as const;
type Standing = keyof typeof CONFIDENCE;
export const STANDINGS = Object.keys(CONFIDENCE) as Standing[];

export interface Verdict {
  standing: Standing;
  /** What makes another listing likelier; a listing with any of them answers only where none is without. */
  doubts: { nearCode: boolean; otherBrand: boolean; pack: boolean };
  accessory: 'no' | 'perhaps' | 'surely';
  /** Whether it has the words as they are, and no synonyms of them. */
  literal: boolean;
  /** How it has the word that says what the query is about. */
  head: Head;
}

/** A part of metadata need not be read where the name says all. */
export function standingOf(reading: Reading, words: { told: boolean; described: boolean }): Standing | null {
  if (words.told ? !isToldOfAnother(reading) : impliesBrand(reading)) return 'told';
  const missing = reading.query.words.filter((word) => word.kind === 'word' && !isPresent(word, reading));
  const plain = reading.query.words.filter(({ kind }) => kind === 'word');
  if (missing.some(({ text }) => reading.brands.has(text) || VARIANTS.has(text) || TIERS.has(text)))
    return null;
  if (words.described && !words.told && 2 * missing.length <= plain.length) return 'described';
  if (reading.score() < MATCH_THRESHOLD || reading.query.words.length < MIN_ALIKE_WORDS) return null;
  const known = missing.every((word) => reading.profiles.some((other) => presence(word, other) === 1));
  const total = sumOf(reading.query.words, reading.weight);
  return known && sumOf(missing, reading.weight) <= MAX_MISSING * total ? 'alike' : null;
}

const MIN_ALIKE_WORDS = 4;
const MAX_MISSING = 0.25;
const sumOf = (words: readonly Word[], weight: WordWeight): number =>
  words.reduce((sum, { text }) => sum + weight(text), 0);

/** Whether a word is told only of what the listing goes with. */
function isToldOfAnother(reading: Reading): boolean {
  const { goesWith } = reading.stated;
  return reading.query.words.some((word) => presence(word, goesWith) === 1 && !isPresent(word, reading));
}

/** Shops leave out a brand that the model tells: where the query names a model, a listing without a brand may be of any. */
function impliesBrand(reading: Reading): boolean {
  const { query, profile, brands } = reading;
  if (profile.brand.length > 0 || brands.size === 0 || query.numbers.size + query.codes.size === 0)
    return false;
  return query.words.every(
    (word, index) =>
      word.kind !== 'word' || brands.has(word.text) || isJoined(index, reading) || isPresent(word, reading),
  );
}
