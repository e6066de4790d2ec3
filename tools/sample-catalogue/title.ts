import { writtenName } from './family.js';
import type { SampleProduct } from './product.js';
import { at, type Random } from './random.js';
import { type Spelling, spellModel, spellValue } from './spelling.js';

interface TitleParts {
  brand: string;
  name: string;
  noun: string;
  option: string;
  specs: string;
  colour: string;
  device: string;
}

interface TitleStyle {
  /** The shares of titles in Chinese (`zh`) and in Malay (`ms`), from 0 to 1. */
  zh?: number;
  ms?: number;
  /** The possible spellings of a model number. One is drawn for each title. */
  codes: readonly Spelling['code'][];
  inches: readonly Spelling['inches'][];
  packs: readonly Spelling['pack'][];
  spacedUnits: number;
  /** Shares of titles without brand, in capitals, with a tag at the start, and with a phrase at the end. */
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
    write: ({ brand, name, noun, option, specs, colour, device }) =>
      device === ''
        ? join(' | ', join(' ', brand, name, noun, option), specs, colour)
        : join(' | ', join(' ', brand, name, noun, 'for', device, option), colour),
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
    write: ({ brand, name, noun, option, specs, colour, device }) =>
      device === ''
        ? join(', ', join(' ', brand, name, noun), option, specs, colour)
        : join(', ', join(' ', brand, name, noun, 'Compatible with', device), option, colour),
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
    write: ({ brand, name, noun, option, specs, colour, device }) => {
      const what = device === '' ? join(' ', name, noun) : join(' ', name, noun, 'for', device);
      return join(' / ', join(' ', brand && `[${brand}]`, what), option, specs, colour);
    },
  },
  courts_sg: {
    codes: ['joined', 'joined', 'hyphen'],
    inches: ['"', '-inch'],
    packs: ['behind'],
    spacedUnits: 0.1,
    shouted: 0.12,
    write: ({ brand, name, noun, option, specs, colour, device }) =>
      join(' ', brand.toUpperCase(), specs, option, noun, device && `for ${device}`, name, bracketed(colour)),
  },
  challenger_sg: {
    codes: ['hyphen', 'hyphen', 'spaced'],
    inches: [' inch', '-inch'],
    packs: ['behind'],
    spacedUnits: 0.3,
    tagged: 0.1,
    write: ({ brand, name, noun, option, specs, colour, device }) =>
      device === ''
        ? join(' - ', join(' ', brand, name, option, noun), join(', ', specs, colour))
        : join(' - ', join(' ', brand, name, noun, option, 'for', device), colour),
  },
};

export function titleOf(product: SampleProduct, source: string, random: Random): string {
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
  if (language < zh) return chineseTitle(product, spelling, random);
  if (language < zh + ms) return malayTitle(product, spelling, random);
  const parts = partsOf(product, spelling, random);
  if (random.chance(brandless) && product.type.naming !== 'variety') parts.brand = '';
  const { tags, cries } = product.type.talk;
  const tag = random.chance(tagged) ? random.pick(tags) : '';
  const cry = random.chance(crying) ? random.pick(cries) : '';
  const title = join(
    ' ',
    tag,
    style.write(parts),
    cry.toUpperCase() === tag.slice(1, -1).toUpperCase() ? '' : cry,
  );
  return random.chance(shouted) ? title.toUpperCase() : title;
}

function partsOf(product: SampleProduct, spelling: Spelling, random: Random): TitleParts {
  const { type, model, colour, device } = product;
  return {
    brand: model.brand,
    name: spellModel(model, spelling),
    // Half of the titles contain the usual noun, which is the first; the others a random one.
    noun: random.chance(0.5) ? at(type.nouns, 0) : random.pick(type.nouns),
    option: optionText(product, spelling),
    specs: product.specs
      .flatMap(({ value, inTitle }) => (inTitle === null ? [] : [spellValue(value, spelling) + inTitle]))
      .join(' '),
    colour: colour?.en ?? '',
    device: device === null ? '' : `${device.brand} ${spellModel(device, spelling)}`,
  };
}

function optionText({ option }: SampleProduct, spelling: Spelling): string {
  if (option === null || option.value === '1 pc') return '';
  return spellValue(option.value, spelling);
}

function chineseTitle(product: SampleProduct, spelling: Spelling, random: Random): string {
  const { type, model, colour, device } = product;
  const what = device === null ? type.zh : `${type.zh} 适用于 ${device.brand} ${writtenName(device)}`;
  const tag = random.pick([
    '【现货】',
    type.naming === 'variety' ? '【新品】' : '【本地保修】',
    '【官方正品】',
    '',
  ]);
  return (
    tag +
    join(' ', model.brand, spellModel(model, spelling), what, optionText(product, spelling), colour?.zh ?? '')
  );
}

function malayTitle(product: SampleProduct, spelling: Spelling, random: Random): string {
  const { type, model, colour, device } = product;
  const what = device === null ? type.ms : `${type.ms} untuk ${device.brand} ${writtenName(device)}`;
  const cry = random.pick(['Stok Sedia Ada', 'Penghantaran Pantas', '']);
  return join(
    ' ',
    what,
    model.brand,
    spellModel(model, spelling),
    optionText(product, spelling),
    colour?.ms ?? '',
    cry,
  );
}

const join = (separator: string, ...texts: readonly string[]): string =>
  texts.filter(Boolean).join(separator);

const bracketed = (text: string): string => (text === '' ? '' : `(${text})`);
