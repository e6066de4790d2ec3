import { hyphenated, isCode, type ModelName, writtenName } from './family.js';
import { type Market, spelledIn } from './market.js';
import type { SampleProduct } from './product.js';
import { at, type Random } from './random.js';
import { type Language, languageNamed } from './tables.js';

/** How one shop spells model numbers, units and pack sizes in titles. */
export interface Spelling {
  /** The spelling of a model number: `AX-320M5`, `AX320M5` or `AX 320 M5`. */
  code: 'hyphen' | 'joined' | 'spaced';
  /** Whether a unit is separated by a space: `256 GB` instead of `256GB`. */
  spacedUnits: boolean;
  inches: '-inch' | ' inch' | ' Inch' | '"';
  /** The spelling of a pack: `500ml x 6`, `6 x 500ml` or `500ml (Pack of 6)`. */
  pack: 'behind' | 'before' | 'bracket';
}

export function spellModel({ pieces, suffix }: ModelName, { code }: Spelling): string {
  const spaced = code === 'spaced' || !isCode(pieces);
  const name = spaced ? pieces.join(' ') : code === 'hyphen' ? hyphenated(pieces) : pieces.join('');
  return join(' ', name, suffix);
}

const UNIT = /(\d)(GB|TB|MB\/s|Mbps|mAh|ml|mm|cm|kg|km\/h|gsm|kPa|Pa|Hz|MP|sqm|bar|g|L|W|m)(?![\w/])/g;

export function spellValue(value: string, { spacedUnits, inches, pack }: Spelling): string {
  return spellPack(value, pack)
    .replace('-inch', inches)
    .replace(UNIT, spacedUnits ? '$1 $2' : '$1$2')
    .replace(/(\d) (pcs)\b/g, spacedUnits ? '$1 $2' : '$1$2')
    .replace(/^US (\d+)/, spacedUnits ? 'US $1' : 'US$1');
}

/** Formats a pack size such as `500ml x 6`. Other values, such as `US 9`, are returned unchanged. */
function spellPack(value: string, pack: Spelling['pack']): string {
  const [, size, count] = /^(.+) x (\d+)$/.exec(value) ?? [];
  if (size === undefined || pack === 'behind') return value;
  return pack === 'before' ? `${count} x ${size}` : `${size} (Pack of ${count})`;
}

type TitleParts = ReturnType<typeof partsOf>;

interface TitleStyle {
  /** The shares of titles in Chinese (`zh`) and in Malay (`ms`), from 0 to 1. */
  zh?: number;
  ms?: number;
  /** The possible spellings of a model number in titles. One of them is drawn for each title. */
  codes: readonly Spelling['code'][];
  inches: readonly Spelling['inches'][];
  packs: readonly Spelling['pack'][];
  spacedUnits: number;
  /** The shares of titles without brand, in capitals, with a tag at the start, and with a phrase at the end. */
  brandless?: number;
  shouted?: number;
  tagged?: number;
  crying?: number;
  write(parts: TitleParts): string;
}

const STYLES: Readonly<Record<string, TitleStyle>> = {
  lazada_sg: {
    zh: 0.03,
    ms: 0.02,
    codes: ['hyphen', 'hyphen', 'joined'],
    inches: ['"', ' inch'],
    packs: ['behind', 'before'],
    spacedUnits: 0.2,
    brandless: 0.03,
    shouted: 0.01,
    tagged: 0.35,
    crying: 0.25,
    write: ({ brand, name, noun, option, specs, colour, device, for: target }) =>
      device === ''
        ? join(' | ', join(' ', brand, name, noun, option), specs, colour)
        : join(' | ', join(' ', brand, name, noun, target, device, option), colour),
  },
  shopee_sg: {
    zh: 0.04,
    ms: 0.05,
    codes: ['hyphen', 'joined', 'spaced'],
    inches: [' Inch', '"', ' inch'],
    packs: ['behind', 'before'],
    spacedUnits: 0.15,
    brandless: 0.12,
    shouted: 0.06,
    tagged: 0.3,
    crying: 0.5,
    write: ({ brand, name, noun, option, specs, colour, device }) =>
      device === ''
        ? join(' ', brand, name, option, specs, noun, bracketed(colour))
        : join(' ', device, name, noun, option, bracketed(colour), brand),
  },
  amazon_sg: {
    codes: ['hyphen', 'hyphen', 'hyphen', 'joined'],
    inches: ['-inch', ' Inch'],
    packs: ['bracket'],
    spacedUnits: 0.4,
    write: ({ brand, name, noun, option, specs, colour, device, compatible }) =>
      device === ''
        ? join(', ', join(' ', brand, name, noun), option, specs, colour)
        : join(', ', join(' ', brand, name, noun, compatible, device), option, colour),
  },
  qoo10_sg: {
    zh: 0.08,
    codes: ['hyphen', 'spaced', 'joined'],
    inches: ['"', ' inch'],
    packs: ['before', 'behind'],
    spacedUnits: 0.5,
    brandless: 0.05,
    shouted: 0.02,
    crying: 0.35,
    write: ({ brand, name, noun, option, specs, colour, device, for: target }) => {
      const what = device === '' ? join(' ', name, noun) : join(' ', name, noun, target, device);
      return join(' / ', join(' ', brand && `[${brand}]`, what), option, specs, colour);
    },
  },
  courts_sg: {
    codes: ['joined', 'joined', 'hyphen'],
    inches: ['"', '-inch'],
    packs: ['behind'],
    spacedUnits: 0.1,
    shouted: 0.12,
    write: ({ brand, name, noun, option, specs, colour, device, for: target }) =>
      join(
        ' ',
        brand.toUpperCase(),
        specs,
        option,
        noun,
        device && `${target} ${device}`,
        name,
        bracketed(colour),
      ),
  },
  challenger_sg: {
    codes: ['hyphen', 'hyphen', 'spaced'],
    inches: [' inch', '-inch'],
    packs: ['behind'],
    spacedUnits: 0.3,
    tagged: 0.1,
    write: ({ brand, name, noun, option, specs, colour, device, for: target }) =>
      device === ''
        ? join(' - ', join(' ', brand, name, option, noun), join(', ', specs, colour))
        : join(' - ', join(' ', brand, name, noun, option, target, device), colour),
  },
};

/** The title of a product in the style of a platform; in Singapore (market null) in English, some in Chinese and Malay. */
export function titleOf(
  product: SampleProduct,
  source: string,
  random: Random,
  market: Market | null = null,
): string {
  const style = STYLES[source];
  if (style === undefined) throw new RangeError(`no title style of ${source}`);
  const spelling: Spelling = {
    code: random.pick(style.codes),
    spacedUnits: random.chance(style.spacedUnits),
    inches: random.pick(style.inches),
    pack: random.pick(style.packs),
  };
  const { zh = 0, ms = 0, brandless = 0, shouted = 0, tagged = 0, crying = 0 } = style;
  const language = random.unit();
  if (market !== null) return titleIn(market, product, style, spelling, random);
  if (language < zh) return chineseTitle(product, spelling, random);
  if (language < zh + ms) return malayTitle(product, spelling, random);
  const parts = partsOf(product, spelling, random);
  if (random.chance(brandless) && product.type.naming !== 'variety') parts.brand = '';
  const { tags, cries } = product.type.talk;
  const tag = random.chance(tagged) ? random.pick(tags) : '';
  const cry = random.chance(crying) ? random.pick(cries) : '';
  const repeats = cry.toUpperCase() === tag.slice(1, -1).toUpperCase();
  const title = join(' ', tag, style.write(parts), repeats ? '' : cry);
  return random.chance(shouted) ? title.toUpperCase() : title;
}

function titleIn(
  market: Market,
  product: SampleProduct,
  { tagged = 0, crying = 0, ...style }: TitleStyle,
  spelling: Spelling,
  random: Random,
): string {
  const { language } = market;
  const english = partsOf(product, { ...spelling, inches: '-inch' }, random);
  const title = style.write({
    ...english,
    noun: random.pick(language.nouns(product.type.id)),
    option: spelledIn(market, english.option),
    specs: spelledIn(market, english.specs),
    colour: language.colour(product.colour),
    for: market.for,
    compatible: market.compatible,
  });
  return join(' ', title, random.chance(Math.max(tagged, crying)) ? random.pick(market.talk) : '');
}

function partsOf(product: SampleProduct, spelling: Spelling, random: Random) {
  const { type, model, colour, device } = product;
  return {
    brand: model.brand,
    name: spellModel(model, spelling),
    // Half of the titles have the usual noun.
    noun: random.chance(0.5) ? at(type.nouns, 0) : random.pick(type.nouns),
    option: optionText(product, spelling),
    specs: product.specs
      .flatMap(({ value, inTitle }) => (inTitle === null ? [] : [spellValue(value, spelling) + inTitle]))
      .join(' '),
    colour: colour?.en ?? '',
    device: device === null ? '' : `${device.brand} ${spellModel(device, spelling)}`,
    /** The words that introduce the device for which an accessory is made. */
    for: 'for',
    compatible: 'Compatible with',
  };
}

const optionText = ({ option }: SampleProduct, spelling: Spelling): string =>
  option === null || option.value === '1 pc' ? '' : spellValue(option.value, spelling);

const CHINESE = languageNamed('zh');
const MALAY = languageNamed('ms');

/** The parts of a title in another language; `target` is its word before the device of an accessory. */
function wordsIn(language: Language, target: string, product: SampleProduct, spelling: Spelling) {
  const { type, model, colour, device } = product;
  const noun = at(language.nouns(type.id), 0);
  return {
    what: device === null ? noun : `${noun} ${target} ${device.brand} ${writtenName(device)}`,
    named: [model.brand, spellModel(model, spelling)],
    rest: [optionText(product, spelling), language.colour(colour)],
  };
}

function chineseTitle(product: SampleProduct, spelling: Spelling, random: Random): string {
  const { what, named, rest } = wordsIn(CHINESE, '适用于', product, spelling);
  const warranty = product.type.naming === 'variety' ? '【新品】' : '【本地保修】';
  return random.pick(['【现货】', warranty, '【官方正品】', '']) + join(' ', ...named, what, ...rest);
}

function malayTitle(product: SampleProduct, spelling: Spelling, random: Random): string {
  const { what, named, rest } = wordsIn(MALAY, 'untuk', product, spelling);
  return join(' ', what, ...named, ...rest, random.pick(['Stok Sedia Ada', 'Penghantaran Pantas', '']));
}

const join = (separator: string, ...texts: readonly string[]): string =>
  texts.filter(Boolean).join(separator);

const bracketed = (text: string): string => (text === '' ? '' : `(${text})`);
