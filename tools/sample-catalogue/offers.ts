import type { StatedDelivery } from '../../src/listing/listing.js';
import type { SampleProduct } from './product.js';
import { hash32, Random } from './random.js';
import { readTable } from './tables.js';
import type { TitleStyle } from './title.js';

/** A platform of platforms.yaml, which describes the members. */
export interface Platform extends TitleStyle {
  source: string;
  marketplace: boolean;
  merchant?: string;
  level: number;
  ending: number;
  delivery?: Pick<StatedDelivery, 'price' | 'free_from'>;
  sku: string;
  url: string;
}

export const PLATFORMS: readonly Platform[] = Object.entries(
  readTable<Record<string, Omit<Platform, 'source'>>>('platforms'),
).map(([source, platform]) => ({ source, ...platform }));

/** The shop of every listing of a platform that has no other sellers. */
const OWN_SHOP = 'Online Store';

/** The ids of the shops on each platform with several shops. */
const MERCHANTS: Readonly<Record<string, (shop: string) => string>> = {
  lazada_sg: (shop) => `${100_000_000 + (hash32('lazada', shop) % 900_000_000)}`,
  shopee_sg: (shop) => `${10_000_000 + (hash32('shopee', shop) % 890_000_000)}`,
  amazon_sg: (shop) => `A${(hash32('amazon', shop) * 1_000_003).toString(36).toUpperCase()}`,
  qoo10_sg: (shop) => slugOf(shop),
};

/** The id of a shop, and the SKU and the URL of its listing with the number `n`. */
export function identifiersOf(
  { source, merchant, sku, url }: Platform,
  shop: string,
  n: number,
  slug: string,
) {
  const values: Record<string, string | number> = {
    n,
    long: n + 11_402_113_907,
    code: n.toString(36).toUpperCase().padStart(8, '0'),
    merchant: merchant ?? MERCHANTS[source]?.(shop) ?? '',
    slug,
  };
  const filled = (template: string) => template.replace(/\{(\w+)\}/g, (_, name: string) => `${values[name]}`);
  return { merchantId: String(values['merchant']), sku: filled(sku), url: filled(url) };
}

const MAX_OFFERS = 16;
const NUMBERS = 9e9;
/** The distance between successive listings. It is prime, so that five million products have different numbers. */
const STEP = 99_999_989;

export function listingNumber(seed: number, product: number, offer: number): number {
  return 1e9 + (((product * MAX_OFFERS + offer) * STEP + hash32(seed, 'listing')) % NUMBERS);
}

export function slugOf(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/[’'\u0300-\u036f]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter(Boolean).slice(0, 12).join('-');
}

export interface Offer {
  place: number;
  platform: Platform;
  shop: string;
}

/** The lowest and the highest share of the suitable platforms that list a product. */
const [RARE, USUAL] = [0.26, 0.8];
const SECOND_SELLER = 0.08;
const OFFICIAL_STORE = 0.3;

/** The offers of a product in random order. A marketplace sometimes has two, from different sellers. */
export function offersOf(seed: number, product: SampleProduct): Offer[] {
  const random = new Random(seed, 'offers', product.index);
  const { sources, shops } = product.type.department;
  const share = random.between(RARE, USUAL);
  const selling = random.shuffled(PLATFORMS.filter(({ source }) => sources.includes(source)));
  return selling
    .filter((_, i) => i === 0 || random.chance(share))
    .flatMap((platform) => {
      const twice = platform.marketplace && random.chance(SECOND_SELLER);
      const [first = '', second = ''] = random.shuffled(shops);
      const own = random.chance(OFFICIAL_STORE) ? `${product.model.brand} Official Store` : first;
      const sellers = twice ? [own, second] : [own];
      return sellers.map((shop) => ({ platform, shop: platform.merchant === undefined ? shop : OWN_SHOP }));
    })
    .map((offer, place) => ({ ...offer, place }));
}
