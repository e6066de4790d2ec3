import type { Token } from '../text/tokenize.js';
import { COLOURS } from '../naming/lexicon.js';
import { isTier, MARKETING_WORDS, NAME_STOP_WORDS, NOT_NOUNS, VARIANTS } from '../text/vocabulary.js';
import { shareAny } from './cheap-features.js';
import { presence } from './overlap.js';
import { formsOf, type Profile } from './profile.js';
import { shareAnyModel, shareModelNumber } from './codes.js';

/** From this presence on, 0 to 1, a name counts as containing a word. An abbreviation and a word with a typo reach it. */
const MIN_PRESENCE = 0.8;

const NO_WORDS: ReadonlySet<string> = new Set();

/**
 * Returns the words of a head that no other name contains, except colours and words that say nothing, and those of them that name
 * a variant, such as the "II" of "Mark II". Numbers are compared with heads only, because specifications contain others.
 */
export function missingFromHead(
  { head }: Profile,
  by: readonly Profile[],
  variantWords: ReadonlySet<string> = NO_WORDS,
): { words: Token[]; variants: Token[] } {
  const missing = head.filter(
    (word, at) => !isPlain(word.text) && !by.some((one) => contains(one, head, at)),
  );
  const variants = missing.filter((word) => {
    const before = head[head.indexOf(word) - 1];
    const follows = before !== undefined && (!missing.includes(before) || isVariantName(before));
    return (
      variantWords.has(word.text) ||
      (follows && isVariantName(word)) ||
      (word.text.length === 1 && before !== undefined && before.kind !== 'word') ||
      (word.kind === 'code' && by.some((one) => hasNearCode(word.text, one)))
    );
  });
  return { words: missing, variants };
}

/** Whether the head of each name has a word that the other name lacks. */
export const haveOwnHeadWords = (a: Profile, b: Profile): boolean =>
  missingFromHead(a, [b]).words.length > 0 && missingFromHead(b, [a]).words.length > 0;

/** Whether the second name has another word between the same neighbours: "The Seasons Expansion" and "The Pets Expansion". */
export const replacesWord = ({ head }: Profile, words: readonly Token[], { head: other }: Profile): boolean =>
  words.some((word) => {
    const at = head.indexOf(word);
    const [before, after] = [head[at - 1]?.text, head[at + 1]?.text];
    return (
      before !== undefined &&
      after !== undefined &&
      other.some(({ text }, index) => text === before && other[index + 2]?.text === after)
    );
  });

/** Whether a word is a stop word or a marketing word. */
export const saysNothing = (text: string): boolean => MARKETING_WORDS.has(text) || NAME_STOP_WORDS.has(text);

/** Whether a word says nothing or is a colour. */
export const isPlain = (text: string): boolean => saysNothing(text) || COLOURS.has(text);

const isVariantName = ({ text, kind }: Token): boolean =>
  kind === 'number' ? text.length < 3 : isTier(text) || VARIANTS.has(text);

export const isInHead = (word: string, { head }: Pick<Profile, 'head'>): boolean =>
  head.some(({ text }) => text === word);

/** Whether a name contains the word at an index of another name's head, alone or joined with a neighbour. */
function contains(other: Profile, words: readonly Token[], at: number): boolean {
  const [before = '', after = ''] = [words[at - 1]?.text, words[at + 1]?.text];
  const word = words[at] as Token;
  const isJoined =
    (before !== '' && other.forms.has(before + word.text)) ||
    (after !== '' && other.forms.has(word.text + after));
  if (isJoined) return true;
  if (word.kind === 'number' && word.text.length < 3) return isInHead(word.text, other);
  if (word.kind === 'code' && hasNearCode(word.text, other)) return false;
  return presence(word, other) >= MIN_PRESENCE;
}

/** Whether the head of a name has a model number that differs only by one or two letters at its end: B550M for B550. */
export const hasNearCode = (code: string, name: Profile): boolean =>
  !isInHead(code, name) &&
  name.head.some(({ kind, text }) => kind === 'code' && (isSuffixed(code, text) || isSuffixed(text, code)));

const isSuffixed = (short: string, long: string): boolean =>
  long.startsWith(short) && /^\p{L}{1,2}$/u.test(long.slice(short.length));

/** A name with n more words than another one is its variant only if the other has at least n plus this number of words. */
const MIN_MORE = 2;

/**
 * Finds the words by which shops tell variants apart: "wifi", if one shop has an "X670-P WIFI" and an "X670-P". Only heads that
 * may contain each other are compared (prefix filtering): if one adds n words to another, the rarest word of the other is one
 * of its n + 1 rarest words. The time is thus about proportional to the number of listings.
 * @param maxAdded the maximum number of words that name a variant; at the end of a name one, because two may say anything.
 */
export function readVariantWords(
  listings: readonly { shop: string; profile: Pick<Profile, 'head' | 'maker'> }[],
  maxAdded = 1,
): Set<string> {
  const counts = new Map<string, number>();
  for (const { profile } of listings)
    for (const { text } of profile.head) counts.set(text, (counts.get(text) ?? 0) + 1);
  const byRarity = (a: string, b: string) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || (a < b ? -1 : 1);
  const heads = listings.map(({ shop, profile: { head, maker } }) => {
    const rarestFirst = [...new Set(head.map(({ text }) => text))].sort(byRarity);
    return { shop, maker, head, rarestFirst, words: new Set(rarestFirst) };
  });
  const shorter = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const { shop, rarestFirst, words } of heads) {
    const key = `${shop}\0${rarestFirst[0]}`;
    shorter.set(key, (shorter.get(key) ?? new Map()).set(rarestFirst.join('\0'), words));
  }
  const variants = new Set<string>();
  for (const { shop, maker, head, rarestFirst, words } of heads) {
    if (head.every(({ kind }) => kind === 'word')) continue;
    const last = head.at(-1)?.text ?? '';
    const others = rarestFirst
      .slice(0, maxAdded + 1)
      .flatMap((rare) => [...(shorter.get(`${shop}\0${rare}`)?.values() ?? [])]);
    for (const other of others) {
      const added = words.size - other.size;
      const isVariant =
        added > 0 &&
        added <= (other.has(last) ? maxAdded : 1) &&
        other.size >= added + MIN_MORE &&
        [...other].every((word) => words.has(word));
      if (!isVariant) continue;
      for (const word of words)
        if (!other.has(word) && !isPlain(word) && !maker.includes(word)) variants.add(word);
    }
  }
  return variants;
}

/** A copy of a profile that is reduced to the head, so that words after the head do not count as contained in the name. */
export const withHeadOnly = (profile: Profile): Profile => ({
  ...profile,
  words: profile.head,
  forms: formsOf(profile.head, []),
});

/** Whether two listings have different makers; an unknown one is mostly the first word, unless that describes the offer. */
export function haveOtherMakers(a: Profile, b: Profile): boolean {
  if (a.maker.length > 0 && b.maker.length > 0) {
    const names = (one: Profile, other: Profile) =>
      one.forms.has(other.maker.join('')) || other.maker.every((word) => one.forms.has(word));
    return !names(a, b) && !names(b, a);
  }
  const isForeign = (of: Profile, by: Profile) => {
    const [first] = of.words;
    return (
      first?.kind === 'word' &&
      !isPlain(first.text) &&
      !NOT_NOUNS.has(first.text) &&
      !contains(by, of.words, 0)
    );
  };
  return isForeign(a, b) && isForeign(b, a);
}

/** From this number of words after its head on, a name lists specifications. */
const MIN_SPECIFICATIONS = 3;

export const hasSpecifications = ({ words, head }: Profile): boolean =>
  words.length - head.length >= MIN_SPECIFICATIONS;

/** The minimum length of a word that may name a product line. */
const MIN_LINE_NAME = 3;

/**
 * Whether the names alone show that two listings, of which at most one states a brand, are different products: the makers
 * differ, or both names list specifications, with which many names end, and each head has words that the other name lacks.
 */
export function haveNamesOfOtherProducts(a: Profile, b: Profile): boolean {
  if (a.brand.length > 0 && b.brand.length > 0) return false;
  if (shareAny(a.gtins, b.gtins) || shareModelNumber(a, b)) return false;
  return haveOtherMakers(a, b) || (hasSpecifications(a) && hasSpecifications(b) && haveOwnHeadWords(a, b));
}

/**
 * Whether two names without a common model number state different lines, as "Dominator" and "Vengeance": each head has a word of
 * its own, not the first (mostly the maker) nor the noun, unless a model number precedes that ("Z790 Steel Legend").
 */
export function haveOtherLines(a: Profile, b: Profile): boolean {
  if (shareAnyModel(a, b)) return false;
  const isLine = (word: Token, { head, brand, parts }: Profile) => {
    const at = head.indexOf(word);
    const isNoun = word.text === parts.headNoun && !head.slice(0, at).some(({ kind }) => kind === 'code');
    return (
      word.kind === 'word' &&
      word.text.length >= MIN_LINE_NAME &&
      at > 0 &&
      !isNoun &&
      !brand.includes(word.text)
    );
  };
  const hasOwnLine = (one: Profile, other: Profile) =>
    missingFromHead(one, [other]).words.some((word) => isLine(word, one) && !NOT_NOUNS.has(word.text));
  return hasOwnLine(a, b) && hasOwnLine(b, a);
}
