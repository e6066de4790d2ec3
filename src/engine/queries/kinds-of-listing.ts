import type { StoredListing } from '../../listing/listing.js';
import type { NameReading } from '../../schemas/reading.js';
import { foldValue } from '../../text/fold.js';
import { isAccessoryNoun } from '../../naming/kinds.js';
import { singular } from '../../text/singular.js';
import { DESCRIBING } from '../../text/vocabulary.js';
import type { QueryClause } from './selection.js';
import { SIMILAR_TUNING as tuning } from './tuning.js';

/** The listing for which similar or compatible listings are searched. */
export interface Original {
  listing: StoredListing;
  reading: NameReading;
}

/** The words of some texts, folded. */
export const wordsOf = (texts: readonly (string | null)[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => foldValue(text ?? '').split(' ')));

const isAmong = (words: ReadonlySet<string>, text: string): boolean =>
  text.split(' ').every((word) => words.has(word));

const levelsOf = ({ listing }: Original): string[] =>
  [...listing.category_path, listing.category ?? ''].map(foldValue);

/** Whether a category of the listing itself names a kind, such as `Monitors` the kind `monitor`. */
const isInOwnCategory = (original: Original, kind: string): boolean =>
  levelsOf(original).some((level) => {
    const words = wordsOf([level]);
    return isAmong(new Set([...words, ...[...words].map(singular)]), kind);
  });

/**
 * The nouns of the name and the category that may say what a listing is, and its narrowest category, without its maker.
 * Those that a category of the listing names are first, because a noun of the name may be another word.
 */
export function possibleKinds(original: Original): string[] {
  const { listing, reading } = original;
  const maker = wordsOf([reading.maker]);
  const isOther = (kind: string) => kind !== '' && !isAmong(maker, kind);
  // Broad categories say little about the kind, so only the narrowest one counts; some shops end with the maker.
  const narrowest = levelsOf(original).findLast(isOther);
  const found = [
    ...(listing.internal.kinds ?? []).filter(isOther),
    ...(narrowest === undefined ? [] : [narrowest]),
  ];
  const named = (kind: string) => Number(isInOwnCategory(original, kind));
  const kinds = [...new Set(found)].toSorted((a, b) => named(b) - named(a));
  const specific = kinds.filter((kind) => !isAmong(DESCRIBING, kind));
  return specific.length === 0 ? kinds : specific;
}

/** Whether the listing is certainly of a possible kind, whatever categories the catalogue has. */
export const isCertain = (original: Original, kind: string): boolean =>
  isAccessoryNoun(kind) || isInOwnCategory(original, kind);

/** For each possible kind, the number of listings in a category that it names. */
export const categoriesNaming = (kinds: readonly string[]) => ({
  named: { filters: { filters: Object.fromEntries(kinds.map((kind) => [kind, inCategory(kind)])) } },
});

/**
 * The nouns and the category that say what a listing is. The last noun of a name may also be a product line, such as
 * "Beetle", so a noun counts if it names an accessory or a category of the catalogue. If none does, each counts that is no
 * part of the product's own name.
 * @param hasCategory whether a category of the catalogue has a name.
 */
export function kindsOfListing(original: Original, hasCategory: (name: string) => boolean): string[] {
  const possible = possibleKinds(original);
  const known = possible.filter((kind) => isCertain(original, kind) || hasCategory(kind));
  if (known.length > 0) return known;
  const { line, model, variant, colour } = original.reading;
  const own = wordsOf([line, model, variant, colour]);
  const others = possible.filter((kind) => !isAmong(own, kind));
  return others.length === 0 ? possible : others;
}

export const ofNoun = (kind: string, boost = 1): QueryClause => ({
  match: { 'internal.kinds': { query: kind, operator: 'and', boost } },
});

export const inCategory = (kind: string, boost = 1): QueryClause => ({
  match: { 'internal.categories': { query: kind, operator: 'and', boost } },
});

/** Clauses for the listings of the same kind, by the nouns of their names and by their categories. */
export const ofKinds = (kinds: readonly string[]): QueryClause[] =>
  kinds.flatMap((kind) => [ofNoun(kind, tuning.kind), inCategory(kind, tuning.category)]);
