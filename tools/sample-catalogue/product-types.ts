import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Department, productType, type ProductType } from './product-type.js';

/** The files of `departments/`, in the order in which the catalogue generates products from them. */
const DEPARTMENTS = [
  'electronics',
  'computers',
  'appliances',
  'home-living',
  'beauty',
  'groceries',
  'household',
  'toys',
  'baby',
  'sports',
  'fashion',
  'stationery',
].map((name) => {
  const file = new URL(`departments/${name}.yaml`, import.meta.url);
  return parse(readFileSync(file, 'utf8')) as Department;
});

export const PRODUCT_TYPES: readonly ProductType[] = DEPARTMENTS.flatMap((department) =>
  department.types.map((definition) => productType(department, definition)),
);

const BY_ID = new Map(PRODUCT_TYPES.map((type) => [type.id, type]));

export function typeById(id: string): ProductType {
  const type = BY_ID.get(id);
  if (type === undefined) throw new RangeError(`no product type ${id}`);
  return type;
}
