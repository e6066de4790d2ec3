/**
 * General English (and a little Chinese) words of shop listings that tell one variant of a product from another.
 * Nothing here is about one brand or product. Each entry of a `Vocabulary` is a concept and its spellings.
 */
export type Vocabulary = ReadonlyMap<string, string>;

function vocabulary(entries: Record<string, string>): Vocabulary {
  return new Map(
    Object.entries(entries).flatMap(([concept, spellings]) =>
      [concept, ...spellings.split(' ').filter((spelling) => spelling !== '')].map(
        (spelling): [string, string] => [spelling, concept],
      ),
    ),
  );
}

/** The concepts that the texts name. */
export function concepts(vocabulary: Vocabulary, texts: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    const concept = vocabulary.get(text);
    if (concept !== undefined) found.add(concept);
  }
  return found;
}

export const COLOURS = vocabulary({
  black: 'blk bk onyx jet ebony 黑色 noir schwarz',
  white: 'wht 白色 blanc weiss',
  red: 'crimson scarlet 红色 紅色 rouge',
  blue: 'blu 蓝色 藍色 天蓝色 深蓝色 浅蓝色 bleu',
  navy: 'indigo',
  green: 'grn 墨绿色 绿色 綠色 vert',
  yellow: 'ylw 黄色 黃色',
  orange: '橙色',
  purple: 'violet lavender lilac plum 紫色',
  pink: 'pnk 玫瑰粉 粉红色 粉色 粉红 fuchsia',
  brown: 'chocolate mocha espresso 棕色',
  grey: '石墨灰 深灰色 gray gry graphite charcoal gunmetal slate 灰色',
  silver: 'slv slvr 银色 銀色',
  gold: 'golden gld champagne 金色',
  beige: 'ivory cream sand almond tan bisque khaki',
  teal: 'turquoise aqua',
  cyan: '',
  magenta: '',
  burgundy: 'maroon wine bordeaux',
  bronze: 'copper',
  titanium: '',
  midnight: '',
  starlight: '',
  coral: 'peach salmon',
  mint: '',
  olive: '',
  clear: 'transparent',
  rose: '',
  multicolour: 'multicolor multicoloured multicolored',
});

/** What kind of sale it is: an upgrade is not the full product, a used one not a new one. */
export const EDITIONS = vocabulary({
  upgrade: 'upg upgrd upgr upsell',
  academic: 'acad education educational edu student teacher classroom',
  refurbished: 'refurb renewed recertified reconditioned preowned used secondhand',
  oem: 'bulk dsp',
  licence: 'license lic licenses licences cal mlp olp volume',
  subscription: 'renewal maintenance mnt maint sub',
  trial: 'demo',
  expansion: 'addon',
  family: 'household',
  bundle: 'combo',
  server: 'svr serv srv',
  book: 'guide manual handbook',
  training: 'tutorial techniques lessons',
});

/** Systems, markets and languages that an edition is made for; a listing may name several. */
export const PLATFORMS = vocabulary({
  mac: 'macintosh osx macos',
  windows: 'win win32 pc vista xp nt',
  linux: 'unix solaris hpux',
  playstation: 'ps2 ps3 ps4 ps5 psp',
  xbox: 'x360 xbox360',
  wii: '',
  nintendo: '',
  android: '',
  ios: '',
});

export const LANGUAGES = vocabulary({
  english: 'eng en',
  french: 'francais fr',
  spanish: 'espanol',
  german: 'deutsch',
  italian: '',
  japanese: '',
  chinese: 'mandarin',
  portuguese: '',
  russian: '',
  korean: '',
});

/** Tiers of a product line: the Pro is not the Lite. */
export const VARIANTS = vocabulary({
  pro: 'professional prof prfsnl',
  plus: '',
  max: 'maximum',
  mini: '',
  micro: '',
  nano: '',
  lite: 'light le',
  ultra: '',
  air: '',
  se: '',
  premium: 'prem prm premier',
  standard: 'std',
  deluxe: 'dlx dlux dx',
  basic: 'basics',
  home: '',
  business: 'sbe sbs',
  enterprise: 'ent',
  extended: 'ext',
  ultimate: '',
  essential: 'essentials',
  elite: '',
  advanced: 'adv',
  elements: '',
  personal: '',
  developer: '',
  studio: '',
  slim: '',
  super: '',
  xl: '',
  ti: '',
  fe: '',
  gold: '',
  platinum: '',
  express: '',
  complete: 'full',
  collection: 'suite',
  edge: '',
  note: '',
  fold: '',
  flip: '',
});

/** Of those, the ones that follow a number as a part of a device's name. */
export const TIERS: ReadonlySet<string> = new Set(
  'pro plus max mini lite ultra air se fe xl xt ti slim edge ace evo neo prime gt gtx super'.split(' '),
);

/** A tier word that belongs to the next word: an air purifier is no "Air", a mini LED no "Mini". */
const ADJECTIVES: ReadonlyMap<string, RegExp> = new Map([
  ['air', /^\p{L}/u],
  ['mini', /^led$/],
  ['ultra', /^(?:hd|wide|light|slim)$/],
]);

/** @param next the word after it. */
export const isTier = (word = '', next = ''): boolean =>
  TIERS.has(word) && !(ADJECTIVES.get(word)?.test(next) ?? false);

export { ACCESSORIES, ONLY_ACCESSORIES } from './accessories.js';

/** What shops add to any name to sell it: says nothing of the product. */
export const NOISE = new Set(
  (
    'ready stock stocks instock local warranty seller sellers original authentic genuine new sealed free shipping ' +
    'delivery official store shop hot sale sales promo promotion best offer fast ship ships gift limited time ' +
    'sg singapore malaysia my export set imported brand guaranteed guarantee year years month months retail ' +
    'inc llc ltd limited corp corporation company gmbh usa international ' +
    'box boxed jewel small software version edition package packaging product complete open returns no low price'
  ).split(' '),
);

export const STOP_WORDS = new Set(
  'a an and the of in on at by to with for from or w is it your you our this that all any as be its de la le'.split(
    ' ',
  ),
);
