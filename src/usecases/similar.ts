import { getStoredListing } from '../engine/documents.js';
import { filterClauses, type Filters } from '../engine/queries/filters.js';
import type { Selection } from '../engine/queries/selection.js';
import {
  codesIn,
  compatibleListings,
  type Original,
  similarListings,
  traitsOf,
} from '../engine/queries/similar.js';
import { searchStoredListings } from '../engine/search-listings.js';
import { includedFields, includedIn } from '../listing/included.js';
import type { StoredListing } from '../listing/listing.js';
import { toProduct } from '../listing/product.js';
import { readName } from '../matching/reading.js';
import { notFound } from '../platform/errors.js';
import type { Include } from '../schemas/include.js';
import { PRODUCT_FIELDS } from '../schemas/product.js';
import { foldValue } from '../text/fold.js';
import { tokenize } from '../text/tokenize.js';
import type { Context } from './context.js';
import { checkFilters, checkInclude, checkOffset, pageFrame } from './shared/list-requests.js';
import { isPossibleId } from './shared/product-ids.js';

export type SimilarQuery = Filters & {
  sort?: 'similarity' | 'price_asc';
  include?: Include;
  limit?: number;
  offset?: number;
};

export type CompatibleQuery = Filters & { q?: string; include?: Include; limit?: number; offset?: number };

/**
 * The number of similar listings that are compared with the original, because Elasticsearch cannot tell other offers of the
 * same product, which npm run link did not link, from other products.
 */
const COMPARED = 80;

/**
 * Returns a page of listings that can replace a listing: of the same kind, with similar sizes, attributes and price. All
 * pages together contain the most similar listings only, at most `COMPARED`.
 * @throws ApiError 404 if no listing has the id, and 400 if the offset is too large.
 */
export async function listSimilar(context: Context, id: number, query: SimilarQuery) {
  const { es, products, config, rates, now } = context;
  const { include, limit = 20, offset = 0, sort } = query;
  const original = await readOriginal(context, id, query);
  const selection = similarListings(original, filterClauses(query, now()));
  const request = { _source: { includes: [...PRODUCT_FIELDS, ...INTERNALS, ...includedFields(include)] } };
  const slice = { limit: COMPARED, offset: 0 };
  const { listings } = await searchStoredListings(es, products, selection, slice, request);
  const others = listings.map(originalOf).filter((other) => !isSameProduct(original, other));
  const ordered = sort === 'price_asc' ? cheapestFirst(original, others) : others;
  const items = ordered
    .slice(offset, offset + limit)
    .map((other) => ({
      ...toProduct(other.listing, config),
      ...includedIn(other.listing, include, rates),
      reasons: similarityReasons(original, other),
    }));
  const frame = pageFrame({ total: ordered.length, items: items.length }, { limit, offset });
  return { body: { ...frame, items }, event: { results: ordered.length } };
}

/** The internal fields of a listing that reading its name and comparing it need. */
const INTERNALS = ['gtins', 'models', 'maker', 'kinds', 'price_units'].map((name) => `internal.${name}`);

const wordsOf = (name: string): string =>
  tokenize(foldValue(name))
    .map(({ text }) => text)
    .join(' ');

/** Whether two names have the same words, or tell nothing apart that would make them two products. */
function isSameProduct(one: Original, other: Original): boolean {
  if (wordsOf(one.listing.name) === wordsOf(other.listing.name)) return true;
  const [a, b] = [one.reading, other.reading];
  const parts = ['maker', 'line', 'model', 'variant', 'colour', 'edition', 'count'] as const;
  const isEqual = (value: unknown, otherValue: unknown) =>
    String(value ?? '').toLowerCase() === String(otherValue ?? '').toLowerCase();
  return (
    a.model !== null && parts.every((part) => isEqual(a[part], b[part])) && isEqual(a.sizes[0], b.sizes[0])
  );
}

/** The number of the most similar listings that are sorted by price. The others have less in common with the original. */
const SORTED = 30;

/**
 * Sorts similar listings by price in the currency of the original, those that lack the first size of its name last, and
 * those without a comparable price behind all others.
 */
function cheapestFirst({ listing, reading }: Original, similar: readonly Original[]): Original[] {
  const others = similar.slice(0, SORTED);
  const [size] = reading.sizes;
  const keys = others.map((other) => {
    const { currency, internal } = other.listing;
    const lacksSize = size !== undefined && !other.reading.sizes.includes(size);
    const price = currency === listing.currency ? internal.price_units : null;
    return { other, lacksSize, price: price ?? Infinity };
  });
  return keys
    .toSorted(
      (a, b) =>
        Number(a.lacksSize) - Number(b.lacksSize) ||
        (a.price === b.price ? a.other.listing.id - b.other.listing.id : a.price - b.price),
    )
    .map(({ other }) => other);
}

/**
 * Returns a page of listings that fit a listing, as names and attributes say.
 * @throws ApiError 404 if no listing has the id, and 400 if the offset is too large.
 */
export async function listCompatible(context: Context, id: number, query: CompatibleQuery) {
  const { q = '' } = query;
  const original = await readOriginal(context, id, query);
  const filter = filterClauses(query, context.now());
  const text = q.trim();
  const reasonsOf = (other: Original) => compatibilityReasons(original, other);
  const ofKind = await answer(context, query, compatibleListings(original, { filter, text }), reasonsOf);
  if (ofKind.body.total > 0 || text === '') return ofKind;
  return answer(context, query, compatibleListings(original, { filter, text, anyKind: true }), reasonsOf);
}

async function readOriginal(context: Context, id: number, query: SimilarQuery | CompatibleQuery) {
  checkOffset(query.offset ?? 0);
  await checkFilters(context, query);
  await checkInclude(context, query.include);
  const listing = isPossibleId(id) ? await getStoredListing(context.es, context.products, id) : null;
  if (listing === null) throw notFound('Product not found');
  return originalOf(listing);
}

const originalOf = (listing: StoredListing): Original => ({
  listing,
  reading: readName({ ...listing, comparablePrice: null }),
});

async function answer(
  { es, products, config, rates }: Context,
  { include, limit = 20, offset = 0 }: SimilarQuery | CompatibleQuery,
  selection: Selection,
  reasonsOf: (other: Original) => string[],
) {
  const slice = { limit, offset };
  const { total, listings } = await searchStoredListings(es, products, selection, slice);
  const items = listings.map((listing) => ({
    ...toProduct(listing, config),
    ...includedIn(listing, include, rates),
    reasons: reasonsOf(originalOf(listing)),
  }));
  return { body: { ...pageFrame({ total, items: items.length }, slice), items }, event: { results: total } };
}

const shared = (a: readonly string[], b: readonly string[]): string[] => a.filter((one) => b.includes(one));

const MAX_REASONS = { codes: 6, attributes: 5 };

/** What two listings have in common, and what differs, as far as it matters for a replacement. */
function similarityReasons(original: Original, other: Original): string[] {
  const [traits, others] = [traitsOf(original), traitsOf(other)];
  const [kind] = shared(traits.kinds, others.kinds);
  const makers = [original.reading.maker, other.reading.maker];
  const [maker, otherMaker] = makers.map((one) => one?.toLowerCase() ?? null);
  return [
    ...(kind === undefined ? [] : [`same kind: ${kind}`]),
    ...sameSizes(original, other),
    ...sameAttributes(original, other),
    ...priceReason(original.listing, other.listing),
    ...(otherMaker === null || maker === null
      ? []
      : [maker === otherMaker ? `same maker: ${makers[1]}` : `other maker: ${makers[1]}`]),
  ];
}

/** What the names and attributes of two listings say about whether one fits the other. */
function compatibilityReasons(original: Original, other: Original): string[] {
  const { reading, listing } = original;
  const named = [reading.line, reading.model].filter((part) => part !== null).join(' ');
  const targets = other.reading.compatible_with.filter(
    (target) => reading.model !== null && target.includes(reading.model),
  );
  const text = `${other.listing.name} ${other.listing.description ?? ''}`;
  const codes = shared(codesIn(original.listing.name), codesIn(text));
  const colours = shared(reading.colour?.split(', ') ?? [], other.reading.colour?.split(', ') ?? []);
  return [
    ...(targets.length === 0 || named === '' ? [] : [`made for: ${targets.join(', ')}`]),
    ...(codes.length === 0 ? [] : [`both state: ${codes.slice(0, MAX_REASONS.codes).join(', ')}`]),
    ...sameAttributes({ ...original, listing }, other),
    ...sameSizes(original, other),
    ...(colours.length === 0 ? [] : [`same colour: ${colours.join(', ')}`]),
  ];
}

function sameSizes(a: Original, b: Original): string[] {
  const sizes = shared(a.reading.sizes, b.reading.sizes);
  return sizes.length === 0 ? [] : [`same size: ${sizes.join(', ')}`];
}

function sameAttributes(a: Original, b: Original): string[] {
  const others = traitsOf(b).attributes;
  return traitsOf(a)
    .attributes.filter((one) => others.some(({ name, value }) => name === one.name && value === one.value))
    .slice(0, MAX_REASONS.attributes)
    .map(({ name, value }) => `same ${name}: ${value}`);
}

/** How the price of a listing compares with that of another one in the same currency. */
function priceReason(a: StoredListing, b: StoredListing): string[] {
  const [units, others] = [a.internal.price_units, b.internal.price_units];
  if (units === null || others === null || units === 0 || a.currency !== b.currency) return [];
  const percent = Math.round((others / units - 1) * 100);
  return [
    percent === 0 ? 'about the same price' : `${Math.abs(percent)} % ${percent < 0 ? 'cheaper' : 'dearer'}`,
  ];
}
