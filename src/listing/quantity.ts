import type { UnitPrice, UnitPriceUnit } from '../schemas/unit-price.js';
import { formatDecimal, readAmounts } from '../text/amounts.js';
import { foldProse, wordPairs } from '../text/fold.js';
import { goodsWords } from '../text/goods.js';
import { foldMark, isMarketWord, SHIPPED_MARKETS } from '../naming/markets.js';
import {
  contextOf,
  namedQuantity,
  plausible,
  type Quantity,
  type ReadProduct,
  REFERENCE,
  textsOf,
  total,
} from './named-quantity.js';
import { roundedQuotient } from './rates.js';

/** The quantity that a listing sells for its price, as the index stores it. */
export interface StoredQuantity {
  /** The quantity in g, ml, mm or pieces, exact, as decimal text. */
  amount: string;
  per: UnitPriceUnit;
  /** Whether the feed states the quantity in a field of its own, or the name was read. */
  basis: UnitPrice['basis'];
  /** The price of one unit in ten-thousandths, under the name of the unit, by which the index sorts; absent without a price. */
  unit_price?: Partial<Record<UnitPriceUnit, number>>;
}

/** The exclusive maximum of a unit price in ten-thousandths of the currency's unit, up to which numbers are exact. */
const UNITS_END = 2n ** 53n;
/** The quantity that a listing sells, with its unit price; null if none is certain. A stated quantity outweighs the name. */
export function quantityOf(product: ReadProduct, price_units: number | null): StoredQuantity | null {
  const stated = statedQuantity(product);
  const quantity = stated ?? namedQuantity(product);
  if (quantity === null || quantity === 'unknown') return null;
  const { per, amount } = quantity;
  const unit_price = price_units === null ? null : unitPriceUnits(price_units, quantity);
  return {
    amount: formatDecimal(amount),
    per,
    basis: stated === null ? 'name' : 'stated',
    ...(unit_price === null ? {} : { unit_price: { [per]: unit_price } }),
  };
}

/** The price of one kg, l, m or piece in ten-thousandths of the currency's unit, rounded half up; null if zero or not exact. */
function unitPriceUnits(price_units: number, { per, amount }: Quantity): number | null {
  const dividend = BigInt(price_units) * REFERENCE[per] * 10n ** BigInt(amount.scale);
  const units = roundedQuotient(dividend, amount.digits);
  return units === 0n || units >= UNITS_END ? null : Number(units);
}

/** The key of metadata with the quantity for sale in feeds of Google: `unit_pricing_measure: 1.5kg`. */
const MEASURE_KEY = 'unit_pricing_measure';
/** The key of metadata with the quantity to which a shop's unit price refers: `unit_pricing_base_measure: 100g`. */
const BASE_KEY = 'unit_pricing_base_measure';
/** Keys of metadata with the unit that the price is for: `price_per: KILOGRAM`. */
const PRICE_PER_KEYS = goodsWords('price_per_keys');
/** What may stand before that unit, as in `per kg`, `PER_KG` and `€/kg`. */
const PER_PREFIX =
  /^(?:\p{Sc}|[a-z]{3})?\s?\/\s?|^(?:sold[\s_]by[\s_])?(?:price[\s_])?(?:per|pro|je|by|the)[\s_-]+/u;
/** Codes of units from UN/ECE recommendation 20, and names that mean a unit only in this place. */
const UNIT_CODES = wordPairs('kgm=kg grm=g mlt=ml lbr=lb onz=oz pound=lb pounds=lb');
/** Words that say that the price is for a piece. The size of the piece is then that in the name. */
const PER_PIECE = new Set([...goodsWords('containers'), 'box', 'each', 'count', 'carton']);
/** Keys of metadata with the net quantity, which is a property of an appliance. */
const NET_KEYS = goodsWords('net_keys');
/** Pairs of keys of metadata that state a number and its unit. */
const [NUMBER_KEYS, UNIT_KEYS] = [goodsWords('number_keys'), goodsWords('unit_keys')];
/** The stated quantity; null if none is readable; `unknown` if the price is for an unknown unit, which the name does not show. */
function statedQuantity(product: ReadProduct): Quantity | 'unknown' | null {
  if (product.metadata === null) return null;
  const texts = textsOf(product.metadata);
  const first = (keys: readonly string[]) => keys.flatMap((key) => texts.get(key) ?? [])[0] ?? '';
  const unitOfPrice = first(PRICE_PER_KEYS).trim();
  if (unitOfPrice !== '') {
    const unit = foldProse(unitOfPrice).replace(PER_PREFIX, '').replace(/[_.]/g, ' ').trim();
    const named = UNIT_CODES.get(unit) ?? unit;
    const priced = quantityIn(/^\d/.test(named) ? named : `1 ${named}`);
    if (priced !== null && priced.per !== 'piece') return priced;
    const isPiece =
      priced !== null || PER_PIECE.has(unit) || isMarketWord('piece', unit) || isMarketWord('label', unit);
    if (!isPiece && !SHIPPED_MARKETS.marks.has(foldMark(unit))) return 'unknown';
  }
  const measure = quantityIn(first([MEASURE_KEY]));
  const base = quantityIn(first([BASE_KEY]));
  // A measure and a base measure of different dimensions, such as mass and volume, contradict each other.
  if (measure !== null && base?.per !== (base === null ? undefined : measure.per)) return null;
  if (measure !== null) return measure;
  const [number, unit] = [first(NUMBER_KEYS), first(UNIT_KEYS)];
  const counted = number === '' || unit === '' ? null : quantityIn(`${number} ${unit}`);
  if (counted !== null) return counted;
  const net = quantityIn(first(NET_KEYS));
  return net === null || contextOf(product).hasCapacity ? null : net;
}

/** The quantity in a text that contains nothing else. */
function quantityIn(text: string): Quantity | null {
  if (text === '') return null;
  const { sizes, pieces, uncertain, rest } = readAmounts(foldProse(text).trim());
  const [first, ...more] = [...sizes, ...pieces];
  if (first === undefined || more.length > 0 || uncertain || /[\p{L}\p{N}]/u.test(rest)) return null;
  return plausible(total(first));
}
