import { attributePairs } from '../../listing/attribute-pairs.js';
import type { ListingInternals } from '../../listing/listing.js';
import { toUnits } from '../../listing/price.js';
import type { Product } from '../../schemas/product.js';

/** What a partner's row is made of: a listing, and what the service keeps beside it. */
export type PartnerListing = Product & { internal: Pick<ListingInternals, 'gtins' | 'list_price'> };

/** A row of a feed for somebody else; or every reason why they would refuse it. */
export type PartnerRow = { row: Record<string, unknown> } | { reasons: string[] };

/** How somebody else wants listings. Sources: the specifications of Merchant Center and of OpenAI's product feed. */
export interface PartnerFormat {
  rowOf(listing: PartnerListing): PartnerRow;
}

/** Of Merchant Center's file, in the order of their columns. */
export const GOOGLE_COLUMNS = [
  'id',
  'title',
  'description',
  'link',
  'image_link',
  'additional_image_link',
  'availability',
  'price',
  'sale_price',
  'brand',
  'gtin',
  'mpn',
  'product_type',
  'condition',
  'color',
  'size',
  'material',
  'item_group_id',
  'product_detail',
];

export const google: PartnerFormat = {
  rowOf(listing) {
    const { name, description, buy_url, image_url, is_available, brand } = listing;
    const found = new Findings(listing);
    found.needs(['description', 'buy_url', 'image_url', 'is_available', 'price', 'currency']);
    found.limits({ name: 150, description: 5_000, brand: 70 });
    const images = moreImages(listing).map((url) => url.replaceAll(',', '%2C'));
    return found.row({
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
      mpn: told(listing, MPN, 70),
      product_type: categoryOf(listing),
      ...variantOf(listing),
      item_group_id: told(listing, ['item_group_id', 'group_id'], 50),
      product_detail: detailsOf(listing).join(',') || null,
    });
  },
};

export const openai: PartnerFormat = {
  rowOf(listing) {
    const { name, description, buy_url: url, image_url, is_available, brand } = listing;
    const found = new Findings(listing);
    found.needs(['description', 'buy_url', 'image_url', 'brand', 'price', 'currency']);
    found.limits({ name: 150, description: 5_000, brand: 70, merchant_id: 70 });
    const images = moreImages(listing);
    return found.row({
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
      mpn: told(listing, MPN, 70),
      ...variantOf(listing),
      group_id: told(listing, ['item_group_id', 'group_id'], 70),
      star_rating: listing.rating,
    });
  },
};

type Text = 'name' | 'description' | 'brand' | 'merchant_id';

class Findings {
  readonly #reasons: string[] = [];

  constructor(private readonly product: Product) {}

  needs(fields: readonly (keyof Product)[]): void {
    for (const field of fields) if (this.product[field] === null) this.#reasons.push(`${field}: is required`);
  }

  limits(most: Partial<Record<Text, number>>): void {
    for (const [field, limit] of Object.entries(most) as [Text, number][]) {
      if (lengthOf(this.product[field] ?? '') > limit)
        this.#reasons.push(`${field}: is longer than ${limit} characters`);
    }
  }

  row(row: Record<string, unknown>): PartnerRow {
    return this.#reasons.length > 0 ? { reasons: this.#reasons } : { row };
  }
}

const lengthOf = (text: string): number => [...text].length;

const categoryOf = ({ category_path, category }: Product): string | null =>
  category_path.join(' > ') || category;

/** What it costs: where a list price is above the price, that is the sale's. A sale that is dearer would be refused. */
function pricesOf({ price, currency, internal: { list_price } }: PartnerListing): Record<string, unknown> {
  const now = `${price} ${currency}`;
  const isSale = price !== null && list_price !== null && toUnits(list_price) > toUnits(price);
  return isSale ? { price: `${list_price} ${currency}`, sale_price: now } : { price: now, sale_price: null };
}

const MPN = ['mpn', 'model'];

const variantOf = (listing: Product) => ({
  condition: conditionOf(listing),
  color: told(listing, ['color', 'colour'], 100),
  size: told(listing, ['size'], 100),
  material: told(listing, ['material'], 200),
});

/** What both know by these words, and nothing else. */
const CONDITIONS = ['new', 'refurbished', 'used'];
const conditionOf = (listing: Product): string | null =>
  CONDITIONS.find((word) => word === told(listing, ['condition'], 20)?.toLowerCase()) ?? null;

/** What the metadata say under one of some names, at their top or among the attributes; of a list the first. */
function told({ metadata }: Product, names: readonly string[], longest: number): string | null {
  for (const [name, value] of [...entriesOf(metadata), ...entriesOf(attributesOf(metadata))]) {
    if (!names.includes(name.toLowerCase())) continue;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const text = typeof first === 'number' ? String(first) : typeof first === 'string' ? first.trim() : '';
    if (text !== '' && lengthOf(text) <= longest) return text;
  }
  return null;
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

const attributesOf = (metadata: unknown): unknown =>
  entriesOf(metadata).find(([name]) => name === 'attributes')?.[1];

/** GS1 gives these out for use within a shop and for coupons; feeds that have them are refused. */
const NOT_FOR_EVERYONE = /^(?:\d2|\d0[245]|\d9[89])/;

/** The first GTIN that the listing is known by, without the zeros that only fill it up: 8, 12, 13 or 14 digits. */
function publicGtin({ internal: { gtins } }: PartnerListing): string | null {
  const gtin = gtins.find((one) => !NOT_FOR_EVERYONE.test(one));
  if (gtin === undefined) return null;
  const zeros = /^0*/.exec(gtin)?.[0].length ?? 0;
  return gtin.slice(zeros >= 6 ? 6 : Math.min(zeros, 2));
}

const IMAGES = ['additional_image_link', 'additional_image_links', 'additional_image_urls', 'images'];
const MAX_IMAGES = 10;
const MAX_URL = 2_000;

/** Pictures beside the main one. */
function moreImages({ metadata, image_url }: Product): string[] {
  const stated = entriesOf(metadata).flatMap(([name, value]) =>
    IMAGES.includes(name.toLowerCase()) ? (Array.isArray(value) ? (value as unknown[]) : [value]) : [],
  );
  const urls = stated
    // A cell of a feed may have several.
    .flatMap((one) => (typeof one === 'string' ? one.split(/,(?=\s*https?:)/i) : []))
    .map((url) => url.trim())
    .filter((url) => /^https?:\/\/\S+$/i.test(url) && url.length <= MAX_URL && url !== image_url);
  return [...new Set(urls)].slice(0, MAX_IMAGES);
}

/** What has a column of its own, or is none of the product's. */
const BESIDE_DETAILS = new Set([
  ...IMAGES,
  'color',
  'colour',
  'size',
  'material',
  'condition',
  'item_group_id',
  'group_id',
  'stock',
  'sold',
  'reviews',
  'review_count',
]);

/** `General:NAME:VALUE` each; what has a character that parts these is left out. */
function detailsOf({ metadata }: Product): string[] {
  return attributePairs(metadata)
    .filter(({ name, written }) => !BESIDE_DETAILS.has(name) && !/[,:"\\]/.test(name + written))
    .map(({ name, written }) => `General:${name}:${written}`);
}
