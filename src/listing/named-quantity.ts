import { isJsonObject } from '../schemas/json-object.js';
import type { Product } from '../schemas/product.js';
import type { UnitPriceUnit } from '../schemas/unit-price.js';
import {
  type Amount,
  type Amounts,
  decimal,
  type ExactDecimal,
  formatDecimal,
  readAmounts,
  times,
  withoutContainers,
  withoutInOne,
} from '../text/amounts.js';
import { APPLIANCE_IDEOGRAPHS, APPLIANCE_RUN, goodsWords, oneOf, SET_RUN } from '../text/goods.js';
import { foldProse } from '../text/fold.js';
import { kindsOf } from '../naming/kinds.js';
import { singular } from '../text/singular.js';
import { splitWords } from '../text/tokenize.js';

/** The fields of a listing from which its quantity is read. */
export type ReadProduct = Pick<Product, 'name' | 'category' | 'category_path' | 'metadata'>;

/** An amount in g, ml, mm or pieces. */
export type Quantity = { per: UnitPriceUnit; amount: ExactDecimal };

/** The number of g, ml, mm or pieces to which a unit price refers. */
export const REFERENCE: Record<UnitPriceUnit, bigint> = { kg: 1000n, l: 1000n, m: 1000n, piece: 1n };
/** The largest quantity that one price is accepted for, in kg, l, m or pieces. A larger one was probably misread. */
const MOST: Record<UnitPriceUnit, bigint> = { kg: 1_000n, l: 1_000n, m: 2_000n, piece: 20_000n };
/** The largest quantity for sale that is accepted from a name. A larger one is probably a load, a capacity or a model. */
const MOST_NAMED: Record<UnitPriceUnit, bigint> = { ...MOST, kg: 100n, l: 100n };
const MAX_NAME = 400;

/** Attributes that state a size or a number of pieces, and are read like the name. */
const SIZE_KEYS = goodsWords('size_keys');

type Texts = ReadonlyMap<string, string>;

/** The texts and numbers in the metadata and in its member `attributes`, by their names in lower case. */
export function textsOf(metadata: unknown): Texts {
  const found = new Map<string, string>();
  const collect = (given: unknown) => {
    if (!isJsonObject(given)) return;
    for (const [key, value] of Object.entries(given))
      if ((typeof value === 'string' && value.length <= MAX_TEXT) || typeof value === 'number')
        found.set(key.replace(/(?<=[a-z])(?=[A-Z])|[\s-]+/g, '_').toLowerCase(), String(value));
  };
  collect(metadata);
  collect((metadata as { attributes?: unknown } | null)?.attributes);
  return found;
}

const MAX_TEXT = 60;

export const total = ({ per, one, times: count }: Amount): Quantity => ({
  per,
  amount: times(one, decimal(String(count ?? 1))),
});

export const plausible = (quantity: Quantity | null, most = MOST): Quantity | null =>
  quantity === null ||
  quantity.amount.digits === 0n ||
  quantity.amount.digits > most[quantity.per] * REFERENCE[quantity.per] * 10n ** BigInt(quantity.amount.scale)
    ? null
    : quantity;

/** The words of a list in the singular, as those of a name are compared with it. */
const set = (list: string): ReadonlySet<string> => new Set(goodsWords(list).map(singular));
const APPLIANCES = set('appliances');
const GOODS = set('goods');
const SETS = set('sets');
const FOODS = set('foods');
const SOLD_BY_PIECE = set('sold_by_piece');
const SOLD_BY_WEIGHT = set('sold_by_weight');
const VESSEL_CONTENTS = set('vessel_contents');
/** Malay vessels, which stand before what they hold: `botol susu`. */
const VESSELS_FIRST = set('vessels_first');
const NAMED_PIECES: ReadonlySet<string> = new Set(goodsWords('named_pieces'));
const DRINK_PACKAGES = new Set([...set('cans'), ...set('bottles')]);
const BY_LENGTH = set('by_length');
const ROLLED = new RegExp(oneOf(goodsWords('rolled')), 'u');
const LININGS = set('linings');
/** Plural vessels need a longer word before them, because alone they may be the packages of a drink: `Limo Dosen`. */
const APPLIANCE_ENDING = new RegExp(
  `${oneOf(goodsWords('appliance_endings').map(singular))}$|(?<=\\p{L}{3})${oneOf(goodsWords('vessel_endings'))}$`,
  'u',
);
const PIECE_ENDING = new RegExp(
  `${oneOf(goodsWords('sold_by_piece').filter((word) => word.length > 3))}$`,
  'u',
);
const APPLIANCE_IDEOGRAPH = new RegExp(`${APPLIANCE_IDEOGRAPHS}(?!\\p{Script=Han})`, 'u');
/** Powders in sachets, for which shops state the mass of a sachet, that of the pack, or the number of portions. */
const PORTIONS = new RegExp(
  oneOf(goodsWords('sold_by_portion').map((word) => word.replace('-', String.raw`[\s-]?`))),
  'u',
);
/** Matches technical properties of devices. In a name with one of them, a volume or mass is probably a property as well. */
const TECHNICAL =
  /\d\s?-?(?:k?w(?!-\d)|watts?|v|volts?|m?ah|[kmgt]b|[km]?hz|ghz|mp|dpi|rpm|btu|lm|lumens?|fps|[mg]bps|k?pa|bar|gsm|inch(?:es)?|in|"|cc|psi|hp|nm)(?![\p{L}\p{N}])/u;
const ELECTRONICS = new RegExp(
  `(?<![\\p{L}\\p{N}])${oneOf(goodsWords('electronics').map((word) => word.replace('-', '[\\s-]?')))}(?![\\p{L}\\p{N}])`,
  'u',
);
const SHEET_GOODS = new RegExp(oneOf(goodsWords('sheet_goods')), 'iu');
const PAPER = /papi?er(?!\p{L})|papir(?!\p{L})|kertas/u;
const MAX_PATH = 10;

/** The quantity that the name, and attributes such as `size`, state; null if it is not certain. */
export function namedQuantity(product: ReadProduct): Quantity | null {
  const { name, metadata } = product;
  const folded = foldProse(name.slice(0, MAX_NAME));
  const texts = textsOf(metadata);
  const attributes = SIZE_KEYS.flatMap((key) => texts.get(key) ?? [])
    .filter((text) => /\d/.test(text) && /\p{L}/u.test(text))
    .map(foldProse);
  if ((!/\d|pack/.test(folded) && attributes.length === 0) || PORTIONS.test(folded)) return null;
  const read = [folded, ...attributes].map(readAmounts);
  const hasAmount = read.some(
    ({ sizes, pieces, packs, looseCounts }) =>
      sizes.length + pieces.length + packs.length + looseCounts.length > 0,
  );
  if (!hasAmount) return null;
  const context = contextOf(product);
  const [named = 'none', ...stated] = read.map((amounts) => decide(amounts, context));
  if (named === 'uncertain') return null;
  const others = stated.filter((one): one is Quantity => one !== 'none' && one !== 'uncertain');
  if (named !== 'none') return plausible(named, MOST_NAMED);
  const [first, ...more] = others;
  return first === undefined || more.some((other) => !isEqual(first, other))
    ? null
    : plausible(first, MOST_NAMED);
}

/** What the name and category say about the kind of goods. */
type GoodsContext = ReturnType<typeof contextOf>;

export function contextOf({ name, category: leaf, category_path }: ReadProduct) {
  const folded = withoutContainers(foldProse(name.slice(0, MAX_NAME)));
  const categories = [...category_path.slice(-MAX_PATH), leaf ?? ''];
  const words = splitWords(folded).map(singular);
  const category = categories.at(-1) ?? '';
  const kinds = kindsOf(folded, category === '' ? null : category).map(singular);
  const ofCategories = splitWords(foldProse(categories.join(' '))).map(singular);
  const has = (list: ReadonlySet<string>, some: readonly string[]) => some.some((word) => list.has(word));
  const isAppliance = (word: string) => APPLIANCES.has(word) || APPLIANCE_ENDING.test(word);
  const head = kinds[0] ?? '';
  const isGoods = GOODS.has(head);
  const hasVessel = words.some(
    (word, at) => isAppliance(word) && !isGoods && !VESSEL_CONTENTS.has(words[at + 1] ?? ''),
  );
  const isTechnical = TECHNICAL.test(withoutInOne(folded)) || ELECTRONICS.test(folded);
  return {
    /** Whether the goods are an appliance, a vessel or something to wear, so that a volume or mass in the name is a property. */
    hasCapacity:
      kinds.some(isAppliance) ||
      ofCategories.some((word) => DEVICE_CATEGORIES.has(word)) ||
      hasVessel ||
      VESSELS_FIRST.has(words[0] ?? '') ||
      isTechnical ||
      APPLIANCE_IDEOGRAPH.test(folded) ||
      APPLIANCE_RUN.test(name),
    /** Whether pieces are parts of one thing, as in a puzzle. */
    isSet: has(SETS, words) || has(SETS, ofCategories) || SET_RUN.test(name),
    isFood: has(FOODS, ofCategories) || has(FOODS, words),
    isSoldByPiece: words.some((word) => SOLD_BY_PIECE.has(word) || PIECE_ENDING.test(word)),
    isSoldByLength: kinds.some((word) => BY_LENGTH.has(word)) && !isTechnical,
    /** Whether ounces are a mass. Those of liquids are a volume, and many names do not state which is meant. */
    isSoldByWeight:
      words.some((word) => SOLD_BY_WEIGHT.has(word)) && !words.some((word) => LIQUIDS.has(word)),
    /** Whether the goods are themselves an appliance or a vessel, and no package such as `cans`. */
    isVessel: kinds.some(isAppliance) && !words.some((word) => DRINK_PACKAGES.has(word)),
    /** Whether the goods are rolls of paper, which are sold by the roll, whatever their sheets. */
    isRolled: ROLLED.test(folded),
    /** Whether the goods are bags or cans, whose volume is a property. */
    isLining: LININGS.has(head),
    /** Whether the goods are paper, whose mass is that of a square metre. */
    isPaper: PAPER.test(folded),
    /** Whether goods of the kind consist of sheets, which are a property of notebooks and printers. */
    hasSheets: SHEET_GOODS.test(folded) || SHEET_GOODS.test(category),
  };
}

/** Liquids, whose ounces are a volume even if something that is sold by weight is in them: `cocoa butter lotion`. */
const LIQUIDS = set('not_by_weight');
const DEVICE_CATEGORIES = set('device_categories');

const IMPERIAL = /^(?:oz|ounces?|lbs?|floz|y(?:ar)?ds?|ft|feet|foot)$/;
const OUNCES = /^(?:oz|ounces?)$/;

const SHEETS = /^(?:sheets|blatt)/;

type QuantityDecision = Quantity | 'none' | 'uncertain';

function decide(amounts: Amounts, context: GoodsContext): QuantityDecision {
  if (amounts.uncertain) return 'uncertain';
  const isSold = ({ per }: Amount) =>
    per === 'm'
      ? context.isSoldByLength
      : !context.hasCapacity && !(per === 'kg' ? context.isPaper : context.isLining);
  const sizes = amounts.sizes.filter(isSold);
  const metric = sizes.filter(({ word }) => !IMPERIAL.test(word));
  if (metric.length > 0 && metric.length < sizes.length) {
    // An ounce may be a mass or a volume, so the metric amount beside it counts.
    const counts = sizes.flatMap((size) => (metric.includes(size) ? [] : (size.times ?? [])));
    return decideSize(metric, { ...amounts, packs: [...amounts.packs, ...counts] });
  }
  if (sizes.some(({ word }) => OUNCES.test(word)) && !context.isSoldByWeight) return 'uncertain';
  if (sizes.length > 0) return decideSize(sizes, amounts);
  // Training weights are compared by piece and by mass, so neither is chosen. Packed goods may be what fits into a vessel.
  const isWeight = amounts.sizes.some(({ per, isPacked }) => per === 'kg' || isPacked === true);
  const counts = amounts.sizes.flatMap(({ per, times: count }) => (per === 'l' ? (count ?? []) : []));
  if (counts.length > 0 && !context.isVessel) return 'none';
  return isWeight ? 'none' : decidePieces({ ...amounts, packs: [...amounts.packs, ...counts] }, context);
}

/** The numbers of packages that multiply a size of this volume even without "pack of": sizes of cans and bottles. */
const DRINK_SIZES = new Set([
  200, 250, 275, 300, 320, 325, 330, 333, 350, 355, 375, 390, 440, 473, 500, 550, 555, 568, 596, 600, 700,
  750, 1000, 1500, 2000,
]);

function decideSize(sizes: readonly Amount[], amounts: Amounts): QuantityDecision {
  const { pieces, packs, looseCounts, isTotal } = amounts;
  const [first] = sizes;
  const multiplied = sizes.find(({ times: count }) => count !== null) ?? first;
  if (multiplied === undefined) return 'none';
  const quantity = total(multiplied);
  // Every other amount must repeat the total or the size of one package. If one does not, the amounts contradict each other.
  const isConsistent = sizes.every((size) => {
    const other = total(size);
    return (
      size === multiplied ||
      isEqual(other, quantity) ||
      (size.times === null && isEqual(other, { per: multiplied.per, amount: multiplied.one }))
    );
  });
  if (!isConsistent) return 'uncertain';
  const counts = new Set([...packs, ...looseCounts.map(({ count }) => count)].filter((count) => count > 1));
  if (multiplied.times !== null) {
    const others = [...counts].filter((count) => count !== multiplied.times);
    return others.length > 0 ? 'uncertain' : quantity;
  }
  const several = pieces.filter((piece) => total(piece).amount.digits > 1n);
  if (several.length > 0) {
    if (counts.size > 0) return 'uncertain';
    if (isTotal) return quantity;
    const [rolls] = several;
    const isRolls =
      several.length === 1 && rolls !== undefined && multiplied.per === 'm' && /^rol/.test(rolls.word);
    return isRolls ? { ...quantity, amount: times(quantity.amount, total(rolls).amount) } : 'uncertain';
  }
  if (counts.size === 0) return quantity;
  if (counts.size > 1) return 'uncertain';
  const [count = 1] = counts;
  // Rounded, because 12 fl oz are 354.9 ml.
  const isDrink =
    multiplied.per === 'l' && DRINK_SIZES.has(Math.round(Number(formatDecimal(multiplied.one))));
  return packs.length > 0 || isDrink
    ? { ...quantity, amount: times(quantity.amount, decimal(String(count))) }
    : 'uncertain';
}

/** Words that do not count pieces in the name of a device: a tablet is a computer, a number before "PC" a socket. */
const AMBIGUOUS_WORDS = /^(?:tablets?|pc|ct|st|ea|batter(?:y|ies)|bags|pads|pods|caps|tabs)$/;

function decidePieces(
  { pieces: all, packs, looseCounts: loose }: Amounts,
  { isSet, isFood, isSoldByPiece, isRolled, hasCapacity, hasSheets }: GoodsContext,
): QuantityDecision {
  const pieces = all.filter(
    ({ word, one }) =>
      !(hasCapacity && one.digits > 1n && AMBIGUOUS_WORDS.test(word)) &&
      (hasSheets || !SHEETS.test(word)) &&
      (isSoldByPiece || word !== "'s"),
  );
  // "24 bottles" is the capacity of a rack.
  const looseCounts = loose.filter(({ kind }) => !(hasCapacity && kind === 'container'));
  const rolls = pieces.filter(({ word }) => /^(?:rol|gulung)/.test(word));
  const counted = rolls.length > 0 ? rolls : pieces;
  if (isRolled && rolls.length === 0 && pieces.some(({ word }) => SHEETS.test(word))) return 'none';
  const [first, ...more] = counted;
  const counts = [...new Set([...packs, ...looseCounts.map(({ count }) => count)])];
  if (more.some((other) => !isEqual(total(other), total(first as Amount)))) return 'uncertain';
  if (counts.length > 1) return 'uncertain';
  const [count] = counts;
  const isNamed = first !== undefined && NAMED_PIECES.has(first.word);
  if (isSet && pieces.length > 0) return 'none';
  // Shops in German-speaking countries sell food by mass, so a count alone is no quantity there, unless the kind of goods is
  // known to be sold by the piece.
  const isGerman = /^st/.test(first?.word ?? '') || looseCounts.some(({ kind }) => kind === 'er');
  if (!isNamed && !isSoldByPiece && (isFood || isGerman)) return 'none';
  if (first === undefined) return count === undefined ? 'none' : pieceQuantity(String(count));
  if (count === undefined || count === 1) return total(first);
  if (packs.length === 0 || first.times !== null) {
    const isSame = isEqual(total(first), pieceQuantity(String(count)));
    return isSame ? total(first) : 'uncertain';
  }
  return { per: 'piece', amount: times(total(first).amount, decimal(String(count))) };
}

const pieceQuantity = (count: string): Quantity => ({ per: 'piece', amount: decimal(count) });

/** The relative difference up to which amounts in two units count as the same: 16 oz and 453 g. */
const TOLERANCE_PERCENT = 2n;

function isEqual(a: Quantity, b: Quantity): boolean {
  if (a.per !== b.per) return false;
  const scale = Math.max(a.amount.scale, b.amount.scale);
  const [x, y] = [a, b].map(({ amount }) => amount.digits * 10n ** BigInt(scale - amount.scale)) as [
    bigint,
    bigint,
  ];
  const difference = x > y ? x - y : y - x;
  return difference * 100n <= TOLERANCE_PERCENT * (x > y ? x : y);
}
