import { type Platform, PLATFORMS } from './platforms.js';
import type { SampleProduct } from './product.js';
import { Random } from './random.js';

export interface Offer {
  place: number;
  platform: Platform;
  shop: string;
}

/** The limits of the share of suitable platforms that list a product. */
const [RARE, USUAL] = [0.26, 0.8];
const SECOND_SELLER = 0.08;
const OFFICIAL_STORE = 0.3;

/** Generates the offers of a product in random order. A marketplace sometimes has two of them. */
export function offersOf(seed: number, product: SampleProduct): Offer[] {
  const random = new Random(seed, 'offers', product.index);
  const { sources, shops } = product.type.department;
  const share = random.between(RARE, USUAL);
  const selling = random.shuffled(PLATFORMS.filter(({ source }) => sources.includes(source)));
  const listed = selling.filter((_, i) => i === 0 || random.chance(share));
  return listed
    .flatMap((platform) => {
      const twice = platform.marketplace && random.chance(SECOND_SELLER);
      const [first, second] = random.shuffled(shops);
      const own = random.chance(OFFICIAL_STORE) ? `${product.model.brand} Official Store` : first;
      return [own, ...(twice ? [second] : [])].map((shop = '') => ({
        platform,
        shop: platform.source === 'courts_sg' || platform.source === 'challenger_sg' ? 'Online Store' : shop,
      }));
    })
    .map((offer, place) => ({ ...offer, place }));
}
