import { claimMembers } from '../../../listing/claim.js';
import { conditionMember } from '../../../listing/condition.js';
import { CLAIMS_SCHEMA } from '../../../listing/schema-versions.js';
import type { StoredListing } from '../../../listing/listing.js';
import { isInStoreGtin } from '../../../listing/gtin.js';
import { isWithin, toMinorUnits, toUnits } from '../../../listing/price.js';
import { type LinkSettings, toProduct } from '../../../listing/product.js';
import { foldValue, plainApostrophes } from '../../../text/fold.js';
import type { CatalogueProduct, ResolvedProduct } from '../../../usecases/catalogue-products.js';

export interface ProductDisplay {
  links: LinkSettings;
  /** The schema version of the index. Earlier schemas lack the reductions of prices. */
  schema: number;
  maxDescription: number;
}

/** Filters of a request. Prices are in minor units of `currency`. */
export interface UcpFilters {
  categories?: readonly string[] | undefined;
  price?: { min?: number; max?: number } | undefined;
  currency?: string | undefined;
}

type Correlation = ResolvedProduct['inputs'];

/** Builds a product as the Universal Commerce Protocol defines it. Members that are not known are absent. */
export function toUcpProduct(product: CatalogueProduct, display: ProductDisplay, inputs?: Correlation) {
  const [featured] = product.listings;
  if (featured === undefined) throw new Error('a product has a listing');
  return {
    ...describedAs(featured, display),
    id: product.id,
    price_range: rangeOf(product, priceOfListing(featured)),
    variants: product.listings.map((listing) => toVariant(listing, display, inputs)),
  };
}

/** The price range of all offers. If it is unknown, both limits are the price of the featured listing. */
function rangeOf({ group }: CatalogueProduct, price: Price) {
  const { min_price: min = null, max_price: max = null, currency = null } = group ?? {};
  if (min === null || max === null || currency === null) return { min: price, max: price };
  return { min: priceOf(min, currency), max: priceOf(max, currency) };
}

interface Price {
  amount: number;
  currency: string;
}

const priceOf = (price: string, currency: string): Price => ({
  amount: toMinorUnits(price, currency),
  currency,
});

const priceOfListing = ({ price, currency }: StoredListing): Price => priceOf(price ?? '0', currency ?? '');

/** The members that a product and its variants share. */
function describedAs(listing: StoredListing, { links, maxDescription }: ProductDisplay) {
  const { name, image_url, rating } = listing;
  const url = uriOf(toProduct(listing, links).affiliate_url);
  const image = uriOf(image_url);
  const category = categoryOf(listing);
  return {
    title: name,
    description: { plain: textOf(listing).slice(0, maxDescription) },
    ...(url !== null && { url }),
    ...(category !== null && { categories: [{ value: category, taxonomy: 'merchant' }] }),
    ...(image !== null && { media: [{ type: 'image', url: image, alt_text: name }] }),
    ...(rating !== null && { rating: { value: Number(rating), scale_min: 0, scale_max: 5 } }),
  };
}

function toVariant(listing: StoredListing, display: ProductDisplay, inputs?: Correlation) {
  const { id, sku, source, is_available: available, merchant_id, internal, currency } = listing;
  const list = display.schema >= CLAIMS_SCHEMA ? listPrice(listing, listing.price ?? '0') : null;
  const gtins = internal.gtins.filter((gtin) => !isInStoreGtin(gtin));
  return {
    id: `l_${id}`,
    sku,
    ...(gtins.length > 0 && { barcodes: gtins.map((value) => ({ type: 'GTIN', value })) }),
    ...describedAs(listing, display),
    price: priceOfListing(listing),
    ...(list !== null && { list_price: priceOf(list, currency ?? '') }),
    ...(available !== null && {
      availability: { available, status: available ? 'in_stock' : 'out_of_stock' },
    }),
    // The protocol has no member for the condition, so it is in `metadata`, which is for further data of the business.
    metadata: { condition: conditionMember(internal).condition.value },
    seller: { name: merchant_id === null ? source : `${merchant_id} (${source})` },
    ...(inputs !== undefined && { inputs: inputs.get(id) ?? [] }),
  };
}

/** Escapes what RFC 3986 does not allow in a URL, because feeds and the URL parser leave some of it as it is. */
function uriOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { origin, pathname, search, hash } = new URL(url);
  const escaped = [pathname, search, hash].map((part) =>
    part
      .replaceAll(/[^\w\-.~:/?#@!$&'()*+,;=%]|(?<=.)#/g, encodeURIComponent)
      .replaceAll(/%(?![\da-f]{2})/gi, '%25'),
  );
  return origin + escaped.join('');
}

const textOf = ({ description, name }: StoredListing): string =>
  description === null || description.trim() === '' ? name : description;

/** The lowest price of the 30 days before an observed reduction. The list price that a shop states is not used. */
function listPrice(listing: StoredListing, price: string): string | null {
  const { reference_30d: reference } = claimMembers(listing, listing.internal.claim);
  return reference !== null && toUnits(reference.price) > toUnits(price) ? reference.price : null;
}

function categoryOf({ category, category_path }: StoredListing): string | null {
  const path = category_path.filter((level) => level.trim() !== '').join(' > ');
  return path === '' ? category : path;
}

/** Keeps the listings of a product that pass the filters. @returns null if none does. */
export function filtered<P extends CatalogueProduct>(product: P, filters: UcpFilters): P | null {
  const listings = product.listings.filter((listing) => passes(listing, filters));
  return listings.length === 0 ? null : { ...product, listings };
}

function passes(listing: StoredListing, { categories = [], price, currency }: UcpFilters): boolean {
  const category = categoryOf(listing);
  const isWanted =
    categories.length === 0 ||
    (category !== null && categories.some((wanted) => isCategory(category, wanted)));
  if (!isWanted || price === undefined || currency === undefined) return isWanted;
  return listing.currency === currency && isWithin(listing.price ?? '0', currency, price);
}

/** Whether a category is the wanted one, or a level below it. */
function isCategory(category: string, wanted: string): boolean {
  const [folded = '', part = ''] = [category, wanted].map((one) => plainApostrophes(foldValue(one)));
  return folded === part || folded.startsWith(`${part} > `);
}
