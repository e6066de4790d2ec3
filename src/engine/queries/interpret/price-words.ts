/**
 * Words of prices, in English, Malay, Indonesian and Chinese. Each is a piece of a regular expression; a
 * blank in it is a blank or two of the text.
 */

/** `$50`: marks before a number, and the currency where a mark is that of one alone. */
export const MARKS_BEFORE: Readonly<Record<string, string | null>> = {
  US$: 'USD',
  S$: 'SGD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  HK$: 'HKD',
  NZ$: 'NZD',
  NT$: 'TWD',
  RM: 'MYR',
  'RP.': 'IDR',
  RP: 'IDR',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₩': 'KRW',
  '฿': 'THB',
  '₫': 'VND',
  '₱': 'PHP',
  $: null,
  '¥': null,
  '￥': null,
};

/** `50 ringgit`: the same behind it. 元 and 块 are dollars or yuan, as who says it. */
export const MARKS_BEHIND: Readonly<Record<string, string | null>> = {
  'singapore dollars?': 'SGD',
  'us dollars?': 'USD',
  'dollars?': null,
  bucks: null,
  ringgit: 'MYR',
  rupiah: 'IDR',
  baht: 'THB',
  yuan: 'CNY',
  yen: 'JPY',
  'euros?': 'EUR',
  dolar: null,
  人民币: 'CNY',
  新币: 'SGD',
  新元: 'SGD',
  令吉: 'MYR',
  马币: 'MYR',
  美元: 'USD',
  美金: 'USD',
  印尼盾: 'IDR',
  港币: 'HKD',
  日元: 'JPY',
  欧元: 'EUR',
  元: null,
  '块钱?': null,
  '€': 'EUR',
  '\\$': null,
};

/** On either side. */
export const CODES = [
  'SGD',
  'USD',
  'MYR',
  'IDR',
  'CNY',
  'THB',
  'PHP',
  'VND',
  'JPY',
  'EUR',
  'GBP',
  'AUD',
  'HKD',
  'TWD',
  'INR',
  'KRW',
  'CAD',
  'NZD',
];
export const OTHER_CODES: Readonly<Record<string, string>> = { RMB: 'CNY' };

/** Places by which a number moves; true: nothing but money is counted so. */
export const SCALES: Readonly<Record<string, { places: number; isMoney: boolean }>> = {
  k: { places: 3, isMoney: false },
  rb: { places: 3, isMoney: true },
  ribu: { places: 3, isMoney: true },
  jt: { places: 6, isMoney: true },
  juta: { places: 6, isMoney: true },
  千: { places: 3, isMoney: false },
  万: { places: 4, isMoney: false },
};

/** What makes a number a price before all else. */
export const PRICE = ['prices?', 'priced', 'costing', 'harga(?:nya)?', 'berharga', '价格', '售价', '价钱'];

/** Before a number. `loose`: of other numbers too (`up to 512 GB`), so that a price must be marked as one. */
export const UNDER = {
  plain: [
    'not (?:more than|over|above)',
    'no more than',
    'under',
    'below',
    '(?:less|cheaper|lower) than',
    '[<＜≤]=?',
    'tidak (?:lebih dari|melebihi)',
    'tak lebih dari',
    '(?:di ?)?bawah',
    '(?:kurang|lebih murah) dari(?:pada)?',
    '低于',
    '少于',
    '不到',
    '不超过',
    '不高于',
    '小于',
  ],
  loose: [
    'up to',
    'at most',
    'max(?:imum)?',
    'within',
    'budget(?: of)?',
    'mak?simum',
    'maksimal',
    'hingga',
    'sampai',
    '最多',
    '预算',
  ],
};
export const OVER = {
  plain: [
    '(?:not|no) (?:less|cheaper) than',
    'not (?:under|below)',
    'over',
    'above',
    '(?:more|higher) than',
    '[>＞≥]=?',
    'lebih dari(?:pada)?',
    'di ?atas',
    'melebihi',
    '不低于',
    '不少于',
    '高于',
    '超过',
    '多于',
    '大于',
  ],
  loose: [
    'at least',
    'min(?:imum)?',
    'from',
    'starting (?:at|from)',
    'atas',
    'minimal',
    '(?:mulai )?dari',
    'sekurang-kurangnya',
    '至少',
    '最低',
  ],
};

/** Behind it. */
export const OR_LESS = {
  plain: ['以下', '以内', '之内'],
  loose: ['(?:and|or|&) (?:under|below|less|cheaper)', '(?:dan )?ke ?bawah', 'atau kurang', '内'],
};
export const OR_MORE = {
  plain: ['以上'],
  loose: ['(?:and|or|&) (?:up|above|over|more)', '(?:dan )?ke ?atas', 'atau lebih', '起', '\\+'],
};

/** Around two numbers: before, between and behind them. */
export const RANGES = {
  plain: [
    {
      before: ['between', 'antara'],
      between: ['and', 'to', 'dan', 'hingga', 'sampai', 'ke', '[-–~]'],
      behind: [''],
    },
    { before: ['介于', '在', ''], between: ['到', '至', '和', '[-–~]'], behind: ['之间'] },
  ],
  loose: [
    {
      before: ['from', 'dari', '从', ''],
      between: ['to', 'hingga', 'sampai', 'ke', '到', '至', '[-–~]'],
      behind: [''],
    },
  ],
};

/** After these an unmarked number may be an age. */
export const PEOPLE = [
  'kids?',
  'child(?:ren)?',
  'toddlers?',
  'bab(?:y|ies)',
  'infants?',
  'boys?',
  'girls?',
  'm[ae]n',
  'wom[ae]n',
  'adults?',
  'seniors?',
  'people',
  'those',
  'ages?',
  'aged',
  'dogs?',
  'cats?',
  'vitamins?',
  'multivitamins?',
  'anak',
  'umur',
  'usia',
  '儿童',
  '岁',
  '年龄',
];

/** After these it is a size. */
export const MEASURES = [
  'sizes?',
  'weight',
  'weighing',
  'height',
  'width',
  'depth',
  'length',
  'storage',
  'ram',
  'memory',
  'capacity',
  'screen',
  'display',
  'power',
  'year',
  'model',
  'version',
  'gen',
  'level',
  'spf',
  'iso',
  'dpi',
  'mah',
  'rated',
  'ratings?',
  'stars?',
  'saiz',
  'ukuran',
  'berat',
  'tinggi',
  'bintang',
  '身高',
  '体重',
  '容量',
  '尺寸',
  '评分',
];

/** After these, and no more than 100, it may be the inches of a screen. */
export const SCREENS = ['tvs?', 'televisions?', 'monitors?', 'televisi', '电视机?', '显示器'];

/** Before these an unmarked number may be a price; before other words it may count them (`under 500 puzzles`). */
export const GOES_ON = [
  'with',
  'without',
  'for',
  'that',
  'which',
  'and',
  'but',
  'on',
  'from',
  'by',
  'please',
  'only',
  'untuk',
  'dengan',
  'yang',
  'dan',
  'tapi',
  'dari',
  'di',
  '的',
];
