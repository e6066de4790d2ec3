import { hash } from 'node:crypto';
import { type Flag, FLAG_NAMES } from '../schemas/quality.js';
import type { Product } from '../schemas/product.js';
import { foldValue, foldWords } from '../text/fold.js';
import { splitByScript } from '../text/tokenize.js';
import { conditionConflict } from './condition.js';
import { readGtin } from './gtin.js';
import { gtinTextsOf } from './identify.js';
import type { FlagReasons, ListingInternals, PeerFlags, StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';
import { observedPrices } from './price-observations.js';
import { DAY_MS } from './instant.js';
import { REFERENCE_WINDOW_MS } from './price-statistics.js';
import { isPlaceholder } from './usual-price.js';

/** The time after which a listing that was not seen again is flagged as stale: seven days. */
export const STALE_MS = 7 * DAY_MS;

/** The minimum length of a name; shorter ones are flagged. A CJK character counts as three letters. */
const SHORT_NAME = 10;

/** The quality flags, with reasons, that follow from the listing alone. */
export function ownFlagReasons(product: Product, internal: ListingInternals): FlagReasons {
  const { brand, category, image_url, price, name } = product;
  const conflict = conditionConflict(product, internal);
  return {
    ...placeholderReason(product, internal),
    ...gtinReason(product, internal),
    ...(conflict === null ? {} : { condition_conflict: conflict }),
    ...(brand === null ? { no_brand: 'no brand is stated' } : {}),
    ...(category === null ? { no_category: 'no category is stated' } : {}),
    ...(image_url === null ? { no_image: 'no image is stated' } : {}),
    ...(price === null ? { no_price: 'no price is stated' } : {}),
    ...(isShort(name) ? { short_name: `the name says little: ${JSON.stringify(name)}` } : {}),
  };
}

/** The quality flags that are stored: those of the listing itself, and valid ones from other listings. */
export function flagsOf(product: Product, internal: ListingInternals): Flag[] {
  const reasons = { ...ownFlagReasons(product, internal), ...currentPeerFlags(product, internal)?.reasons };
  return FLAG_NAMES.filter((flag) => reasons[flag] !== undefined);
}

/** The stored flags that follow from other listings; null if there are none or the listing has changed. */
export function currentPeerFlags(
  product: Pick<Product, 'name' | 'brand' | 'price' | 'currency'>,
  internal: Pick<ListingInternals, 'judged' | 'gtins'>,
): PeerFlags | null {
  const { judged = null } = internal;
  return judged !== null && judged.basis === peerFlagsBasis(product, internal) ? judged : null;
}

/** The fields on which the flags that follow from other listings depend, as one text to compare. */
export const peerFlagsBasis = (
  { name, brand, price, currency }: Pick<Product, 'name' | 'brand' | 'price' | 'currency'>,
  { gtins }: Pick<ListingInternals, 'gtins'>,
): string => JSON.stringify([name, brand, price, currency, gtins]);

/** A key that listings of one source with the same name and price share; null without a price. */
export function duplicateKeyOf({ source, name, price, currency }: Product): string | null {
  if (price === null) return null;
  return hash('sha1', JSON.stringify([source, foldValue(name), price, currency]), 'base64url');
}

/** Explains all quality flags of a listing, including `stale`, which depends on the current time. */
export function flagReasons(listing: StoredListing, now: Date): FlagReasons {
  const own = ownFlagReasons(listing, listing.internal);
  const fromPeers = currentPeerFlags(listing, listing.internal)?.reasons ?? {};
  return { ...fromPeers, ...own, ...staleReason(listing.internal, now) };
}

function staleReason({ observed_at }: ListingInternals, now: Date): FlagReasons {
  const ms = now.getTime() - Date.parse(observed_at);
  return ms > STALE_MS ? { stale: `last checked ${Math.floor(ms / DAY_MS)} days ago` } : {};
}

/** Explains why a price is flagged as a placeholder: `1.00 where 41 other days say 349.00`. */
function placeholderReason(
  { currency }: Product,
  { price_units, reference_units, price_history }: ListingInternals,
): FlagReasons {
  if (price_units === null || reference_units === null || !isPlaceholder(price_units, reference_units))
    return {};
  const prices = observedPrices(price_history);
  const since = Date.parse(prices.at(-1)?.at ?? '') - REFERENCE_WINDOW_MS;
  const days = new Set(
    prices
      .filter(({ at, price }) => Date.parse(at) >= since && toUnits(price) !== price_units)
      .map(({ at }) => at.slice(0, 10)),
  ).size;
  const evidence = days === 0 ? 'it cost' : days === 1 ? '1 other day says' : `${days} other days say`;
  const [price, reference] = [price_units, reference_units].map((units) => formatUnits(units, currency));
  return { price_placeholder: `${price} where ${evidence} ${reference}` };
}

function gtinReason({ metadata }: Product, { declared_gtins }: ListingInternals): FlagReasons {
  const wrong = gtinTextsOf(declared_gtins, metadata).find((text) => {
    const parsed = readGtin(text);
    return 'wrong' in parsed && parsed.wrong === 'check digit';
  });
  return wrong === undefined ? {} : { gtin_check: `the check digit of ${JSON.stringify(wrong)} is wrong` };
}

/** Matches most names that are long enough, so that only the other names have to be split into words. */
const LONG_ENOUGH = new RegExp(`^(?:[^a-z0-9]*[a-z0-9]){${SHORT_NAME}}`, 'i');

function isShort(name: string): boolean {
  if (LONG_ENOUGH.test(name)) return false;
  const words = splitByScript(foldWords(name));
  const weight = words.reduce((sum, { text, isCjk }) => sum + [...text].length * (isCjk ? 3 : 1), 0);
  return weight < SHORT_NAME;
}
