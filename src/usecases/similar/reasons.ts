import { fittingCodes, statesCode } from '../../engine/queries/codes.js';
import type { Original } from '../../engine/queries/kinds-of-listing.js';
import { productAttributes } from '../../engine/queries/similar.js';
import type { StoredListing } from '../../listing/listing.js';
import { haveOtherTiers, type NamedProduct, statesProduct } from '../../matching/compatibility.js';
import { foldValue } from '../../text/fold.js';
import { singular } from '../../text/singular.js';
import { tokenize } from '../../text/tokenize.js';
import { FILLERS, MARKETING_WORDS, NAME_STOP_WORDS, PREPOSITIONS } from '../../text/vocabulary.js';

const MAX = { codes: 6, attributes: 5, words: 4, name: 300, described: 5_000 };

/** What two listings have in common, and in what they differ, as far as it matters for a replacement. The list is never empty. */
export function similarityReasons(original: Original, other: Original, kinds: readonly string[]): string[] {
  const makers = [original.reading.maker, other.reading.maker];
  const [maker, otherMaker] = makers.map((one) => one?.toLowerCase() ?? null);
  const inCommon = [...sameKind(kinds, other.listing), ...sameProperties(original, other)];
  return [
    ...(inCommon.length > 0 ? inCommon : sameWords(original, other)),
    ...priceReason(original.listing, other.listing),
    ...(otherMaker === null || maker === null
      ? []
      : [maker === otherMaker ? `same maker: ${makers[1]}` : `other maker: ${makers[1]}`]),
  ];
}

/**
 * What names and attributes say about whether one listing fits another. Null if they say nothing, or if it is for something else.
 * @param product the product that the name of the original states.
 * @param isAskedFor whether a text says what is wanted. Then a shared attribute, size or colour suffices.
 */
export function compatibilityReasons(
  original: Original,
  other: Original,
  product: NamedProduct | null,
  isAskedFor: boolean,
): string[] | null {
  const { reading, listing } = original;
  const stated = product === null ? 'unstated' : statesProduct(product, other);
  const text = `${other.listing.name} ${other.listing.description ?? ''}`;
  const codes = fittingCodes(listing.name, product).filter(
    (code) => statesCode(text, code) && !haveOtherTiers(code, listing.name, other.listing.name),
  );
  const targets = other.reading.compatible_with;
  const isUnsaid = stated === 'unstated' && codes.length === 0;
  if (stated === 'other' || (isUnsaid && (!isAskedFor || targets.length > 0))) return null;
  const named = product?.words ?? [];
  const ofProduct = targets.filter((target) => named.every((word) => wordsIn(target).includes(word)));
  const colours = shared(reading.colour?.split(', ') ?? [], other.reading.colour?.split(', ') ?? []);
  const reasons = [
    ...(stated !== 'fits'
      ? []
      : ofProduct.length > 0
        ? [`made for: ${ofProduct.join(', ')}`]
        : [`its name has: ${[...named, product?.tiers].filter(Boolean).join(' ')}`]),
    ...(codes.length === 0 ? [] : [`both state: ${codes.slice(0, MAX.codes).join(', ')}`]),
    ...sameProperties(original, other),
  ];
  const isStated = reasons.some((reason) => /^same colou?r:/.test(reason));
  const found =
    colours.length === 0 || isStated ? reasons : [...reasons, `same colour: ${colours.join(', ')}`];
  return found.length > 0 ? found : sameWords(original, other);
}

const shared = (a: readonly string[], b: readonly string[]): string[] => a.filter((one) => b.includes(one));

const wordsIn = (text: string, max = MAX.name): string[] =>
  tokenize(foldValue(text.slice(0, max))).map(({ text: word }) => singular(word));

/** The letters and digits of a text, so that `1.2 kg` is `1.2kg`. */
const compact = (text: string): string => foldValue(text).replaceAll(/[^\p{L}\p{N}]/gu, '');

function sameKind(kinds: readonly string[], { internal, category_path: path, category }: StoredListing) {
  const texts = [...(internal.kinds ?? []), ...path, category ?? ''].map((text) => wordsIn(text));
  const isShared = (kind: string) =>
    texts.some((words) => wordsIn(kind).every((word) => words.includes(word)));
  const found = kinds.find(isShared);
  return found === undefined ? [] : [`same kind: ${found}`];
}

function sameProperties(a: Original, b: Original): string[] {
  const others = productAttributes(b);
  const attributes = productAttributes(a).filter((one) =>
    others.some(({ name, value }) => name === one.name && value === one.value),
  );
  const stated = attributes.map(({ value }) => compact(value));
  const measures = shared(a.reading.sizes, b.reading.sizes).filter((measure) => {
    const written = [measure, measure.split(' ').toReversed().join(' ')].map(compact);
    return !stated.some((value) => written.some((one) => value.includes(one)));
  });
  return [
    ...(measures.length === 0 ? [] : [`both have: ${measures.join(', ')}`]),
    ...attributes.slice(0, MAX.attributes).map(({ name, value }) => `same ${name}: ${value}`),
  ];
}

const SAYS_NOTHING = [FILLERS, MARKETING_WORDS, NAME_STOP_WORDS, PREPOSITIONS];

function sameWords(a: Original, b: Original): string[] {
  const described = wordsIn(`${b.listing.name} ${b.listing.description ?? ''}`, MAX.described);
  const words = shared(wordsIn(a.listing.name), described).filter(
    (word) => word.length > 1 && !SAYS_NOTHING.some((list) => list.has(word)),
  );
  return [
    words.length === 0
      ? 'similar text'
      : `both mention: ${[...new Set(words)].slice(0, MAX.words).join(', ')}`,
  ];
}

function priceReason(a: StoredListing, b: StoredListing): string[] {
  const [units, others] = [a.internal.price_units, b.internal.price_units];
  if (units === null || others === null || units === 0 || a.currency !== b.currency) return [];
  const percent = Math.round((others / units - 1) * 100);
  return [
    percent === 0 ? 'about the same price' : `${Math.abs(percent)} % ${percent < 0 ? 'cheaper' : 'dearer'}`,
  ];
}
