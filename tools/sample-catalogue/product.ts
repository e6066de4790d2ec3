import { checkDigit } from '../../src/listing/gtin.js';

import { type ModelName, modelName, writtenName } from './family.js';
import { PREVIOUS, PRODUCT_TYPES, type ProductType, type PricedValue, typeById } from './product-types.js';
import { at, hash32, Random } from './random.js';
import type { Colour } from './tables.js';

export interface SampleProduct {
  index: number;
  type: ProductType;
  model: ModelName;
  specs: readonly { name: string; value: string; inTitle: string | null }[];
  option: { name: string; value: string } | null;
  colour: Colour | null;
  device: ModelName | null;
  gtin: string | null;
  cents: number;
}

/** The share of products that have a GTIN. Tests check it. */
const GTIN_SHARE = 0.4;

/** The models of each family, by the indices of tier, option and colour. Those that a type lacks are skipped. */
const VARIANTS = [
  [0, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 0, 0],
  [2, 0, 0],
  [0, 2, 0],
  [1, 1, 1],
  [2, 1, 0],
  [0, 3, 0],
] as const;

interface Place {
  type: ProductType;
  slot: number;
  variant: readonly [tier: number, option: number, colour: number];
}

const PLACES: readonly Place[] = PRODUCT_TYPES.flatMap((type) =>
  Array.from({ length: type.slots }, (_, slot) =>
    VARIANTS.filter(
      ([tier, option, colour]) =>
        tier < type.tiers.length &&
        option < (type.option?.values.length ?? 1) &&
        colour < Math.max(1, type.colours.length),
    ).map((variant) => ({ type, slot, variant })),
  ).flat(),
);

/** Generates a product by its index. A cycle goes through all models of some families; the next has new families. */
export function productsOf(seed: number): (index: number) => SampleProduct {
  const places = new Random(seed, 'places').shuffled(PLACES);
  return (index) => productAt(seed, index, at(places, index), Math.floor(index / places.length));
}

function productAt(
  seed: number,
  index: number,
  { type, slot, variant }: Place,
  cycle: number,
): SampleProduct {
  const family = cycle * type.slots + slot;
  const random = new Random(seed, type.id, family);
  const quality = random.unit();
  const firstColour = random.below(Math.max(1, type.colours.length));
  const tier = at(type.tiers, variant[0]);
  const option = type.option === null ? null : at(type.option.values, variant[1]);
  return {
    index,
    type,
    model: modelName(seed, type, family, tier.value),
    specs: type.specs.map(({ name, values, inTitle }) => {
      const rank = quality + tierStep(tier) + random.between(-0.12, 0.12);
      const place = Math.floor(Math.min(0.999, Math.max(0, rank)) * values.length);
      return { name, value: at(values, place), inTitle };
    }),
    option: type.option === null || option === null ? null : { name: type.option.name, value: option.value },
    colour: type.colours.length === 0 ? null : at(type.colours, firstColour + variant[2]),
    device: deviceOf(seed, type, cycle, slot, tier.value),
    gtin: new Random(seed, 'gtin', index).chance(GTIN_SHARE) ? gtin13(seed, index) : null,
    cents: usualCents(type, quality, tier, option),
  };
}

function deviceOf(
  seed: number,
  type: ProductType,
  cycle: number,
  slot: number,
  tier: string,
): ModelName | null {
  if (type.accessoryOf === null) return null;
  const device = typeById(type.accessoryOf);
  return modelName(seed, device, cycle * device.slots + (slot % device.slots), tier);
}

function tierStep({ value }: PricedValue): number {
  if (value === '') return 0;
  return value === PREVIOUS || value === 'Mini' ? -0.22 : 0.25;
}

function usualCents(
  { price: [low, high], accessoryOf }: ProductType,
  quality: number,
  tier: PricedValue,
  option: PricedValue | null,
) {
  const dollars = low * (high / low) ** quality;
  return Math.round(100 * dollars * (accessoryOf === null ? tier.factor : 1) * (option?.factor ?? 1));
}

/** The brand and model, such as `Kestrel Tarn 5 Pro`; after a variety such as `Thai Jasmine`, the noun of the type. */
export function productName({ type, model }: Pick<SampleProduct, 'type' | 'model'>): string {
  const named = `${model.brand} ${writtenName(model)}`;
  return type.naming === 'variety' ? `${named} ${at(type.nouns, 0)}` : named;
}

const GTIN_BODIES = 1e11;
/** The distance between successive GTINs. It is prime to ten, so that they differ. */
const GTIN_STEP = 70_368_749;

/** Returns the EAN-13 of a product, from the range 200 to 299 that no real product has. */
function gtin13(seed: number, index: number): string {
  const body = `2${String((index * GTIN_STEP + hash32(seed, 'gtin')) % GTIN_BODIES).padStart(11, '0')}`;
  return body + checkDigit(body);
}

/** The options whose values state how much is sold. Others, such as `capacity`, state a property of the product. */
const QUANTITY_OPTIONS = new Set(['size', 'pack']);
/** The product types whose size is the capacity of a vessel. */
const VESSELS = new Set(['feeding-bottle']);
const SOLD = /^(?:[SMLX]+ )?(\d+(?:\.\d+)?)[ -]?(ml|l|g|kg|pcs?|pack|rolls|bags|sheets)(?: x (\d+))?$/i;
const MEASURED = new Set(['ml', 'l', 'g', 'kg']);

/** The quantity that one listing of a product sells; null if a listing sells nothing but the product itself. */
export function soldQuantity({ type, option }: SampleProduct): { amount: number; unit: string } | null {
  if (option === null || !QUANTITY_OPTIONS.has(option.name)) return null;
  const [, size, unit = '', times = '1'] = SOLD.exec(option.value) ?? [];
  if (size === undefined) return null;
  const measure = unit.toLowerCase();
  if (VESSELS.has(type.id)) return times === '1' ? null : { amount: Number(times), unit: 'piece' };
  const amount = Math.round(Number(size) * 1000 * Number(times)) / 1000;
  return { amount, unit: MEASURED.has(measure) ? measure : 'piece' };
}
