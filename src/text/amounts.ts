import { AMOUNT_UNITS, type AmountUnit, goodsWords, oneOf } from './goods.js';

/** An exact non-negative decimal number: `digits` divided by ten to the power of `scale`. */
export interface ExactDecimal {
  digits: bigint;
  scale: number;
}

/** An amount that a text states, such as `6 x 330 ml`. */
export interface Amount {
  per: AmountUnit | 'piece';
  /** The size of one unit of sale, in g, ml, mm or pieces. */
  one: ExactDecimal;
  /** How many units of this size the text states; null if it states no number. */
  times: number | null;
  /** The counted word, such as "sachets", if the amount is a number of pieces. */
  word: string;
  /** Whether the word behind it names a package, as in `0.33 l can`. */
  isPacked?: boolean;
}

/** The amounts and numbers of packages that a text states. */
export type Amounts = ReturnType<typeof noAmounts>;

const noAmounts = (text: string) => ({
  sizes: [] as Amount[],
  pieces: [] as Amount[],
  /** Numbers of packages of the size before them: `pack of 6`, `x 6`. */
  packs: [] as number[],
  /** Numbers of packages that may also be the number of pieces in the size: `6 pack`, `6er`, `6 cans`. */
  looseCounts: [] as { count: number; kind: 'pack' | 'er' | 'container' }[],
  /** Whether the text marks the number of pieces as contained in the size: `400 g (= 20 pieces)`. */
  isTotal: false,
  /** Whether the text states a quantity that cannot be known: a range, "approx.", "2 + 1". */
  uncertain: false,
  /** The rest of the text, without the amounts that were read from it. */
  rest: text,
});

/** Whether other letters may follow a word in a run. Words of other scripts end at a blank or a digit. */
const isHan = (word: string): boolean => /^\p{Script=Han}/u.test(word);
const SPACED_UNITS = [...AMOUNT_UNITS.keys()].filter((name) => !isHan(name));
const HAN_UNITS = [...AMOUNT_UNITS.keys()].filter(isHan);
const PIECES = goodsWords('pieces');
const NAMED = goodsWords('named_pieces');
const CONTAINERS = goodsWords('containers');

/** The end of a word. A letter after a slash, as in `l/day`, makes a rate of an amount. */
const END = String.raw`(?:(?=x\d)|(?![\p{L}\p{N}²³^])(?!/\p{L}|\s?/\s?(?:day|d|hour|hr|h|min|s|tag|std|hari|jam)(?!\p{L})))`;
/** The beginning of a number that is not a part of a code, a fraction or a longer number. */
const START = String.raw`(?=\d)(?:(?<![\p{L}\p{N}.,⁄:/~±+–—-])|(?<=\d\s?\p{L}{1,6}/|\p{L}{4}-|(?:^|\s)[-–—]))`;
const TIMES_BEFORE = String.raw`(?:(\d{1,3})\s?[x*]\s?)?(?:(\d{1,3})\s?[x*]\s?)?`;
const TIMES_BEHIND = String.raw`(?:\s?[x*]\s?(\d{1,3})(?!\p{N}|[.,/]\d|\s?(?:mm|cm|in|inch|"|sheets?|blatt|抽|rol\p{L}*|${oneOf([...AMOUNT_UNITS.keys()])})(?!\p{L})|(?!${oneOf([...PIECES, ...CONTAINERS].filter((word) => !isHan(word)))}(?!\p{L}))\p{L}))?`;
const word = (words: readonly string[]): string => {
  const han = words.filter(isHan);
  const others = words.filter((one) => !isHan(one));
  return `(?:${oneOf(others)}${END}${han.length === 0 ? '' : `|${oneOf(han)}`})`;
};
const SIZE = new RegExp(
  `${START}${TIMES_BEFORE}(\\d{1,5}(?:[.,]\\d{1,3})?)[\\s-]?(${oneOf(SPACED_UNITS)}${END}|${oneOf(HAN_UNITS)})\\.?${TIMES_BEHIND}`,
  'gu',
);
const PIECE = new RegExp(
  `${START}${TIMES_BEFORE}(\\d{1,5})[\\s-]?(${word([...PIECES, ...NAMED])})\\.?${TIMES_BEHIND}`,
  'gu',
);
const PACK_OF = new RegExp(
  String.raw`(?<!\p{L})(?:packs?|packung|pak|box|case|carton|lot)\s?(?:of|de|x|mit|isi)\s?(\d{1,4})(?![\p{L}\p{N}.,]|\s?x)|(?<!\p{L})${oneOf(goodsWords('packs_of'))}\s?(\d{1,3})(?![\p{L}\p{N}.,]|\s?x)`,
  'gu',
);
/** A number of packages: after an amount anywhere, in other names only in brackets or after a plural, as in `fans x 2`. */
const TIMES_ALONE = String.raw`x\s?([2-9]|[1-9]\d)(?=\s?(?:$|[)(\]|,]|/(?!\d)|-\s))`;
const TIMES_BEHIND_AMOUNT = new RegExp(String.raw`(?=x)(?<![\p{L}\p{N}])${TIMES_ALONE}`, 'gu');
const TIMES_BEHIND_PLURAL = new RegExp(String.raw`(?=x)(?<=(?<!serie|\d)s\s|[([]\s?)${TIMES_ALONE}`, 'gu');
const LOOSE = new RegExp(
  String.raw`(?=\d)(?<![\p{L}\p{N}.,-])(\d{1,3})(?:(er)(?:[\s-]?(?:packs?|packung|pkg|tray|karton|set))?(?!\p{L})|[\s-]?packs?(?!\p{L})|(?<=[3-9]|\d\d)[\s-]?pks?(?![\p{L}\p{N}]))`,
  'gu',
);
const CONTAINER = new RegExp(
  `(?=\\d)(?:(?<![\\p{L}\\p{N}.,-])|(?<=[lg升克]\\s?x))(\\d{1,3})[\\s-]?${word(CONTAINERS)}`,
  'gu',
);
const PACK_WORDS: readonly (readonly [RegExp, number])[] = [
  [/(?<!\p{L})(?:twin|duo|doppel)[\s-]?pack(?!\p{L})/gu, 2],
  [/แพ[คก]ค(?!\p{L})/gu, 2],
  [/(?<!\p{L})(?:triple|trio)[\s-]?pack(?!\p{L})/gu, 3],
];

/** `6 bottles of 500 ml`, `6 Stück à 50 g`, `6 bags x 2 g` and `6s x 320 ml` are written as `6 x 500 ml`. */
const EACH = new RegExp(
  `(\\d{1,3})\\s?(?:${word([...PIECES, ...NAMED, ...CONTAINERS])})\\.?\\s?(?:of|a|@|je|each|[x*])\\s?(?=[\\d.,]+\\s?(?:${oneOf(SPACED_UNITS)}${END}|${oneOf(HAN_UNITS)}))`,
  'gu',
);
const HAN_CONTAINERS = oneOf(CONTAINERS.filter(isHan));
/** Matches the word for "each" and a container, such as `每包` (each pack). */
const IN_EACH = `${oneOf(goodsWords('per_unit').filter(isHan))}${HAN_CONTAINERS}`;
/** Matches the content of each pack, followed by the number of packs: `每包250克 4包` means 4 packs of 250 g. */
const EACH_FIRST = new RegExp(
  `${IN_EACH}\\s?(\\d[\\d.]{0,6}\\s?(?:${oneOf(SPACED_UNITS)}|${oneOf(HAN_UNITS)}))[\\s,x*共]{0,5}(\\d{1,3})\\s?${HAN_CONTAINERS}`,
  'gu',
);
const EACH_PACKAGE = new RegExp(`${IN_EACH}(?=\\s?\\d)`, 'gu');
/** Matches the weight of jewels, such as `2 ct. t.w.`, whose "ct" does not mean a count. */
const CARATS = /(?<=\d\s?)(?:ct|carats?)\.?\s?t\.?\s?w\.?(?!\p{L})/gu;
const IN_ONE = /\d{1,2}\s?[\s-]in[\s-]?(?:1|one)(?!\d)/gu;
/** Removes phrases such as `2-in-1`, which are no quantities. */
export const withoutInOne = (folded: string): string => folded.replace(IN_ONE, ' ');
const PACKAGES = oneOf(goodsWords('packages'));
const OUTER = new RegExp(`${oneOf(goodsWords('outer_packages'))}`, 'gu');
/** The package of a drink behind its name: `teh botol`. A vessel is called the other way round, or has a name in one word. */
const BOTTLED = new RegExp(
  `(?<=(?<!\\p{L})${oneOf(goodsWords('bottled_drinks'))}\\s)${oneOf(goodsWords('bottles'))}(?!\\p{L})`,
  'gu',
);
const PACKAGE_BEHIND = new RegExp(`^\\s?[([]?(?:(?:pet|einweg|mehrweg)\\s?)?${PACKAGES}(?!\\p{L})`, 'u');
const PACKED = new RegExp(
  `(?<=(\\d[\\d.,]{0,6})[\\s-]?(${oneOf(SPACED_UNITS)})\\.?(?:\\s?[x*]\\s?\\d{1,3})?)(?:\\s?(?:pet|einweg|mehrweg))?\\s?(${PACKAGES})(?:\\stray)?(?!\\p{L})`,
  'gu',
);
const CANS = new Set(goodsWords('cans'));
/** Sizes in which only drinks are canned, in millilitres. */
const CAN_SIZES = new Set([330, 355, 440, 568]);
const LIQUIDS = new RegExp(`${oneOf(goodsWords('liquids'))}(?!\\p{L})`, 'u');
const VESSEL_MATERIALS = new RegExp(`(?<!\\p{L})${oneOf(goodsWords('vessel_materials'))}`, 'u');

/** Whether a text names a drink and a size in which only drinks are canned. */
const isCanned = (folded: string): boolean =>
  LIQUIDS.test(folded) &&
  [...folded.matchAll(SIZE)].some(([, , , number = '', unit = '']) => isCanSize(number, unit));
const isCanSize = (number: string, unit: string): boolean =>
  AMOUNT_UNITS.get(unit)?.per === 'l' &&
  CAN_SIZES.has(comparable(number) * Number(AMOUNT_UNITS.get(unit)?.size));
const CAN_WORDS = new RegExp(`(?<!\\p{L})${oneOf(CANS)}(?:\\stray)?(?!\\p{L})`, 'gu');

/** Removes containers, as in `6 bottles` and `0.33 l can`; after volumes, which vessels have too, only of liquids or can sizes. */
export function withoutContainers(folded: string): string {
  const counted = [EACH_PACKAGE, CONTAINER, BOTTLED, OUTER].reduce(
    (text, packages) => text.replace(packages, ' '),
    folded,
  );
  const withoutCans = counted.replace(CAN_WORDS, ' ');
  const rest = withoutCans !== counted && isCanned(counted) ? withoutCans : counted;
  if (VESSEL_MATERIALS.test(rest)) return rest;
  return rest.replace(PACKED, (whole: string, number: string, unit: string, name: string) => {
    const per = AMOUNT_UNITS.get(unit)?.per;
    const isCan = CANS.has(name) && isCanSize(number, unit);
    return per === 'kg' || (per === 'l' && (isCan || LIQUIDS.test(rest))) ? ' ' : whole;
  });
}
/** Matches the number of diapers in a pack, which follows their size: `XL38`, `M-46`. */
const SIZED =
  /(?<![\p{L}\p{N}/,])(?:nb|[sml]|x{1,3}l)[\s-]?(\d\d)(?:\s?(?:pcs|s|片))?(?![\p{L}\p{N}.,/-]|\s?(?:[-–x~]|kg|pcs))/gu;
const SIZED_GOODS = new RegExp(oneOf(goodsWords('sized')), 'u');
/** The price of one unit beside the quantity, as in `(1 kg = 9,96 €)` and `0,58 €/kg`. */
const BASE_PRICE =
  /(?<![\d.,])(?:1|100)\s?(?:kg|g|l|ml)\s?=\s?(?:\p{Sc}|eur)?\s?\d[\d.,]*\s?(?:\p{Sc}|eur)?|(?<![\d.,])\d[\d.,]*\s?(?:\p{Sc}|eur)\s?\/\s?(?:100\s?)?(?:kg|g|l|ml)(?!\p{L})/gu;
/** A number of pieces at the end, as shops in Singapore write it: `38s`, `100's`. Elsewhere it may be a decade or a model. */
const COUNTED = /(?<=\d)s(?=\s?(?:$|[)\],x]))/gu;
const FLUID = /(?<=\d\s?)(?:fl\.?\s?oz|fluid\s(?:oz|ounces?))\.?(?!\p{L})/gu;
/** Matches the name of a price for a unit of measure: `price per kg`, `Preis/100 g`. The price of the listing may be that price. */
const PRICE_FOR_UNIT = new RegExp(
  `(?<!\\p{L})${oneOf(goodsWords('price_words'))}\\s?(?:/|${oneOf(goodsWords('per_unit'))}(?!\\p{L}))\\s?(?:\\d{1,4}\\s?)?(?:${oneOf(SPACED_UNITS)})${END}`,
  'u',
);
/**
 * Added quantities such as `500 ml + 50 ml` and `1+1`, packages of which some are free such as `3 for 2`, masses of parcels
 * such as `1 kg = 7 pcs`, and sizes to choose from.
 */
const ADDED =
  /\d\s\+\s\d|\d\+\d|\d\s?\p{L}+\s?\+\s?\d|\d[\s-]?packs?\sof\s\d|(?<!\p{L})(?:(?:buy|beli|get)\s\d|(?:bonus|gratis|bogof?)(?!\p{L})|(?:2\s(?:for|fur)\s1|3\s(?:for|fur)\s[12]|4\s(?:for|fur)\s[1-3])(?![\p{L}\p{N}.,])|isi\s\d{1,4}\s?[/-]\s?\d)|\dkg\s?(?:=|muat|isi)|\d\skg\s?(?:=|muat|isi)|^[^\p{L}\p{N}]*[[(]\s?\d{1,5}\s?gr?(?:am)?\s?[\])]|(?<!\p{L})\d{1,4}\s\d{1,4}\s\d{1,4}\s?\p{L}/u;
/** The name of a mobile network, such as 5G, and the maker 3M. */
const NAMES = /^(?:[2-6]g|3m)$/;
const before = (list: string) => new RegExp(`(?<!\\p{L})${oneOf(goodsWords(list))}[.:]?\\s?$`, 'u');
const APPROXIMATE = before('approximate');
/** Matches a word such as "approx." after an amount, before the end or a punctuation mark. Otherwise, it belongs to the next word. */
const APPROXIMATE_BEHIND = new RegExp(
  `^\\s?[([]?${oneOf(goodsWords('approximate'))}[.]?\\s?(?:$|[)\\],])`,
  'u',
);
const PER = before('per_unit');
/** Matches the words after an amount that is the size of a portion: `30 g per serving`. */
const PORTION_BEHIND = new RegExp(
  `^\\s?(?:/|${oneOf(goodsWords('per_unit'))})\\s?${oneOf(goodsWords('portions'))}(?!\\p{L})`,
  'u',
);
const CAPACITY = before('capacities');
const EXTRA = before('extras');
const CAPACITY_BEHIND = new RegExp(`^\\s?(?:max\\s)?${oneOf(goodsWords('capacities'))}(?!\\p{L})`, 'u');
const RANGE = /(?<![\p{L}\d.,])(\d{1,5}(?:[.,]\d{1,2})?)\s?(?:[-–~]|\/)\s?$/u;
const PER_BEHIND = new RegExp(`^\\s?${oneOf(goodsWords('per_unit'))}\\s`, 'u');
/** A number of packages in words that are not known, such as `10 bks x`. */
const UNREAD_TIMES = /(?<!\p{L})x\s?$/u;
const RANGE_BEHIND = /^[-–~]\d/;
const NUTRIENT = new RegExp(`^\\s?(?:of\\s)?${oneOf(goodsWords('nutrients'))}(?!\\p{L})`, 'u');
/** Words that are counted in the plural; in the singular they follow the number of a model, or a property. */
const SINGULAR = /^(?:unit|piece|sheet|count)$/;
const EQUALS = /=\s?\d/;
/** The largest amount of a nutrient that is no quantity for sale, in grams. */
const MAX_NUTRIENT = 60;
/** Matches a comma or point before three digits, which may separate thousands or decimals. */
const AMBIGUOUS = /[.,]\d{3}$/;

/** Reads the amounts that a text states, exactly, in linear time. @param folded a text from `foldProse`. */
export function readAmounts(folded: string): Amounts {
  const found = noAmounts(folded);
  const sized = SIZED_GOODS.test(folded) ? folded.replace(SIZED, ' $1 pcs') : folded;
  const text = withoutInOne(sized)
    .replace(BASE_PRICE, ' ')
    .replace(CARATS, 'ctw')
    .replace(FLUID, 'floz')
    .replace(OUTER, ' ')
    .replace(/(?<=\d)'s/g, 's')
    .replace(COUNTED, "'s")
    .replace(EACH, '$1 x ')
    .replace(EACH_FIRST, '$2 x $1');
  if (!/\d|pack|แพ/.test(text)) return found;
  found.uncertain = ADDED.test(text) || PRICE_FOR_UNIT.test(text);
  found.isTotal = EQUALS.test(text);
  found.rest = takeLooseCounts(takePacks(takePieces(takeSizes(text, found), found), found), found);
  return found;
}

/** What `SIZE` and `PIECE` capture: two factors, the number, its word, and the factor behind; and where. */
type Captured = [string?, string?, string?, string?, string?, number?];

/** Adds the sizes in a text to `found`. @returns the text without them. */
const takeSizes = (text: string, found: Amounts): string =>
  text.replace(SIZE, (whole: string, ...captured: Captured) => {
    const [first, second, number = '', unit = '', behind, at = 0] = captured;
    if (NAMES.test(whole)) return whole;
    const known = AMOUNT_UNITS.get(unit);
    if (known === undefined) return whole;
    const [left, right] = [text.slice(0, at), text.slice(at + whole.length)];
    const one = times(decimal(number), decimal(known.size));
    if (PER.test(left) || CAPACITY.test(left) || CAPACITY_BEHIND.test(right) || PORTION_BEHIND.test(right))
      return ' ';
    if (NUTRIENT.test(right) && known.per === 'kg' && isAtMost(one, MAX_NUTRIENT)) return ' ';
    const isTimes = known.per !== 'm' && first === undefined && UNREAD_TIMES.test(left);
    if (isTimes || isUncertain(number, left) || RANGE_BEHIND.test(right) || APPROXIMATE_BEHIND.test(right))
      found.uncertain = true;
    const isPacked = PACKAGE_BEHIND.test(right);
    found.sizes.push({ per: known.per, one, times: product(first, second, behind), word: unit, isPacked });
    return ' § ';
  });

/** Adds the numbers of pieces in a text to `found`. @returns the text without them. */
const takePieces = (text: string, found: Amounts): string =>
  text.replace(PIECE, (whole: string, ...captured: Captured) => {
    const [first, second, number = '', name = '', behind, at = 0] = captured;
    const left = text.slice(0, at);
    if (SINGULAR.test(name) && number !== '1') return whole;
    if (PER.test(left) || PER_BEHIND.test(text.slice(at + whole.length))) return ' ';
    if (isUncertain(number, left)) found.uncertain = true;
    const amount = { per: 'piece', one: decimal(number), times: product(first, second, behind) } as const;
    found.pieces.push({ ...amount, word: name });
    return ' § ';
  });

/** Adds the numbers of packages in a text to `found`. @returns the text without them. */
function takePacks(text: string, found: Amounts): string {
  const take = (_: string, number: string | undefined, other?: string) => {
    found.packs.push(Number(number ?? other));
    return ' § ';
  };
  const rest = text.replace(PACK_OF, take);
  if (found.sizes.length + found.pieces.length > 0) return rest.replace(TIMES_BEHIND_AMOUNT, take);
  // After a comma, `x` and a number rather count a part of the product than packages.
  const head = rest.split(',', 1)[0] ?? '';
  return head.replace(TIMES_BEHIND_PLURAL, take) + rest.slice(head.length);
}

/** Adds the counts in a text that may be numbers of pieces or of packages to `found`. @returns the text without them. */
function takeLooseCounts(text: string, found: Amounts): string {
  let rest = text;
  for (const [pattern, count] of PACK_WORDS)
    rest = rest.replace(pattern, () => {
      found.looseCounts.push({ count, kind: 'pack' });
      return ' ';
    });
  rest = rest.replace(LOOSE, (_: string, number: string, german?: string) => {
    found.looseCounts.push({ count: Number(number), kind: german === 'er' ? 'er' : 'pack' });
    return ' § ';
  });
  return rest.replace(CONTAINER, (_: string, number: string) => {
    found.looseCounts.push({ count: Number(number), kind: 'container' });
    return ' § ';
  });
}

/** Whether a number is approximate, the upper end of a range, the last of a list, or written ambiguously. */
function isUncertain(number: string, left: string): boolean {
  if (APPROXIMATE.test(left) || EXTRA.test(left) || AMBIGUOUS.test(number)) return true;
  const lower = comparable(RANGE.exec(left)?.[1] ?? '');
  const upper = comparable(number);
  return lower > 0 && lower <= upper && upper <= MAX_RANGE * lower;
}

/** The largest ratio of the ends of a range. A number far below another belongs to something else: `Tarn 5 - 500 ml`. */
const MAX_RANGE = 3;

/** A number for comparisons that need not be exact. */
const comparable = (number: string): number => Number(number.replace(',', '.'));

const product = (...numbers: (string | undefined)[]): number | null => {
  const given = numbers.flatMap((one) => (one === undefined ? [] : [Number(one)]));
  return given.length === 0 ? null : given.reduce((a, b) => a * b, 1);
};

/** Reads a decimal number with a point or a comma. */
export function decimal(text: string): ExactDecimal {
  const [whole = '', fraction = ''] = text.split(/[.,]/);
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

export const times = (a: ExactDecimal, b: ExactDecimal): ExactDecimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

const isAtMost = ({ digits, scale }: ExactDecimal, limit: number): boolean =>
  digits <= BigInt(limit) * 10n ** BigInt(scale);

/** Formats a decimal without trailing zeros: `330`, `28.349523125`. */
export function formatDecimal({ digits, scale }: ExactDecimal): string {
  if (scale > 0 && digits % 10n === 0n) return formatDecimal({ digits: digits / 10n, scale: scale - 1 });
  const text = String(digits).padStart(scale + 1, '0');
  return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
