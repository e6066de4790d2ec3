import type { StatedDelivery } from '../../src/listing/listing.js';
import type { SampleProduct } from './product.js';
import { hash32, Random } from './random.js';

export interface Platform {
  source: string;
  /** Whether third-party sellers offer products on the platform, so that it may list a product twice. */
  marketplace: boolean;
  /** The shop of every listing of a platform that has no other sellers. */
  ownShop?: string;
  /** The platform's price level as a factor: 1 is the usual price of a product. */
  level: number;
  /** The last two digits with which the platform's prices end, in cents. */
  ending: number;
  /** What the platform charges for delivery in Singapore; absent if its feed does not state it. */
  delivery?: Pick<StatedDelivery, 'price' | 'free_from'>;
  /** Formats the SKU of a listing. @param n a number that no other listing of the platform has. */
  sku(n: number, merchantId: string): string;
  merchantId(shop: string): string;
  url(sku: string, slug: string): string;
}

export const PLATFORMS: readonly Platform[] = [
  {
    source: 'lazada_sg',
    marketplace: true,
    level: 0.985,
    ending: 90,
    delivery: { price: '2.99', free_from: null },
    sku: (n) => `${n}_SG-${n + 11_402_113_907}`,
    merchantId: (shop) => `${100_000_000 + (hash32('lazada', shop) % 900_000_000)}`,
    url: (sku, slug) => `https://lazada-sg.example/products/${slug}-i${sku.replace('_SG-', '-s')}.html`,
  },
  {
    source: 'shopee_sg',
    marketplace: true,
    level: 0.97,
    ending: 90,
    delivery: { price: '1.99', free_from: '30.00' },
    sku: (n, merchantId) => `${merchantId}.${n}`,
    merchantId: (shop) => `${10_000_000 + (hash32('shopee', shop) % 890_000_000)}`,
    url: (sku, slug) => `https://shopee-sg.example/${slug}-i.${sku}`,
  },
  {
    source: 'amazon_sg',
    marketplace: false,
    level: 0.995,
    ending: 99,
    delivery: { price: '5.99', free_from: '60.00' },
    // The product numbers of the invented Amazon start with BX, because real ones start with B0.
    sku: (n) => `BX${n.toString(36).toUpperCase().padStart(8, '0')}`,
    merchantId: (shop) => `A${(hash32('amazon', shop) * 1_000_003).toString(36).toUpperCase()}`,
    url: (sku) => `https://amazon-sg.example/dp/${sku}`,
  },
  {
    source: 'qoo10_sg',
    marketplace: true,
    level: 0.975,
    ending: 90,
    sku: (n) => `${n}`,
    merchantId: (shop) => slugOf(shop),
    url: (sku, slug) => `https://qoo10-sg.example/item/${slug}/${sku}`,
  },
  {
    source: 'courts_sg',
    marketplace: false,
    ownShop: 'Online Store',
    level: 1.025,
    ending: 0,
    delivery: { price: '15.00', free_from: '200.00' },
    sku: (n) => `IP${n}`,
    merchantId: () => 'courts-sg-online',
    url: (sku, slug) => `https://courts-sg.example/${slug}-${sku.toLowerCase()}`,
  },
  {
    source: 'challenger_sg',
    marketplace: false,
    ownShop: 'Online Store',
    level: 1.015,
    ending: 0,
    delivery: { price: '0.00', free_from: null },
    sku: (n) => `CH-${n}`,
    merchantId: () => 'challenger-sg-online',
    url: (sku, slug) => `https://challenger-sg.example/product/${slug}?sku=${sku}`,
  },
];

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
      return sellers.map((shop) => ({ platform, shop: platform.ownShop ?? shop }));
    })
    .map((offer, place) => ({ ...offer, place }));
}
