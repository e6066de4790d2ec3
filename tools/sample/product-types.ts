import { APPLIANCES } from './departments/appliances.js';
import { BEAUTY } from './departments/beauty.js';
import { COMPUTERS } from './departments/computers.js';
import { ELECTRONICS } from './departments/electronics.js';
import { BABY, TOYS } from './departments/family.js';
import { GROCERIES, HOUSEHOLD } from './departments/groceries.js';
import { HOME_LIVING } from './departments/home-living.js';
import { FASHION, SPORTS, STATIONERY } from './departments/leisure.js';
import { productType, type ProductType } from './product-type.js';

const DEPARTMENTS = [
  ELECTRONICS,
  COMPUTERS,
  APPLIANCES,
  HOME_LIVING,
  BEAUTY,
  GROCERIES,
  HOUSEHOLD,
  TOYS,
  BABY,
  SPORTS,
  FASHION,
  STATIONERY,
];

export const PRODUCT_TYPES: readonly ProductType[] = DEPARTMENTS.flatMap((department) =>
  department.types.map((definition) => productType(department, definition)),
);

const BY_ID = new Map(PRODUCT_TYPES.map((type) => [type.id, type]));

/** @throws RangeError for an id that no type has. */
export function typeById(id: string): ProductType {
  const type = BY_ID.get(id);
  if (type === undefined) throw new RangeError(`no product type ${id}`);
  return type;
}
