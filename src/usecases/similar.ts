import { checkPriceLimits } from '../engine/queries/filter-clauses.js';
import type { Filters } from '../engine/queries/filters.js';
import { filterClauses } from '../engine/queries/refinements.js';
import {
  categoriesNaming,
  isCertain,
  kindsOfListing,
  type Original,
  possibleKinds,
} from '../engine/queries/kinds-of-listing.js';
import type { Selection } from '../engine/queries/selection.js';
import { compatibleListings, similarListings } from '../engine/queries/similar.js';
import { countMatches, searchStoredListings } from '../engine/search-listings.js';
import { includedFields, productWith } from '../products/included.js';
import type { StoredListing } from '../listing/listing.js';
import { productNamed } from '../matching/compatibility.js';
import { readName } from '../matching/reading.js';
import { mapInSlices } from '../platform/slices.js';
import type { Include, PageQuery } from '../schemas/include.js';
import { PRODUCT_FIELDS } from '../schemas/product.js';
import type { NameReading } from '../schemas/reading.js';
import { foldValue } from '../text/fold.js';
import { tokenize } from '../text/tokenize.js';
import type { Context } from './context.js';
import { checkFilters, checkInclude, checkOffset, pageFrame } from '../products/list-requests.js';
import { knownListing } from '../products/product-ids.js';
import { compatibilityReasons, similarityReasons } from './similar/reasons.js';

type SimilarQuery = Filters & PageQuery & { sort?: 'similarity' | 'price_asc' };

type CompatibleQuery = Filters & PageQuery & { q?: string };

/** The number of similar listings that are read. Unlinked offers of the same product are then removed from them. */
const COMPARED = 80;

const MAX_FITTING = 200;

/**
 * Returns a page of listings that can replace a listing: of the same kind, with similar sizes, attributes and price, at most
 * `COMPARED` in all. @throws ApiError 404 if no listing has the id, and 400 if the offset is too large.
 */
export async function listSimilar(context: Context, id: number, query: SimilarQuery) {
  const { rates, now } = context;
  const { include, sort } = query;
  const original = await readOriginal(context, id, query);
  const kinds = await readKinds(context, original);
  const selection = similarListings(original, { kinds, filter: filterClauses(query, now(), rates) });
  const found = await readOthers(context, selection, COMPARED, include);
  const others = found.filter((other) => !isSameProduct(original, other));
  const ordered = sort === 'price_asc' ? cheapestFirst(original, others) : others;
  return answer(context, query, ordered, (other) => similarityReasons(original, other, kinds));
}

const INTERNALS = ['gtins', 'models', 'maker', 'kinds', 'accessory', 'price_units'].map(
  (name) => `internal.${name}`,
);

const wordsOf = (name: string): string =>
  tokenize(foldValue(name))
    .map(({ text }) => text)
    .join(' ');

function isSameProduct(one: Original, other: Original): boolean {
  if (wordsOf(one.listing.name) === wordsOf(other.listing.name)) return true;
  const [a, b] = [one.reading, other.reading];
  return a.model !== null && identityOf(a) === identityOf(b);
}

/** All blanks are removed, because some shops write a model such as `CIC 3803` as one word. */
function identityOf({ maker, line, model, variant, colour, edition, count, sizes }: NameReading): string {
  const name = foldValue([line, model, variant].join('')).replaceAll(/[^\p{L}\p{N}]/gu, '');
  return [foldValue(maker ?? ''), name, colour, edition, count, sizes[0]].join('|');
}

/** The number of the most similar listings that are sorted by price. The others have less in common with the original. */
const SORTED = 30;

/** Sorts listings: first those with the first size in the name of the original, then by price; without a comparable one last. */
function cheapestFirst({ listing, reading }: Original, similar: readonly Original[]): Original[] {
  const [size] = reading.sizes;
  const lacksSize = (other: Original) => Number(size !== undefined && !other.reading.sizes.includes(size));
  const priceOf = ({ listing: { currency, internal } }: Original) =>
    (currency === listing.currency ? internal.price_units : null) ?? Infinity;
  const byPrice = (a: Original, b: Original) =>
    priceOf(a) === priceOf(b) ? a.listing.id - b.listing.id : priceOf(a) - priceOf(b);
  return similar.slice(0, SORTED).sort((a, b) => lacksSize(a) - lacksSize(b) || byPrice(a, b));
}

/**
 * Returns a page of listings that fit a listing, among the best `MAX_FITTING` that Elasticsearch finds: it cannot tell the
 * accessories of similar products apart. @throws ApiError 404 if no listing has the id, and 400 if the offset is too large.
 */
export async function listCompatible(context: Context, id: number, query: CompatibleQuery) {
  const { q = '', include } = query;
  const { rates, now } = context;
  const original = await readOriginal(context, id, query);
  const text = q.trim();
  const kinds = await readKinds(context, original);
  const product = productNamed(original);
  const request = { kinds, filter: filterClauses(query, now(), rates), text, product };
  const find = async (anyKind: boolean) => {
    const selection = compatibleListings(original, { ...request, anyKind });
    const others = await readOthers(context, selection, MAX_FITTING, include);
    return others.flatMap((other) => {
      const reasons = compatibilityReasons(original, other, product, text !== '');
      return reasons === null ? [] : [{ listing: other.listing, reasons }];
    });
  };
  const ofKind = await find(false);
  const found = ofKind.length > 0 || text === '' ? ofKind : await find(true);
  return answer(context, query, found, ({ reasons }) => reasons);
}

async function answer<T extends { listing: StoredListing }>(
  context: Context,
  { include, limit = 20, offset = 0 }: SimilarQuery | CompatibleQuery,
  found: readonly T[],
  reasonsOf: (one: T) => string[],
) {
  const items = await mapInSlices(found.slice(offset, offset + limit), (one) => ({
    ...productWith(include, one.listing, context),
    reasons: reasonsOf(one),
  }));
  const frame = pageFrame({ total: found.length, items: items.length }, { limit, offset });
  return { body: { ...frame, items }, event: { results: found.length } };
}

async function readOthers(
  { es, products }: Context,
  selection: Selection,
  limit: number,
  include: Include | undefined,
): Promise<Original[]> {
  const request = { _source: { includes: [...PRODUCT_FIELDS, ...INTERNALS, ...includedFields(include)] } };
  const { listings } = await searchStoredListings(es, products, selection, { limit, offset: 0 }, request);
  return mapInSlices(listings, originalOf);
}

async function readOriginal(context: Context, id: number, query: SimilarQuery | CompatibleQuery) {
  checkOffset(query.offset ?? 0);
  checkPriceLimits(query);
  await checkFilters(context, query);
  await checkInclude(context, query.include);
  return originalOf(await knownListing(context, id));
}

/** Reads what kind of thing a listing is. If the name leaves this open, the categories of the catalogue decide. */
async function readKinds({ es, products }: Context, original: Original): Promise<string[]> {
  const possible = possibleKinds(original);
  const uncertain = possible.filter((kind) => !isCertain(original, kind));
  if (possible.length < 2 || uncertain.length === 0) return possible;
  const everything = { query: { match_all: {} } };
  const counted = await countMatches(es, { index: products }, everything, categoriesNaming(uncertain));
  const { buckets } = counted?.['named'] as { buckets: Record<string, { doc_count: number }> };
  return kindsOfListing(original, (kind) => (buckets[kind]?.doc_count ?? 0) > 0);
}

const originalOf = (listing: StoredListing): Original => ({
  listing,
  reading: readName({ ...listing, comparablePrice: null }),
});
