import { attributePairs } from '../../listing/attributes.js';
import type { StoredListing } from '../../listing/listing.js';
import { describesNoProduct } from '../../matching/attributes.js';
import type { NamedProduct } from '../../matching/compatibility.js';
import { foldValue } from '../../text/fold.js';
import { areOfAccessory } from '../../naming/kinds.js';
import { singular } from '../../text/singular.js';
import { tokenize } from '../../text/tokenize.js';
import { inOtherUnits } from '../../text/units.js';
import { withSameGtin } from './candidates.js';
import { fittingCodes } from './codes.js';
import { attributeFields, withAnyValue } from './filter-clauses.js';
import { ACCESSORY, kindsNamed } from './kinds-named.js';
import { inCategory, ofKinds, ofNoun, type Original, wordsOf } from './kinds-of-listing.js';
import type { QueryClause, Selection } from './selection.js';
import { BY_RELEVANCE } from './sorts.js';
import { parseQueryText } from './query-text.js';
import { textSelection } from './search.js';
import { SIMILAR_TUNING as tuning } from './tuning.js';

const MAX = { attributes: 20, name: 300 };

const singulars = (text: string): string[] => foldValue(text).split(' ').map(singular);

/** Matches values with which shops fill attributes that they do not know. */
const NO_VALUE = /^(?:n\/?a|none|null|no|unknown|other|not (?:specified|applicable)|[\p{P}\p{S}0]*)$/u;

/** The attributes that describe the product of a listing. */
export const productAttributes = ({ listing }: Original): { name: string; value: string }[] =>
  attributePairs(listing.metadata)
    .filter(({ name, value }) => !describesNoProduct(name) && !NO_VALUE.test(value))
    .slice(0, MAX.attributes);

const boosted = (filter: QueryClause, boost: number): QueryClause => ({ constant_score: { filter, boost } });

const withText = (text: string, boost: number): QueryClause[] => [
  { match: { name: { query: text, operator: 'and', boost } } },
];

/** Clauses for the listings with a size in their name, in all units in which shops write it: `36 cm` is `360mm` too. */
const withSize = (size: string, boost: number): QueryClause => ({
  dis_max: {
    queries: [size.replaceAll(' ', ''), ...inOtherUnits(size)].flatMap((one) => withText(one, boost)),
  },
});

const withAttributes = (original: Original, boost: number): QueryClause[] =>
  productAttributes(original).flatMap(({ name, value }) =>
    attributeFields(name)
      .flatMap(({ field }) => withAnyValue(field, [value]))
      .map((clause) => boosted(clause, boost)),
  );

/** Prefers prices near that of a listing, in its currency. */
function nearPrice({ internal, currency }: StoredListing): QueryClause[] {
  const units = internal.price_units;
  if (units === null || currency === null) return [];
  return tuning.prices.map(({ from, to, boost }) => {
    const range = { 'internal.price_units': { gte: Math.floor(units * from), lte: Math.ceil(units * to) } };
    return boosted({ bool: { filter: [{ term: { currency } }, { range }] } }, boost);
  });
}

/** Excludes a listing, and the other offers of its product as far as they are linked or state the same GTIN or model. */
function otherProducts({ listing }: Original): QueryClause[] {
  const { id, internal } = listing;
  const { models, group_id: group } = internal;
  return [
    { term: { id } },
    ...(group === undefined ? [] : [{ term: { 'internal.group_id': group } }]),
    ...withSameGtin(listing),
    ...(models.length === 0 ? [] : [{ terms: { 'internal.models': models } }]),
  ];
}

/** The name of a listing without maker, line and model, so that names of other makers are as similar as those of the same one. */
function describingWords({ listing, reading }: Original): string {
  const { maker, line, model, variant } = reading;
  const naming = wordsOf([maker, line, model, variant]);
  return tokenize(foldValue(listing.name.slice(0, MAX.name)))
    .map(({ text }) => text)
    .filter((word) => !naming.has(word))
    .join(' ');
}

/**
 * Selects listings of the same kind as a listing, those first that share its sizes, its attributes and most of the words
 * that describe it, at a similar price.
 */
export function similarListings(
  original: Original,
  { kinds, filter }: { kinds: readonly string[]; filter: QueryClause[] },
): Selection {
  const { listing, reading } = original;
  const describing = describingWords(original);
  const isSimilar: QueryClause = { bool: { should: ofKinds(kinds), minimum_should_match: 1 } };
  const should: QueryClause[] = [
    ...(describing === '' ? [] : [{ match: { name: { query: describing, boost: tuning.name } } }]),
    ...reading.sizes.map((one) => withSize(one, tuning.size)),
    ...withAttributes(original, tuning.attribute),
    ...nearPrice(listing),
  ];
  const must_not = [...otherProducts(original), ...(areOfAccessory(kinds) ? [] : [ACCESSORY])];
  return { query: { bool: { must: [isSimilar], should, must_not, filter } }, sort: BY_RELEVANCE };
}

/** Abbreviations of computer parts, each with the words that shops use for the same part. */
const ABBREVIATED: readonly (readonly [string, string])[] = [
  ['cpu', 'processor'],
  ['gpu', 'graphics card'],
  ['hdd', 'hard drive'],
  ['psu', 'power supply'],
  ['ram', 'memory'],
  ['tv', 'television'],
];

/** For computer parts that a text names by an abbreviation, the full words, and for full words, the abbreviations. */
function otherNames(text: string): string[] {
  const folded = foldValue(text);
  const isNamed = (name: string) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${name}s?(?![\\p{L}\\p{N}])`, 'u').test(folded);
  return ABBREVIATED.flatMap(([short, long]) => [
    ...(isNamed(short) ? [long] : []),
    ...(isNamed(long) ? [short] : []),
  ]);
}

/**
 * Listings that a text asks for: those of the kind that it names, by their names or categories; those first that have
 * more of its words.
 * @param anyKind whether listings with any of its words are meant, because the catalogue has none of the kind.
 */
function listingsNamed(text: string, anyKind: boolean): QueryClause {
  const words = textSelection(parseQueryText(text), { filter: [] }).query;
  const head = kindsNamed(text)?.head;
  const kinds = [head?.kind ?? [], ...otherNames(text)].flat();
  const ofKind = [head?.query ?? [], ...ofKinds(kinds)].flat();
  if (anyKind || ofKind.length === 0) return words;
  const should = [{ match: { name: { query: text, boost: tuning.query } } }];
  return { bool: { filter: [{ bool: { should: ofKind } }], should } };
}

/**
 * Selects listings of other kinds that name the product of a listing, or share codes such as sockets and standards with it.
 * If a text says what is wanted, it suffices that they share an attribute, a size or a colour, and it may name the same
 * kind. The fewer listings have a code, the more it counts.
 * @param text words for what is wanted; empty for anything.
 * @param product the product that the name of the listing states.
 */
export function compatibleListings(
  original: Original,
  {
    kinds,
    filter,
    text,
    product,
    anyKind = false,
  }: {
    kinds: readonly string[];
    filter: QueryClause[];
    text: string;
    product: NamedProduct | null;
    anyKind?: boolean;
  },
): Selection {
  const { listing, reading } = original;
  // A shared name or code shows that a listing fits. A shared attribute, size or colour may be a coincidence.
  const states: QueryClause[] = [
    ...(product === null
      ? []
      : [product.words.join(' '), product.words.join('')].flatMap((name) => withText(name, tuning.named))),
    ...fittingCodes(listing.name, product).flatMap((code): QueryClause[] => [
      { match: { name: { query: code, operator: 'and', boost: tuning.code } } },
      { match: { description: { query: code, operator: 'and', boost: tuning.described } } },
    ]),
  ];
  const shares: QueryClause[] = [
    ...withAttributes(original, tuning.attribute),
    ...reading.sizes.map((one) => withSize(one, tuning.size)),
    ...(reading.colour?.split(', ') ?? []).flatMap((colour) => withText(colour, tuning.colour)),
  ];
  const anyOf = (clauses: QueryClause[]): QueryClause =>
    clauses.length === 0 ? { match_none: {} } : { bool: { should: clauses, minimum_should_match: 1 } };
  const wanted = text === '' ? [] : [listingsNamed(text, anyKind)];
  // "Phone accessories" has the word for phones too, so an accessory is of another kind, whatever its category.
  const isPart: QueryClause[] = [ACCESSORY, inCategory('accessories')];
  const requested = singulars(text);
  const sameKind = kinds.some((kind) => singulars(kind).every((word) => requested.includes(word)))
    ? []
    : kinds.flatMap((kind) => [ofNoun(kind), { bool: { must: [inCategory(kind)], must_not: isPart } }]);
  return {
    query: {
      bool: {
        must: [...wanted, anyOf(text === '' ? states : [...states, ...shares])],
        should: text === '' ? shares : [],
        must_not: [...otherProducts(original), ...sameKind],
        filter,
      },
    },
    sort: BY_RELEVANCE,
  };
}
