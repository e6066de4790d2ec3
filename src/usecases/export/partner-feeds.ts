import { attributePairs } from '../../listing/attributes.js';
import { conditionOf } from '../../listing/condition.js';
import { isInStoreGtin } from '../../listing/gtin.js';
import type { ListingInternals } from '../../listing/listing.js';
import { toUnits } from '../../listing/price.js';
import { isJsonObject } from '../../schemas/json-object.js';
import type { Product } from '../../schemas/product.js';

/** A Product with the internal fields that partner feeds need. */
export type PartnerListing = Product & {
  internal: Pick<ListingInternals, 'gtins' | 'list_price' | 'condition'>;
};

export type PartnerFields = Record<string, unknown>;

/** The row of a listing in a partner feed, or all reasons why the partner would refuse the listing. */
export type PartnerRow = { row: PartnerFields } | { reasons: string[] };

export const GOOGLE_COLUMNS = [
  ...'id title description link image_link additional_image_link availability price sale_price'.split(' '),
  ...'brand gtin mpn product_type condition color size material item_group_id product_detail'.split(' '),
];

/** Returns the row of a listing in a feed by the product data specification of Google Merchant Center. */
export function googleRow(listing: PartnerListing): PartnerRow {
  const { name, description, buy_url, image_url, is_available, brand } = listing;
  const required = ['description', 'buy_url', 'image_url', 'is_available', 'price', 'currency'] as const;
  const reasons = refusalsOf(listing, required, { name: 150, description: 5_000, brand: 70 });
  if (reasons.length > 0) return { reasons };
  const images = moreImages(listing).map((url) => url.replaceAll(',', '%2C'));
  const row = {
    id: listing.id,
    title: name,
    description,
    link: buy_url,
    image_link: image_url,
    additional_image_link: images.join(',') || null,
    availability: is_available === true ? 'in_stock' : 'out_of_stock',
    ...pricesOf(listing),
    brand,
    gtin: publicGtin(listing),
    mpn: metadataText(listing, MPN, 70),
    product_type: categoryOf(listing),
    ...variantOf(listing),
    item_group_id: metadataText(listing, GROUP, 50),
    product_detail: detailsOf(listing).join(',') || null,
  };
  return { row };
}

/** Returns the row of a listing in a feed by the specification of OpenAI's product feed. */
export function openaiRow(listing: PartnerListing): PartnerRow {
  const { name, description, buy_url: url, image_url, is_available, brand } = listing;
  const required = ['description', 'buy_url', 'image_url', 'brand', 'price', 'currency'] as const;
  const limits = { name: 150, description: 5_000, brand: 70, merchant_id: 70 };
  const reasons = refusalsOf(listing, required, limits);
  if (reasons.length > 0) return { reasons };
  const images = moreImages(listing);
  const row = {
    is_eligible_search: true,
    is_eligible_checkout: false,
    item_id: String(listing.id),
    title: name,
    description,
    url,
    brand,
    image_url,
    additional_image_urls: images.length > 0 ? images : null,
    ...pricesOf(listing),
    availability: is_available === null ? 'unknown' : is_available ? 'in_stock' : 'out_of_stock',
    product_category: categoryOf(listing),
    seller_name: listing.merchant_id ?? listing.source,
    gtin: publicGtin(listing),
    mpn: metadataText(listing, MPN, 70),
    ...variantOf(listing),
    group_id: metadataText(listing, GROUP, 70),
    star_rating: listing.rating,
  };
  return { row };
}

type LimitedField = 'name' | 'description' | 'brand' | 'merchant_id';

/** The fields that are missing, or longer than a limit in code points. */
function refusalsOf(
  product: Product,
  required: readonly (keyof Product)[],
  limits: Partial<Record<LimitedField, number>>,
): string[] {
  const missing = required.filter((field) => product[field] === null);
  const long = (Object.entries(limits) as [LimitedField, number][]).filter(
    ([field, limit]) => lengthOf(product[field] ?? '') > limit,
  );
  return [
    ...missing.map((field) => `${field}: is required`),
    ...long.map(([field, limit]) => `${field}: is longer than ${limit} characters`),
  ];
}

const lengthOf = (text: string): number => [...text].length;

const categoryOf = ({ category_path, category }: Product): string | null =>
  category_path.join(' > ') || category;

/** A list price above the price becomes the `price`, and the price the `sale_price`. Partners refuse a lower list price. */
function pricesOf({ price, currency, internal: { list_price } }: PartnerListing): PartnerFields {
  const now = `${price} ${currency}`;
  const isSale = price !== null && list_price !== null && toUnits(list_price) > toUnits(price);
  return isSale ? { price: `${list_price} ${currency}`, sale_price: now } : { price: now, sale_price: null };
}

const MPN = ['mpn', 'model'];
const GROUP = ['item_group_id', 'group_id'];
const COLOUR = ['color', 'colour'];

const variantOf = (listing: PartnerListing) => ({
  condition: (listing.internal.condition ?? conditionOf(listing, null)).value,
  color: metadataText(listing, COLOUR, 100),
  size: metadataText(listing, ['size'], 100),
  material: metadataText(listing, ['material'], 200),
});

/** The first metadata text, also in `attributes`, under one of these names with at most `maxLength` characters. */
function metadataText({ metadata }: Product, names: readonly string[], maxLength: number): string | null {
  const own = entriesOf(metadata);
  const nested = entriesOf(own.find(([name]) => name === 'attributes')?.[1]);
  for (const [name, value] of [...own, ...nested]) {
    if (!names.includes(name.toLowerCase())) continue;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const text = typeof first === 'number' ? String(first) : typeof first === 'string' ? first.trim() : '';
    if (text !== '' && lengthOf(text) <= maxLength) return text;
  }
  return null;
}

const entriesOf = (value: unknown): [string, unknown][] => (isJsonObject(value) ? Object.entries(value) : []);

/** Matches GTINs with a GS1 prefix for coupons, which partners refuse as well as in-store numbers. */
const COUPON = /^(?:\d05|\d9[89])/;

/** Returns the first GTIN of the listing that partners accept, without padding zeros: 8, 12, 13 or 14 digits. */
function publicGtin({ internal: { gtins } }: PartnerListing): string | null {
  const gtin = gtins.find((candidate) => !isInStoreGtin(candidate) && !COUPON.test(candidate));
  if (gtin === undefined) return null;
  const zeros = /^0*/.exec(gtin)?.[0].length ?? 0;
  return gtin.slice(zeros >= 6 ? 6 : Math.min(zeros, 2));
}

const IMAGES = ['additional_image_link', 'additional_image_links', 'additional_image_urls', 'images'];
const MAX_IMAGES = 10;
const MAX_URL = 2_000;

function moreImages({ metadata, image_url }: Product): string[] {
  const stated = entriesOf(metadata).flatMap(([name, value]) =>
    IMAGES.includes(name.toLowerCase()) ? (Array.isArray(value) ? (value as unknown[]) : [value]) : [],
  );
  const urls = stated
    // A cell of a feed may contain several image URLs, so it is split.
    .flatMap((cell) => (typeof cell === 'string' ? cell.split(/,(?=\s*https?:)/i) : []))
    .map((url) => url.trim())
    .filter((url) => /^https?:\/\/\S+$/i.test(url) && url.length <= MAX_URL && url !== image_url);
  return [...new Set(urls)].slice(0, MAX_IMAGES);
}

const OTHERS = 'size material condition stock sold reviews review_count'.split(' ');

const NOT_DETAILS = new Set([...IMAGES, ...COLOUR, ...GROUP, ...OTHERS]);

/** Formats the metadata attributes as `General:NAME:VALUE`, without those that contain a separator of this notation. */
function detailsOf({ metadata }: Product): string[] {
  return attributePairs(metadata)
    .filter(({ name, written }) => !NOT_DETAILS.has(name) && !/[,:"\\]/.test(name + written))
    .map(({ name, written }) => `General:${name}:${written}`);
}
