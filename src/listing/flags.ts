import { hash } from 'node:crypto';
import { type Flag, FLAG_NAMES } from '../schemas/flags.js';
import type { Product } from '../schemas/product.js';
import { foldValue } from '../text/fold.js';
import { readGtin } from './gtin.js';
import { foldedText, wordsTyped } from '../text/folding.js';
import { observedPrices } from './history.js';
import { gtinTextsOf } from './identify.js';
import type { Judgement, Reasons } from './judgement.js';
import type { ListingInternals, StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';

/** The flags of prices that are not to be trusted. */
export const MISTRUSTED: readonly Flag[] = ['price_placeholder', 'price_outlier'];

/** Whether a price is flagged; an index of an earlier schema has no flags. */
export const hasMistrustedPrice = ({ flags = [] }: Pick<ListingInternals, 'flags'>): boolean =>
  flags.some((flag) => MISTRUSTED.includes(flag));

/** A price at or below 5 % of the usual one is treated as a placeholder. */
export const isPlaceholder = (units: number, usual: number): boolean => units * 20 <= usual;

const DAY_MS = 86_400_000;
/** A price that nobody has looked at for so long may be another by now. */
export const STALE_MS = 7 * DAY_MS;
const WINDOW_MS = 90 * DAY_MS;

/** Names of fewer letters say little; a character of Chinese says as much as three. */
const SHORT_NAME = 10;

/** What a listing shows by itself: nothing here depends on others, or on today. */
export function ownReasons(product: Product, internal: ListingInternals): Reasons {
  const { brand, category, image_url, price, name } = product;
  return {
    ...placeholderReason(internal),
    ...gtinReason(product, internal),
    ...(brand === null ? { no_brand: 'no brand is stated' } : {}),
    ...(category === null ? { no_category: 'no category is stated' } : {}),
    ...(image_url === null ? { no_image: 'no image is stated' } : {}),
    ...(price === null ? { no_price: 'no price is stated' } : {}),
    ...(isShort(name) ? { short_name: `the name says little: ${JSON.stringify(name)}` } : {}),
  };
}

/** The flags of a listing that are kept: its own, and those of a judgement that still stands. */
export function flagsOf(product: Product, internal: ListingInternals): Flag[] {
  const reasons = { ...ownReasons(product, internal), ...standing(product, internal)?.reasons };
  return FLAG_NAMES.filter((flag) => reasons[flag] !== undefined);
}

/** The judgement of a listing if it still says what was judged. */
export function standing(product: Product, internal: ListingInternals): Judgement | null {
  const { judged = null } = internal;
  return judged !== null && judged.basis === basisOf(product, internal) ? judged : null;
}

/** The same of two listings of one source with the same name and price; null: no price. */
export function twinOf({ source, name, price, currency }: Product): string | null {
  if (price === null) return null;
  return hash('sha1', JSON.stringify([source, foldValue(name), price, currency]), 'base64url');
}

/** All that a listing is judged by. */
export const basisOf = ({ name, brand, price, currency }: Product, { gtins }: ListingInternals): string =>
  JSON.stringify([name, brand, price, currency, gtins]);

/** Why a listing has its flags, as of `now`; those that others gave it come with their judgement. */
export function reasonsOf(listing: StoredListing, now: Date): Reasons {
  const own = ownReasons(listing, listing.internal);
  const judged = standing(listing, listing.internal)?.reasons ?? {};
  return { ...judged, ...own, ...staleReason(listing, now) };
}

function staleReason({ last_checked }: Product, now: Date): Reasons {
  if (last_checked === null) return {};
  const ms = now.getTime() - Date.parse(last_checked);
  return ms > STALE_MS ? { stale: `last checked ${Math.floor(ms / DAY_MS)} days ago` } : {};
}

/** `1.00 where 41 other days say 349.00`. */
function placeholderReason({ price_units, reference_units, price_history }: ListingInternals): Reasons {
  if (price_units === null || reference_units === null || !isPlaceholder(price_units, reference_units))
    return {};
  const prices = observedPrices(price_history);
  const since = Date.parse(prices.at(-1)?.at ?? '') - WINDOW_MS;
  const days = new Set(
    prices
      .filter(({ at, price }) => Date.parse(at) >= since && toUnits(price) !== price_units)
      .map(({ at }) => at.slice(0, 10)),
  ).size;
  const said = days === 0 ? 'it cost' : days === 1 ? '1 other day says' : `${days} other days say`;
  return { price_placeholder: `${formatUnits(price_units)} where ${said} ${formatUnits(reference_units)}` };
}

function gtinReason({ metadata }: Product, { declared_gtins }: ListingInternals): Reasons {
  const wrong = gtinTextsOf(declared_gtins, metadata).find((text) => {
    const read = readGtin(text);
    return 'wrong' in read && read.wrong === 'check digit';
  });
  return wrong === undefined ? {} : { gtin_check: `the check digit of ${JSON.stringify(wrong)} is wrong` };
}

/** So many letters are enough, whatever else there is: most names are told by their beginning. */
const LONG_ENOUGH = new RegExp(`^(?:[^a-z0-9]*[a-z0-9]){${SHORT_NAME}}`, 'i');

function isShort(name: string): boolean {
  if (LONG_ENOUGH.test(name)) return false;
  const words = wordsTyped(foldedText(name));
  const weight = words.reduce((sum, { text, isCjk }) => sum + [...text].length * (isCjk ? 3 : 1), 0);
  return weight < SHORT_NAME;
}
