import { presence } from '../overlap.js';
import { type Profile, readProfile } from '../profile.js';
import { asCandidate } from '../query.js';
import { ACCESSORIES } from '../../text/vocabulary.js';
import { fold } from '../../text/words.js';
import { isOfOtherBrand } from './models.js';
import { MIN_CODE } from './numbers.js';
import type { Reading } from './reading.js';

/** Whether the listing goes with the product and is not it. */
export function isAccessory(reading: Reading): boolean {
  const is = (reading.evidence.accessoryOnly > 0 && soundsLikeAccessory(reading)) || isSomethingFor(reading);
  return is && (isOfOtherBrand(reading) || !isItself(reading));
}

/** "Lens", "kit" or "card" may be in the box. */
export const mayBeAccessory = (reading: Reading): boolean =>
  reading.evidence.accessoryMismatch > 0 && !isItself(reading);

/** A kind of thing that is for something goes with it, as "手机壳 适用于 …" in the category of phone cases. */
export const goesWithSomething = ({ query, profile }: Reading): boolean => profile.isFor && !query.isFor;

/** Bags go with laptops, and as often with nothing. */
const BAGS = new Set(['bag', 'backpack']);
const soundsLikeAccessory = ({ profile, query }: Reading): boolean =>
  [...profile.words, ...query.words].some(({ text }) => ACCESSORIES.has(text) && !BAGS.has(text));

/** Whether the listing states the model that the query names, or has its number and its brand: then it is no accessory of it. */
function isItself({ query, profile, candidate, brands, evidence }: Reading): boolean {
  const text = query.words.map((word) => word.text).join('');
  const states = candidate.internal.models.some((model) => model.length >= MIN_CODE && text.includes(model));
  return states || (evidence.codeOwn > 0 && profile.brand.some((word) => brands.has(word)));
}

/** "For", in the languages of the shops. */
const FOR = /\b(?:for|fits?|compatible(?: with)?|untuk|serasi dengan)\b|适用于|適用於|适配|兼容|相容/u;

/** What a thing works with is told before the word, too: "PS5 compatible", in one part of a name. */
const PARTS = /([,;|()[\]])/;
const COMPATIBLE_BEHIND = /[\s-]compatible\b(?! with)/;

/** Whether the query's words come only after "for" or "compatible with", or before "compatible": then the listing is something for the product. */
function isSomethingFor({ query, profile, candidate }: Reading): boolean {
  const name = fold(candidate.name);
  const [before = '', ...after] = name
    .split(PARTS)
    .map((part) => (COMPATIBLE_BEHIND.test(part) ? ` for ${part}` : part))
    .join('')
    .split(FOR);
  if (after.length === 0 || query.words.length === 0) return false;
  const head = readProfile(asCandidate(before));
  const inHead = query.words.some((word) => presence(word, head) > 0);
  return !inHead && query.words.some((word) => presence(word, profile) > 0);
}

/** What a thing does as well: a "fast charging power bank" is a power bank. */
const PROPERTIES = new Set(['charging']);

/** Spellings of things that go with another thing, but of what the query itself names. */
export function accessoryWordsBeside({ allAccessories }: Profile): string[] {
  return [...ACCESSORIES].flatMap(([spelling, concept]) =>
    allAccessories.has(concept) || PROPERTIES.has(spelling) ? [] : [spelling],
  );
}
