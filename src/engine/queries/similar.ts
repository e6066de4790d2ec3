import { attributePairs } from '../../listing/attributes.js';
import type { StoredListing } from '../../listing/listing.js';
import type { NameReading } from '../../schemas/reading.js';
import { foldValue } from '../../text/fold.js';
import { tokenize } from '../../text/tokenize.js';
import { UNIT_WORDS } from '../../text/units.js';
import { attributeFields, withAnyValue } from './filter-clauses.js';
import { ACCESSORY, isAccessory, kindsNamed } from './kinds-named.js';
import type { QueryClause, Selection } from './selection.js';
import { BY_RELEVANCE } from './sorts.js';
import { textSelections } from './text-selections.js';
import { SIMILAR_TUNING as tuning } from './tuning.js';

/** A listing to which others are similar, or with which they are compatible. */
export interface Original {
  listing: StoredListing;
  reading: NameReading;
}

/** What is known about an original that other listings may share. */
export interface Traits {
  /** The nouns and categories that say what the listing is, without its maker. */
  kinds: string[];
  attributes: { name: string; value: string }[];
}

const MAX = { codes: 60, attributes: 20, name: 300, text: 2_000, number: 3 };

/**
 * Matches quantities, resolutions and network generations, such as `550w`, `1l`, `2x`, `2.5`, `4k` and `5g`: they say how much
 * there is and not what fits. Widths in `mm` and voltages do say what fits, and `5975x` is a model.
 */
const QUANTITY = new RegExp(
  `^\\d{1,2}x$|^\\d+(?:\\.\\d+)?(?!mm$|v$)(?:${UNIT_WORDS}|fps|kb)$|^\\d+\\.\\d+$|^[2458]k$`,
);

/**
 * The codes in a text, such as models, chips, sockets and standards, and long numbers, in all forms in which shops write
 * them.
 */
export function codesIn(text: string): string[] {
  const codes = tokenize(foldValue(text.slice(0, MAX.text)))
    .filter(({ kind, text: word }) => kind !== 'word' && (kind !== 'number' || word.length >= MAX.number))
    .filter(({ text: word }) => !QUANTITY.test(word))
    .flatMap(({ text: word }) => formsOf(word));
  return [...new Set(codes)].slice(0, MAX.codes);
}

/** Reads what other listings may share with a listing. */
export function traitsOf({ listing, reading }: Original): Traits {
  const maker = new Set(foldValue(reading.maker ?? '').split(' '));
  const isOther = (kind: string) => kind !== '' && !kind.split(' ').every((word) => maker.has(word));
  // Broad categories say little about the kind, so only the narrowest one counts; some shops end with the maker.
  const level = [...listing.category_path, listing.category ?? ''].map(foldValue).findLast(isOther);
  const kinds = [...(listing.internal.kinds ?? []).filter(isOther), ...(level === undefined ? [] : [level])];
  return {
    kinds: [...new Set(kinds)],
    attributes: attributePairs(listing.metadata).slice(0, MAX.attributes),
  };
}

const boosted = (filter: QueryClause, boost: number): QueryClause => ({ constant_score: { filter, boost } });

/** Clauses for the listings of the same kind, by the nouns of their names and by their categories. */
const ofKinds = (kinds: readonly string[]): QueryClause[] =>
  kinds.flatMap((kind) => [
    { match: { 'internal.kinds': { query: kind, operator: 'and', boost: tuning.kind } } },
    { match: { 'internal.categories': { query: kind, operator: 'and', boost: tuning.category } } },
  ]);

const withText = (text: string, boost: number): QueryClause[] => [
  { match: { name: { query: text, operator: 'and', boost } } },
];

const withAttributes = (attributes: Traits['attributes'], boost: number): QueryClause[] =>
  attributes.flatMap(({ name, value }) =>
    attributeFields(name).flatMap(({ field }) => {
      const clause = withAnyValue(field, [value]);
      return clause === null ? [] : [boosted(clause, boost)];
    }),
  );

/** Prefers prices near that of a listing, in its currency. */
function nearPrice({ internal, currency }: StoredListing): QueryClause[] {
  const units = internal.price_units;
  if (units === null || currency === null) return [];
  return tuning.prices.map(({ from, to, boost }) =>
    boosted(
      {
        bool: {
          filter: [
            { term: { currency } },
            {
              range: {
                'internal.price_units': { gte: Math.floor(units * from), lte: Math.ceil(units * to) },
              },
            },
          ],
        },
      },
      boost,
    ),
  );
}

/** Excludes a listing, and the other offers of its product as far as they are linked or state the same GTIN or model. */
function otherProducts({ listing }: Original): QueryClause[] {
  const { id, internal } = listing;
  const { gtins, models, group_id: group } = internal;
  return [
    { term: { id } },
    ...(group === undefined ? [] : [{ term: { 'internal.group_id': group } }]),
    ...(gtins.length === 0 ? [] : [{ terms: { 'internal.gtins': gtins } }]),
    ...(models.length === 0 ? [] : [{ terms: { 'internal.models': models } }]),
  ];
}

/** The name without the words that say which product it is, so that those of other makers are as similar. */
function describingWords({ listing, reading }: Original): string {
  const { maker, line, model, variant } = reading;
  const naming = new Set([maker, line, model, variant].flatMap((text) => foldValue(text ?? '').split(' ')));
  return tokenize(foldValue(listing.name.slice(0, MAX.name)))
    .map(({ text }) => text)
    .filter((word) => !naming.has(word))
    .join(' ');
}

/**
 * Selects listings of the same kind as a listing, those first that share its sizes, its attributes and most of the words
 * that describe it, at a similar price.
 */
export function similarListings(original: Original, filter: QueryClause[]): Selection {
  const { listing, reading } = original;
  const { kinds, attributes } = traitsOf(original);
  const describing = describingWords(original);
  const isSimilar: QueryClause = { bool: { should: ofKinds(kinds), minimum_should_match: 1 } };
  const should: QueryClause[] = [
    ...(describing === '' ? [] : [{ match: { name: { query: describing, boost: tuning.name } } }]),
    ...reading.sizes.flatMap((one) => withText(one, tuning.size)),
    ...withAttributes(attributes, tuning.attribute),
    ...nearPrice(listing),
  ];
  const must_not = [...otherProducts(original), ...(kinds.some(isAccessory) ? [] : [ACCESSORY])];
  return { query: { bool: { must: [isSimilar], should, must_not, filter } }, sort: BY_RELEVANCE };
}

/** Abbreviations of kinds of parts, which shops use as well as the words. */
const ABBREVIATED: readonly (readonly [string, string])[] = [
  ['cpu', 'processor'],
  ['gpu', 'graphics card'],
  ['hdd', 'hard drive'],
  ['psu', 'power supply'],
  ['ram', 'memory'],
  ['tv', 'television'],
];

/** The other names of the kinds in a text. */
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
  const words = textSelections(text, { filter: [], match: 'any' }).typed.query;
  const { head } = kindsNamed(text);
  const kinds = [...head.map(({ kind }) => kind), ...otherNames(text)];
  const ofKind = [...head.map(({ query }) => query), ...ofKinds(kinds)];
  if (anyKind || ofKind.length === 0) return words;
  const should = [{ match: { name: { query: text, boost: tuning.asked } } }];
  return { bool: { filter: [{ bool: { should: ofKind } }], should } };
}

/** Prefixes of the codes of processor sockets, which shops also leave out: `sWRX8` is `WRX8`, `LGA1700` is `1700`. */
const SOCKET = /^(?:s|fclga|lga|pga)(?=[a-z]*\d+$)/;

/** The forms in which shops write a code. */
function formsOf(code: string): string[] {
  const bare = code.replace(SOCKET, '');
  return bare !== code && bare.length >= MAX.number ? [code, bare] : [code];
}

/**
 * Selects listings of other kinds that name the product of a listing, or share codes such as sockets and standards with it.
 * If a text says what is wanted, it suffices that they share an attribute, a size or a colour. Rare codes count most.
 * @param text words for what is wanted; empty for anything.
 */
export function compatibleListings(
  original: Original,
  { filter, text, anyKind = false }: { filter: QueryClause[]; text: string; anyKind?: boolean },
): Selection {
  const { listing, reading } = original;
  const { kinds, attributes } = traitsOf(original);
  const codes = codesIn(listing.name.slice(0, MAX.name));
  const named = [reading.line, reading.model].filter((part) => part !== null).join(' ');
  // A shared name or code shows that a listing fits. A shared attribute, size or colour may be a coincidence.
  const states: QueryClause[] = [
    ...(reading.model === null ? [] : withText(named, tuning.named)),
    ...codes.flatMap((code): QueryClause[] => [
      { match: { name: { query: code, boost: tuning.code } } },
      { match: { description: { query: code, boost: tuning.described } } },
    ]),
  ];
  const shares: QueryClause[] = [
    ...withAttributes(attributes, tuning.attribute),
    ...reading.sizes.flatMap((one) => withText(one, tuning.size)),
    ...(reading.colour?.split(', ') ?? []).flatMap((colour) => withText(colour, tuning.colour)),
  ];
  const anyOf = (clauses: QueryClause[]): QueryClause =>
    clauses.length === 0 ? { match_none: {} } : { bool: { should: clauses, minimum_should_match: 1 } };
  const wanted = text === '' ? [] : [listingsNamed(text, anyKind)];
  // Categories do not tell kinds apart here, because "Phone accessories" has the word for phones too.
  const sameKind =
    text === ''
      ? kinds.map((kind): QueryClause => ({ match: { 'internal.kinds': { query: kind, operator: 'and' } } }))
      : [];
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
