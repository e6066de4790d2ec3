import { type Colour, colourNamed, readTable } from './tables.js';

/** The forms of model names: `Tarn 5`, `AX-320M5`, `HRC-4205` and `Thai Jasmine`. */
const NAMINGS = ['series', 'code', 'article', 'variety'] as const;
type Naming = (typeof NAMINGS)[number];

/**
 * How models are named. The key of the naming has the product lines; for `code` and `article`, the letters behind the brand's
 * initial.
 */
interface Models extends Partial<Record<Naming, string>> {
  /** The trade in brands.yaml whose brands make this type of product. */
  brands: string;
  /** The model tiers of a family: the standard one first. `<` is last year's model; others are suffixes such as `Pro`. */
  tiers?: string;
}

/** A product type of `departments/`. Items of a list are separated by ` | `; `*1.2` multiplies the price. */
interface TypeDefinition {
  id: string;
  /** The two category levels below the department, such as `Audio > Headphones`. */
  path: string;
  /** The English words for the type, the usual one first. */
  noun: string;
  models: Models;
  price: readonly [low: number, high: number];
  /** For each specification, its values from the cheapest to the most expensive. */
  specs?: Readonly<Record<string, string>>;
  option?: readonly [name: string, values: string];
  colours?: string;
  /** The specifications in titles: with `ram RAM | display`, the memory size with "RAM" behind it, and the display size. */
  title?: string;
  /** The sentences of descriptions. The first one begins each description. Placeholders are the names of properties. */
  about: string;
  accessoryOf?: string;
  /** The number of families of this type that are generated for one family of each other type. */
  slots?: number;
}

interface SalesTalk {
  tags: readonly string[];
  cries: readonly string[];
  closings: readonly string[];
}

interface Department extends Omit<SalesTalk, 'closings'> {
  name: string;
  closings: string;
  sources: readonly string[];
  shops: readonly string[];
  types: readonly TypeDefinition[];
}

/** The model tier that stands for last year's standard model of a family. */
export const PREVIOUS = '<';

/** A value of a property, and the factor by which it multiplies the price of a product. */
export interface PricedValue {
  value: string;
  factor: number;
}

const ACCESSORY_TALK = readTable<SalesTalk>('accessory-talk');

export interface ProductType extends Pick<TypeDefinition, 'id' | 'price'> {
  talk: SalesTalk;
  department: Department;
  path: readonly [string, string, string];
  nouns: readonly string[];
  brands: string;
  naming: Naming;
  lines: readonly string[];
  tiers: readonly PricedValue[];
  specs: readonly { name: string; values: readonly string[]; inTitle: string | null }[];
  option: { name: string; values: readonly PricedValue[] } | null;
  colours: readonly Colour[];
  about: readonly string[];
  accessoryOf: string | null;
  slots: number;
}

function productType(department: Department, definition: TypeDefinition): ProductType {
  const { id, path, models, specs = {}, option, accessoryOf = null, slots = 1 } = definition;
  const naming = NAMINGS.find((key) => models[key] !== undefined);
  if (naming === undefined) throw new RangeError(`${id} has no names of models`);
  const [group = '', leaf = ''] = path.split(' > ');
  const inTitle = new Map(
    list(definition.title).map((item) => /^(\S+)((?:\s.*)?)$/.exec(item)?.slice(1) as [string, string]),
  );
  return {
    ...definition,
    department,
    accessoryOf,
    slots,
    talk: accessoryOf === null ? { ...department, closings: sentences(department.closings) } : ACCESSORY_TALK,
    about: sentences(definition.about),
    path: [department.name, group, leaf],
    nouns: list(definition.noun),
    brands: models.brands,
    naming,
    lines: list(models[naming]),
    tiers: (models.tiers ?? '').split(' | ').map(priced),
    specs: Object.entries(specs).map(([name, values]) => ({
      name,
      values: list(values),
      inTitle: inTitle.get(name) ?? null,
    })),
    option: option === undefined ? null : { name: option[0], values: list(option[1]).map(priced) },
    colours: list(definition.colours).map(colourNamed),
  };
}

const sentences = (text: string): string[] => text.trim().split(/(?<=[.!?]) (?=[A-Z{“])/);

const list = (text = ''): string[] => (text === '' ? [] : text.split(' | '));

function priced(text: string): PricedValue {
  const [stated = '', factor] = text.split('*');
  const value = stated.trimEnd();
  return { value, factor: Number(factor ?? (value === PREVIOUS ? '0.88' : '1')) };
}

/** The files of `departments/`, in the order in which the catalogue generates products from them. */
const DEPARTMENTS =
  'electronics computers appliances home-living beauty groceries household toys baby sports fashion stationery';

export const PRODUCT_TYPES: readonly ProductType[] = DEPARTMENTS.split(' ').flatMap((name) => {
  const department = readTable<Department>(`departments/${name}`);
  return department.types.map((definition) => productType(department, definition));
});

const BY_ID = new Map(PRODUCT_TYPES.map((type) => [type.id, type]));

/** Returns the product type with this id. @throws RangeError if there is no such type. */
export function typeById(id: string): ProductType {
  const type = BY_ID.get(id);
  if (type === undefined) throw new RangeError(`no product type ${id}`);
  return type;
}
