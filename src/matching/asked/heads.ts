import { ACCESSORIES, COLOURS, NOISE, STOP_WORDS, TIERS, VARIANTS } from '../../text/vocabulary.js';
import { foldName, type Profile, readProfile } from '../profile.js';
import { asCandidate, type ProductQuery } from '../query.js';
import { words, type Word } from '../../text/words.js';
import type { Reading } from './reading.js';
import { synonymsOf } from './synonyms.js';

/**
 * How a listing has the word that says what the query is about, the last of it: as what is for sale ("LCD monitor, 27
 * inch"), before a word that is for sale ("monitor arm"), as what is in the box ("with lens"), of a department alone
 * ("Computers & Laptops" over monitors), or not at all.
 */
export type Head =
  'sold' | 'before another' | 'of an accessory' | 'in the box' | 'of its department' | 'none';

/** Things that are for the thing before them: a projector lamp is no projector. */
const GOES_AFTER = new Set(
  (
    'lamp bulb label paper pad tray drum ribbon ink head blade film hood cap rack shelf arm mat cleaner desk ' +
    'trolley lock screw plug extension frame module memory key accessory solution wrist rest bin liner bottle hose nozzle'
  ).split(' '),
);
const PHRASES = /[,;:|()[\]]|\s[-–]\s/;
const IN_THE_BOX = new Set([
  'with',
  'w',
  'for',
  'fit',
  'fits',
  'compatible',
  'incl',
  'include',
  'untuk',
  'plus',
]);

/** @param phrase the words of the query that say what it is about. */
export function headOf({ query, candidate, brands }: Reading, phrase: readonly Word[]): Head {
  const head = phrase.findLast(({ text, kind }) => kind === 'word' && !isBeside(text) && !brands.has(text));
  if (head === undefined) return 'sold';
  const names = synonymsOf(head.text);
  const asked = new Set(query.words.map(({ text }) => text));
  const placesIn = (text: string): Head[] =>
    foldName(text)
      .split(PHRASES)
      .flatMap((part) => placesOf(names, words(part), asked));
  const { name, category, category_path: path } = candidate;
  const found = [name, category ?? ''].flatMap(placesIn);
  if (found.length === 0 && category !== null && path.flatMap(placesIn).length > 0)
    return 'of its department';
  return ORDER.find((place) => found.includes(place)) ?? 'none';
}

const ORDER: readonly Head[] = ['sold', 'of an accessory', 'in the box', 'before another'];

function placesOf(names: ReadonlySet<string>, phrase: readonly Word[], asked: ReadonlySet<string>): Head[] {
  const end = phrase.findIndex(({ text }) => IN_THE_BOX.has(text));
  return phrase.flatMap(({ text }, at): Head[] => {
    const isPair = names.has(text + (phrase[at + 1]?.text ?? ''));
    if (!isPair && !names.has(text)) return [];
    const after = at + (isPair ? 2 : 1);
    const next = phrase[after];
    if (end >= 0 && at > end) return ['in the box'];
    if (next?.kind !== 'word' || end === after || isBeside(next.text) || asked.has(next.text))
      return ['sold'];
    return [GOES_AFTER.has(next.text) || ACCESSORIES.has(next.text) ? 'of an accessory' : 'before another'];
  });
}

const IN_BRACKETS = /\[[^[\]]*\]|\([^()]*\)/g;

/** A name up to its first mark, or to what is in the box. */
function firstPhrase(name: string): Profile {
  const folded = foldName(name);
  const plain = folded.replace(IN_BRACKETS, ',');
  const first = plain.split(PHRASES).find((part) => /[\p{L}\p{N}]/u.test(part)) ?? folded;
  const [before = ''] = first.split(BOX);
  return readProfile(asCandidate(before));
}
const BOX = new RegExp(`(?<=\\S\\s)(?:${[...IN_THE_BOX].join('|')})\\s`);

/**
 * Where some are called by the number that is asked for, without those that are called by another and have it only
 * behind that: of "RTX 3060" the card, and no laptop in which there is one.
 */
export function calledSo<C extends { name: string }, V extends { candidate: C }>(
  { profile: { words: asked, measures } }: ProductQuery,
  some: readonly V[],
): readonly V[] {
  const numbers = asked.filter(({ kind }) => kind !== 'word');
  if (numbers.length === 0 || measures.values.size > 0) return some;
  const phrases = some.map(({ candidate }) => firstPhrase(candidate.name));
  const has = ({ forms }: Profile) => numbers.every(({ text }) => forms.has(text));
  if (!phrases.some(has)) return some;
  const isAnother = (phrase: Profile) =>
    phrase.codes.size + phrase.numbers.size > 0 && !asked.some(({ text }) => phrase.forms.has(text));
  return some.filter((_, at) => !isAnother(phrases[at] as Profile));
}

/** Words that are no thing. */
const isBeside = (text: string): boolean =>
  [COLOURS, NOISE, STOP_WORDS, TIERS, VARIANTS].some((some) => some.has(text));
