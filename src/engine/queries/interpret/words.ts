import { PRICE } from './price-words.js';

/**
 * Words of stock, order and shops, in English, Malay, Indonesian and Chinese. Each is a piece of a regular expression; a
 * blank in it is a blank or two of the text.
 */

export const IN_STOCK = [
  'in[ -]?stock',
  'available now',
  'ready ?stoc?k',
  'ada (?:stoc?k|stok)',
  'sto[c]?k (?:ada|tersedia)',
  'tersedia',
  '有?现货',
  '有货',
  '有库存',
];

export const OUT_OF_STOCK = [
  '(?:currently )?out of stock',
  'sold out',
  '(?:stoc?k|stok) habis',
  'habis (?:stoc?k|stok)',
  '缺货',
  '无货',
  '售罄',
  '断货',
];

/** What precedes the order in "sorted by price". */
const SORTED_BY = '(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?) by (?:the )?';
const SORTED_BY_MALAY = '(?:di)?(?:urut(?:kan)?|susun) (?:ikut|mengikut|berdasarkan|dari) ';

export const SORT_WORDS = {
  price_asc: [
    `${SORTED_BY}(?:(?:low(?:est)?|cheapest) )?prices?(?: first)?(?!,? (?:from )?(?:high|low|desc))`,
    `(?:${SORTED_BY})?prices?,? (?:from )?low(?:est)? to high(?:est)?`,
    `${SORTED_BY_MALAY}harga(?: (?:terendah|termurah))?(?! (?:ter(?:tinggi|mahal)|tinggi))`,
    '价格从低到高(?:排序|排列)?',
    '按价格(?:排序|排列|从低到高(?:排序|排列)?)',
    '(?:the )?cheapest(?: first)?',
    '(?:the )?lowest[ -]priced?(?: first)?',
    '(?:yang )?paling murah',
    '(?:yang )?termurah',
    'harga (?:terendah|paling rendah)',
    '最便宜',
    '价格最低',
    '最低价',
  ],
  price_desc: [
    '(?:the )?most expensive(?: first)?',
    `${SORTED_BY}highest prices?(?: first)?`,
    `(?:${SORTED_BY})?prices?,? (?:from )?high(?:est)? to low(?:est)?`,
    `${SORTED_BY_MALAY}harga (?:tertinggi|termahal)`,
    '(?:按)?价格从高到低(?:排序|排列)?',
    '(?:yang )?paling mahal',
    '(?:yang )?termahal',
    '最贵',
  ],
  newest: [
    `${SORTED_BY}(?:newest|date)(?: first)?`,
    '(?:the )?newest(?: first)?',
    '(?:yang )?terbaru',
    '(?:yang )?paling baru',
    '最新(?:款|上架)?',
  ],
  discount: [
    `${SORTED_BY}(?:biggest )?discounts?`,
    '(?:currently )?on (?:sale|discount)',
    'discounted',
    'with (?:an? )?discounts?',
    'sedang diskon',
    '打折',
    '特价',
  ],
  rating: [
    `${SORTED_BY}(?:(?:best|highest) )?(?:ratings?|reviews?)`,
    '(?:the )?(?:top|best|highest)[ -]rated',
    '(?:the )?best[ -]reviewed',
    'highly[ -]rated',
    '(?:rating|penilaian) (?:tertinggi|terbaik)',
    '评分最高',
    '评价最(?:高|好)',
    '口碑最好',
  ],
} as const;

/** Orders by discount too, at the end of a text. */
export const DISCOUNT = ['discounts?', 'diskon', 'diskaun', '折扣'];

/** Where one buys; behind it a source. */
export const SOLD_BY = ['from', 'on', 'at', 'via', 'sold by', 'dari(?:pada)?', 'di', '来自', '在'];
export const OR_SOLD_BY = ['or', 'and', 'atau', 'dan', '或', '和', '[/,]'];

/** Countries as codes of sources have them behind the shop’s name. */
export const COUNTRIES: Readonly<Record<string, string>> = {
  singapore: 'sg',
  malaysia: 'my',
  indonesia: 'id',
  thailand: 'th',
  philippines: 'ph',
  vietnam: 'vn',
  taiwan: 'tw',
  japan: 'jp',
  china: 'cn',
};

/** What turns what follows into its opposite. */
export const NOT = ['not', "n['’]t", 'never', 'no', 'except', 'bukan', 'tidak', 'tak', 'belum'];
export const NOT_CHINESE = '不没无非';

/** Left before what was read, these say nothing. */
export const LEADING = [
  'and',
  'but',
  'that',
  'which',
  'is',
  'are',
  'dan',
  'tapi',
  'yang',
  '且',
  '并且',
  '而且',
  '&',
  ',',
  '，',
  ';',
  ...PRICE,
];

/** Alone, these are nothing to look for. */
export const ANYTHING = [
  'anything',
  'something',
  'everything',
  'all',
  'any',
  'the',
  'items?',
  'products?',
  'things?',
  'stuff',
  'show me',
  'find me',
  'find',
  'show',
  'barang',
  'produk',
  'apa saja',
  '东西',
  '商品',
  '产品',
  '的',
];
