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

/** How the shops of a platform write titles; platforms.yaml describes the members. */
export interface TitleStyle {
  title: string;
  accessory: string;
  zh?: number;
  ms?: number;
  codes: readonly Spelling['code'][];
  inches: readonly Spelling['inches'][];
  packs: readonly Spelling['pack'][];
  spaced_units: number;
  brandless?: number;
  shouted?: number;
  tagged?: number;
  crying?: number;
}

const SEPARATORS = [' - ', ' | ', ' / ', ', ', ' '];

/** Fills a title of platforms.yaml with its parts. */
function filled(title: string, parts: Readonly<Record<string, string>>): string {
  const separator = SEPARATORS.find((one) => title.includes(one));
  if (separator !== undefined)
    return join(separator, ...title.split(separator).map((one) => filled(one, parts)));
  const [, open = '', name = '', close = ''] = /^(\W?)(\w+)(\W?)$/.exec(title) ?? [];
  const part = parts[name.toLowerCase()] ?? '';
  if (part === '') return '';
  return open + (name === name.toLowerCase() ? part : part.toUpperCase()) + close;
}

/** The title of a product in the style of a platform; in Singapore (market null) in English, some in Chinese and Malay. */
export function titleOf(
  product: SampleProduct,
  style: TitleStyle,
  random: Random,
  market: Market | null = null,
): string {
  const spelling: Spelling = {
    code: random.pick(style.codes),
    spacedUnits: random.chance(style.spaced_units),
    inches: random.pick(style.inches),
    pack: random.pick(style.packs),
  };
  const { zh = 0, ms = 0, brandless = 0, shouted = 0, tagged = 0, crying = 0 } = style;
  const language = random.unit();
  if (market !== null) return titleIn(market, product, style, spelling, random);
  if (language < zh) return chineseTitle(product, spelling, random);
  if (language < zh + ms) return malayTitle(product, spelling, random);
  const { type, device } = product;
  const parts = partsOf(product, spelling, nounOf(product, random));
  if (random.chance(brandless) && type.naming !== 'variety') parts.brand = '';
  const { tags, cries } = type.talk;
  const tag = random.chance(tagged) ? random.pick(tags) : '';
  const cry = random.chance(crying) ? random.pick(cries) : '';
  const repeats = cry.toUpperCase() === tag.slice(1, -1).toUpperCase();
  const written = filled(device === null ? style.title : style.accessory, parts);
  const title = join(' ', tag, written, repeats ? '' : cry);
  return random.chance(shouted) ? title.toUpperCase() : title;
}

function titleIn(
  market: Market,
  product: SampleProduct,
  { title, accessory, tagged = 0, crying = 0 }: TitleStyle,
  spelling: Spelling,
  random: Random,
): string {
  const { language } = market;
  // The English noun is not used, but drawn, so that the sample stays the same.
  const english = partsOf(product, { ...spelling, inches: '-inch' }, nounOf(product, random));
  const written = filled(product.device === null ? title : accessory, {
    ...english,
    noun: random.pick(language.nouns(product.type.id)),
    option: spelledIn(market, english.option),
    specs: spelledIn(market, english.specs),
    colour: language.colour(product.colour),
    for: market.for,
    compatible: market.compatible,
  });
  return join(' ', written, random.chance(Math.max(tagged, crying)) ? random.pick(market.talk) : '');
}

/** Half of the titles have the usual noun. */
const nounOf = ({ type }: SampleProduct, random: Random): string =>
  random.chance(0.5) ? at(type.nouns, 0) : random.pick(type.nouns);

function partsOf({ model, colour, device, option, specs }: SampleProduct, spelling: Spelling, noun: string) {
  return {
    brand: model.brand,
    name: spellModel(model, spelling),
    noun,
    option: option === null || option.value === '1 pc' ? '' : spellValue(option.value, spelling),
    specs: specs
      .flatMap(({ value, inTitle }) => (inTitle === null ? [] : [spellValue(value, spelling) + inTitle]))
      .join(' '),
    colour: colour?.en ?? '',
    device: device === null ? '' : `${device.brand} ${spellModel(device, spelling)}`,
    /** The words that introduce the device for which an accessory is made. */
    for: 'for',
    compatible: 'Compatible with',
  };
}

const CHINESE = languageNamed('zh');
const MALAY = languageNamed('ms');

/** A title in another language of Singapore. */
function foreignTitle(language: Language, product: SampleProduct, spelling: Spelling): string {
  const { type, colour, device } = product;
  return filled(language.title ?? '', {
    ...partsOf(product, spelling, at(language.nouns(type.id), 0)),
    colour: language.colour(colour),
    for: device === null ? '' : (language.for ?? ''),
    device: device === null ? '' : `${device.brand} ${writtenName(device)}`,
  });
}

function chineseTitle(product: SampleProduct, spelling: Spelling, random: Random): string {
  const warranty = product.type.naming === 'variety' ? '【新品】' : '【本地保修】';
  return random.pick(['【现货】', warranty, '【官方正品】', '']) + foreignTitle(CHINESE, product, spelling);
}

const malayTitle = (product: SampleProduct, spelling: Spelling, random: Random): string =>
  join(
    ' ',
    foreignTitle(MALAY, product, spelling),
    random.pick(['Stok Sedia Ada', 'Penghantaran Pantas', '']),
  );

const join = (separator: string, ...texts: readonly string[]): string =>
  texts.filter(Boolean).join(separator);
