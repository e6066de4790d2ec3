import type { BrandPool } from './brands.js';
import { type Colour, colourNamed } from './colours.js';

/** How the models of a product type are named. */
interface Models {
  brands: BrandPool;
  /**
   * The form of model names. `series`: a line and a generation, such as `Tarn 5`. `code`: a model number,
   * such as `AX-320M5`. `article`: a model number in the style of appliances, such as `HRC-4205`.
   * `variety`: the line only, such as `Thai Jasmine`.
   */
  naming: 'series' | 'code' | 'article' | 'variety';
  /**
   * The names of the product lines. For `code` and `article`, they are the letters that follow the initial
   * of the brand.
   */
  lines: string;
  /**
   * The models of a family. The first one is always the standard model. `<` is the model of the previous
   * year; any other text is a suffix of the model's name.
   */
  tiers?: string;
}

/**
 * A product type in the form in which the files of `departments/` define it. A list is a text whose items
 * are separated by ` | `. `*1.2` after an item is the factor by which the item multiplies the price.
 */
export interface TypeDefinition {
  /** The id of the product type, in lower-case letters and hyphens. Image names contain it. */
  id: string;
  /** The two category levels below the department, such as `Audio > Headphones`. */
  path: string;
  /** The English product type words. The first one is the usual one; shops use the others as well. */
  noun: string;
  zh: string;
  ms: string;
  models: Models;
  /** The usual price of the cheapest and of the most expensive family, in dollars. */
  price: readonly [number, number];
  /**
   * For each specification, its values from the cheapest to the most expensive. Each family has one value
   * of each specification.
   */
  specs?: Readonly<Record<string, string>>;
  /**
   * The name and the values of the option that varies within a family besides the colour, such as a size.
   */
  option?: readonly [name: string, values: string];
  colours?: string;
  /**
   * The specifications that titles contain, each optionally followed by a word, such as `ram RAM |
   * display`.
   */
  title?: string;
  /**
   * The sentences of descriptions. Each description starts with the first one. Placeholders are `product`,
   * `colour`, `device`, `option` and the names of specifications.
   */
  about: readonly [string, ...string[]];
  /** The id of the product type for which this type is an accessory. */
  accessoryOf?: string;
  /** The number of families of this type that are generated for one family of each other type. */
  slots?: number;
}

/** Texts with which shops advertise products of any type. */
export interface SalesTalk {
  /** Advertising texts at the start of titles. */
  tags: readonly string[];
  /** Advertising texts at the end of titles. */
  cries: readonly string[];
  /** Sentences with which shops end their product descriptions. */
  closings: readonly string[];
}

export interface Department extends SalesTalk {
  name: string;
  /** The platforms that sell the products of this department. */
  sources: readonly string[];
  /** The third-party sellers of the department's products. */
  shops: readonly string[];
  types: readonly TypeDefinition[];
}

/** The model tier that stands for last year's standard model of a family. */
export const PREVIOUS = '<';

/** A value of a product and the factor by which it multiplies the price. */
export interface SamplePrice {
  value: string;
  factor: number;
}

/**
 * Accessories have their own advertising texts: no shop offers a mains plug or a warranty of two years with
 * a phone case.
 */
const ACCESSORY_TALK: SalesTalk = {
  tags: ['[SG Stock]', '[Local Seller]', '[Bestseller]'],
  cries: ['Ready Stock', 'Fast Delivery', 'Local Seller'],
  closings: [
    'Please check the model of yours before ordering.',
    'Ships from Singapore by the next working day.',
    'Exchange within 14 days if it does not fit.',
  ],
};

/** A product type whose lists have been parsed from the texts of its definition. */
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
