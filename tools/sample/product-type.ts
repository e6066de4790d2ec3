import type { BrandPool } from './brands.js';
import { type Colour, colourNamed } from './colours.js';

/** How the products of a type are named. */
interface Models {
  brands: BrandPool;
  /**
   * `series`: a line and a generation, `Tarn 5`. `code`: a model number, `AX-320M5`. `article`: a model number as
   * appliances have, `HRC-4205`. `variety`: the line alone, `Thai Jasmine`.
   */
  naming: 'series' | 'code' | 'article' | 'variety';
  /** Lines of products; of `code` and `article` the letters behind the brand's initial. */
  lines: string;
  /** The models of a family. The first is always the plain one, `<` the one of the year before; else a suffix. */
  tiers?: string;
}

/**
 * A type of product, as the files of `departments/` define it. A list is a text with ` | ` between its items. `*1.2` after an
 * item is the factor by which it changes the price.
 */
export interface TypeDefinition {
  /** Also in image names: lower-case letters and hyphens. */
  id: string;
  /** The two levels below the department: `Audio > Headphones`. */
  path: string;
  /** What it is called in English; the first is the usual one, shops use the others as well. */
  noun: string;
  zh: string;
  ms: string;
  models: Models;
  /** From the cheapest to the dearest family, in dollars. */
  price: readonly [number, number];
  /** Each from the cheapest to the dearest; a family has one of each. */
  specs?: Readonly<Record<string, string>>;
  /** What varies within a family besides the colour: name and values. */
  option?: readonly [name: string, values: string];
  colours?: string;
  /** Specs that belong in a title, each with a word to follow it: `ram RAM | display`. */
  title?: string;
  /** The lead of the description, and further sentences. Placeholders: product, colour, device, specs, option. */
  about: readonly [string, ...string[]];
  /** The type it is an accessory of. */
  accessoryOf?: string;
  /** How many of its families come for one of the others. */
  slots?: number;
}

/** What shops add to any of their goods. */
export interface SalesTalk {
  /** In front of a title, and behind it. */
  tags: readonly string[];
  cries: readonly string[];
  /** Last sentences of a description. */
  closings: readonly string[];
}

export interface Department extends SalesTalk {
  name: string;
  /** Platforms that sell its goods. */
  sources: readonly string[];
  /** Third-party sellers. */
  shops: readonly string[];
  types: readonly TypeDefinition[];
}

/** The tier that stands for the model of the year before. */
export const PREVIOUS = '<';

/** A value and what it does to the price. */
export interface SamplePrice {
  value: string;
  factor: number;
}

/** Nobody gives a plug or two years of warranty with a phone case. */
const ACCESSORY_TALK: SalesTalk = {
  tags: ['[SG Stock]', '[Local Seller]', '[Bestseller]'],
  cries: ['Ready Stock', 'Fast Delivery', 'Local Seller'],
  closings: [
    'Please check the model of yours before ordering.',
    'Ships from Singapore by the next working day.',
    'Exchange within 14 days if it does not fit.',
  ],
};

/** A type, its texts taken apart. */
export interface ProductType {
  id: string;
  talk: SalesTalk;
  department: Department;
  path: readonly [string, string, string];
  nouns: readonly string[];
  zh: string;
  ms: string;
  brands: BrandPool;
  naming: Models['naming'];
  lines: readonly string[];
  tiers: readonly SamplePrice[];
  price: readonly [number, number];
  specs: readonly { name: string; values: readonly string[]; inTitle: string | null }[];
  option: { name: string; values: readonly SamplePrice[] } | null;
  colours: readonly Colour[];
  about: readonly [string, ...string[]];
  accessoryOf: string | null;
  slots: number;
}

export function productType(department: Department, definition: TypeDefinition): ProductType {
  const { id, path, models, zh, ms, price, specs = {}, option, colours, title, about } = definition;
  const [group = '', leaf = ''] = path.split(' > ');
  const shown = new Map(
    list(title).map((item) => /^(\S+)((?:\s.*)?)$/.exec(item)?.slice(1) as [string, string]),
  );
  return {
    id,
    department,
    zh,
    ms,
    price,
    about,
    talk: definition.accessoryOf === undefined ? department : ACCESSORY_TALK,
    path: [department.name, group, leaf],
    nouns: list(definition.noun),
    brands: models.brands,
    naming: models.naming,
    lines: list(models.lines),
    tiers: (models.tiers ?? '').split(' | ').map(priced),
    specs: Object.entries(specs).map(([name, values]) => ({
      name,
      values: list(values),
      inTitle: shown.get(name) ?? null,
    })),
    option: option === undefined ? null : { name: option[0], values: list(option[1]).map(priced) },
    colours: list(colours).map(colourNamed),
    accessoryOf: definition.accessoryOf ?? null,
    slots: definition.slots ?? 1,
  };
}

const list = (text = ''): string[] => (text === '' ? [] : text.split(' | '));

function priced(text: string): SamplePrice {
  const [stated = '', factor] = text.split('*');
  const value = stated.trimEnd();
  return { value, factor: Number(factor ?? (value === PREVIOUS ? '0.88' : '1')) };
}
