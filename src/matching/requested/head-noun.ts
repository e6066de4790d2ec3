import { isKnownKind, kindsOf } from '../../naming/kinds.js';
import { inflectionsOf, isCompoundOf } from '../../naming/word-forms.js';
import { singular } from '../../text/singular.js';
import { FOR_WORDS } from '../../naming/target-words.js';
import { type Token, tokenize } from '../../text/tokenize.js';
import { COLOURS } from '../../naming/lexicon.js';
import {
  ACCESSORIES,
  DESCRIBING,
  DESCRIPTIONS,
  GOES_WITH,
  INCLUDING,
  MARKETING_WORDS,
  NAME_STOP_WORDS,
  TIER_WORDS,
  VARIANTS,
} from '../../text/vocabulary.js';
import { namesChip } from '../chips.js';
import { foldListingName } from '../listing-name.js';
import { type Profile, type ProfileReader, readProfile } from '../profile.js';
import { type CandidateListing, type StoredCandidate, synonymsOf } from './candidate-listing.js';
import { hasLongCode } from './model-conflicts.js';
import { asCandidate, type RequestedProduct } from './requested-product.js';

/**
 * The role that the head noun of the request (the last noun of its phrase) has in a listing. The examples
 * are for the head noun "monitor".
 * - `of its kind`: the name or the category says that it is one, in the same way as for searches ("Monitor Rono M27").
 * - `sold`: it is for sale ("LCD monitor, 27 inch").
 * - `modifier`: it describes the noun after it ("monitor light").
 * - `of an accessory`: it describes an accessory ("monitor arm").
 * - `in the box`: it comes with the product ("PC with monitor").
 * - `of its department`: only the name of a department contains it ("Monitors & Laptops").
 * - `missing`: the listing does not contain it.
 */
export type HeadNounRole =
  'of its kind' | 'sold' | 'modifier' | 'of an accessory' | 'in the box' | 'of its department' | 'missing';

/** The roles of a head noun in order of precedence. The first of its roles in a listing counts. */
const ROLE_ORDER: readonly HeadNounRole[] = ['sold', 'of an accessory', 'in the box', 'modifier'];

/** The maximum length of the ending of a German noun. */
const MAX_ENDING = 2;
const PHRASE_END = /[,;:|()[\]]|\s[-–]\s/;
const BOX_WORDS: ReadonlySet<string> = new Set([...FOR_WORDS, ...INCLUDING]);

/** The role of the head noun of the request in the listing. @param phrase the words that say what the product is. */
export function headNounRole(
  { query, profile, listing, brands }: CandidateListing,
  phrase: readonly Token[],
): HeadNounRole {
  const head = headNounOf(phrase, brands);
  if (head === undefined) return 'sold';
  const nouns = synonymsOf(head.text);
  const names = (noun: string) => nouns.has(noun) || isCompoundOf(noun, head.text);
  const requested = new Set(query.words.map(({ text }) => text));
  const rolesIn = (text: string): HeadNounRole[] =>
    phrasesOf(text).flatMap((phrase) => rolesInPhrase({ nouns, names }, phrase, requested, profile));
  const { name, category, category_path: path } = listing;
  const roles = [name, category ?? ''].flatMap(rolesIn);
  if (roles.length === 0 && category !== null && path.flatMap(rolesIn).length > 0) return 'of its department';
  const role = ROLE_ORDER.find((one) => roles.includes(one)) ?? 'missing';
  if (role !== 'sold' && role !== 'modifier') return role;
  const kinds = listing.internal.kinds ?? kindsOf(name, category, listing.brand);
  const isOther =
    kinds[0] === PAPER && kindsOf(query.words.map(({ text }) => text).join(' '), null)[0] !== PAPER;
  if (isOther) return 'modifier';
  return kinds.some((kind) => names(kind) || nouns.has(singular(kind))) ? 'of its kind' : role;
}

/** The kind of a notebook that is made of paper. */
const PAPER = 'notepad';

/** The words of each part of a name between punctuation marks. */
const phrasesOf = (name: string): Token[][] =>
  foldListingName(name)
    .split(PHRASE_END)
    .map((part) => tokenize(part));

/** Whether a word is the head noun, and the last part of a German compound in the name: "Laserdrucker" for "Drucker". */
export const isLastPartIn = ({ text }: Token, { query, profile, brands }: CandidateListing): boolean =>
  headNounOf(query.words, brands)?.text === text &&
  profile.words.some((word) => isCompoundOf(word.text, text));

/**
 * Whether a name with the head noun only in a compound may be of something that goes with it: a longer word begins with the
 * noun ("Lampenschirm Tischlampe"), or another noun follows ("Reisekoffer Anhänger").
 */
export function mayGoWithCompound({ query, listing, brands }: CandidateListing): boolean {
  const head = headNounOf(query.words, brands)?.text ?? '';
  const isCompound = ({ text }: Token) => isCompoundOf(text, head);
  const words = withoutBox(phrasesOf(listing.name).find((phrase) => phrase.some(isCompound)) ?? []);
  const starts = [head, ...inflectionsOf(head)];
  const begins = ({ text }: Token) =>
    starts.some((start) => text.startsWith(start) && text.length > start.length + MAX_ENDING);
  const behind = words.slice(words.findIndex(isCompound) + 1);
  const isOther = (word: Token) => isKnownKind(word.text) || GOES_WITH.has(word.text);
  return (
    words.some((word) => begins(word) && !isCompound(word)) ||
    behind.some((word) => isOther(word) && !isCompound(word))
  );
}

/** The words of a phrase before those that introduce what is in the box. */
function withoutBox(phrase: readonly Token[]): readonly Token[] {
  const boxStart = phrase.findIndex(({ text }) => BOX_WORDS.has(text));
  return boxStart < 0 ? phrase : phrase.slice(0, boxStart);
}

const headNounOf = (phrase: readonly Token[], brands: ReadonlySet<string>): Token | undefined =>
  phrase.findLast(
    ({ text, kind }) =>
      kind === 'word' && text.length > 1 && !isModifier(text) && !DESCRIBING.has(text) && !brands.has(text),
  );

/** Whether only the listing is a bundle, and the head noun of the request is not in its first phrase, which says what is sold. */
export function isPartOfBundle({ query, profile, listing, brands }: CandidateListing): boolean {
  if (!profile.editions.has('bundle') || query.editions.has('bundle') || hasLongCode(query)) return false;
  const head = headNounOf(query.words, brands);
  const first = phrasesOf(listing.name).find((words) => words.length > 1) ?? [];
  return head !== undefined && !first.some(({ text }) => synonymsOf(head.text).has(text));
}

function rolesInPhrase(
  { nouns, names }: { nouns: ReadonlySet<string>; names: (noun: string) => boolean },
  phrase: readonly Token[],
  requested: ReadonlySet<string>,
  profile: Profile,
): HeadNounRole[] {
  const boxStart = phrase.findIndex(({ text }) => BOX_WORDS.has(text));
  return phrase.flatMap(({ text }, at): HeadNounRole[] => {
    const isPair = nouns.has(text + (phrase[at + 1]?.text ?? ''));
    const isNumbered = names(beforeNumber(text));
    if (!isPair && !isNumbered && !names(text)) return [];
    const after = at + (isPair ? 2 : 1);
    // A word that only describes is passed over: "mouse USB Type-A" is a mouse, and "mouse wireless charging pad" a pad.
    const next = phrase.slice(after).find((word) => !DESCRIBING.has(word.text));
    if (boxStart >= 0 && at > boxStart) return ['in the box'];
    if (
      isNumbered ||
      next?.kind !== 'word' ||
      boxStart === after ||
      isModifier(next.text) ||
      requested.has(next.text) ||
      isSameAccessory(text, next.text)
    )
      return ['sold'];
    return [isAccessoryIn(profile, next.text) ? 'of an accessory' : 'modifier'];
  });
}

/** Whether two nouns name one accessory, as in "ink cartridge". */
const isSameAccessory = (one: string, other: string): boolean =>
  ACCESSORIES.has(one) && ACCESSORIES.get(one) === ACCESSORIES.get(other);

/** The letters before a number in the same word, such as the noun of "RTX4070"; empty if there are none. */
const beforeNumber = (text: string): string => /^\p{L}+(?=\d)/u.exec(text)?.[0] ?? '';

/** Whether a noun names a product that goes with the one named before it: an accessory, or a lamp or a headset. */
export const goesWithProduct = (text: string): boolean => GOES_WITH.has(text) || ACCESSORIES.has(text);

/** Whether a noun names an accessory or another product that goes with one. "Case" does not in the name "Micro ATX case". */
const isAccessoryIn = ({ allAccessories }: Profile, text: string): boolean =>
  GOES_WITH.has(text) || allAccessories.has(ACCESSORIES.get(text) ?? '');

/** Whether a name continues with an accessory after at most one significant word: "PlayStation 5 Access Controller". */
export function endsInAccessory({ query, profile, listing }: CandidateListing): boolean {
  const requested = new Set(query.words.map(({ text }) => text));
  const phrase = phrasesOf(listing.name).find((words) => words.some(({ text }) => requested.has(text))) ?? [];
  const words = withoutBox(phrase);
  const behind = words.slice(words.findLastIndex(({ text }) => requested.has(text)) + 1);
  const significant = behind.filter(({ text }) => !isModifier(text) && !DESCRIPTIONS.has(text));
  const last = behind.at(-1);
  return (
    last !== undefined &&
    isAccessoryIn(profile, last.text) &&
    significant.includes(last) &&
    significant.length <= 2
  );
}

/** Whether a word of a name says nothing about the kind of product, such as a colour or a stop word. */
export const isModifier = (text: string): boolean =>
  [COLOURS, MARKETING_WORDS, NAME_STOP_WORDS, TIER_WORDS, VARIANTS].some((words) => words.has(text));

const IN_BRACKETS = /\[[^[\]]*\]|\([^()]*\)/g;
const BOX = new RegExp(`(?<=\\S\\s)(?:${[...BOX_WORDS].join('|')})\\s`);

/** The listing's name up to its first mark, or up to the words that introduce what is in the box. */
function firstPhrase(name: string): Profile {
  const folded = foldListingName(name);
  const plain = folded.replace(IN_BRACKETS, ',');
  const first = plain.split(PHRASE_END).find((part) => /[\p{L}\p{N}]/u.test(part)) ?? folded;
  const [before = ''] = first.split(BOX);
  return readProfile(asCandidate(before));
}

/**
 * If some names begin with the requested number, or it is that of a chip or a lens, leaves out the listings whose names begin
 * with another one and have it later: for "RTX 3060", laptops that contain such a card.
 */
export function namedByNumber<V extends { listing: StoredCandidate }>(
  { profile: { words: requested, measures, chips, parts } }: RequestedProduct,
  candidates: readonly V[],
  read: ProfileReader,
): readonly V[] {
  const numbers = requested.filter(({ kind }) => kind !== 'word');
  const namesPart = namesChip(chips) || parts.isKit;
  if (numbers.length === 0 || (measures.values.size > 0 && !parts.isKit)) return candidates;
  const phrases = candidates.map(({ listing }) => firstPhrase(listing.name));
  const hasAll = ({ forms }: Profile) => numbers.every(({ text }) => forms.has(text));
  if (!phrases.some(hasAll) && !namesPart) return candidates;
  const isAnother = (phrase: Profile, maker: readonly string[]) =>
    phrase.codes.size + phrase.numbers.size > 0 &&
    !requested.some(({ text }) => phrase.forms.has(text) && !(namesPart && maker.includes(text)));
  return candidates.filter(({ listing }, at) => !isAnother(phrases[at] as Profile, read(listing).maker));
}
