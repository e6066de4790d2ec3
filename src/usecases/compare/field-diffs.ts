import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';

/** Fields that differ for reasons of their own: ids, links and times. `metadata` is compared by attribute. */
const UNCOMPARED: readonly string[] = [
  'id',
  'buy_url',
  'affiliate_url',
  'image_url',
  'last_checked',
  'metadata',
  'updated_at',
];

/**
 * Every compared field: those of the Product in their order, then each metadata attribute that at least two of
 * the products have, in the order of first sight. An object in metadata counts as a group of attributes, one level
 * deep; what is deeper is compared as JSON text.
 */
export function fieldDiffs(products: readonly Product[]) {
  const fields = PRODUCT_FIELDS.filter((field) => !UNCOMPARED.includes(field)).map((field) =>
    diffOf(
      field,
      products.map((product) => textOf(product[field])),
    ),
  );
  const attributes = products.map(({ metadata }) => attributesOf(metadata));
  const shared = [...new Set(attributes.flatMap((own) => [...own.keys()]))].filter(
    (name) => attributes.filter((own) => own.has(name)).length >= 2,
  );
  return [
    ...fields,
    ...shared.map((name) =>
      diffOf(
        name,
        attributes.map((own) => own.get(name) ?? ''),
      ),
    ),
  ];
}

/** One field of all products beside each other: texts in their order, unknown is empty. */
function diffOf(field: string, values: string[]) {
  return { field, values, all_identical: values.every((value) => value === values[0]) };
}

/** Texts of the attributes that are known, by their full names. */
function attributesOf(metadata: unknown): Map<string, string> {
  const attributes = Object.entries(isObject(metadata) ? metadata : {}).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(value).map(([inner, innerValue]) => [`${name}.${inner}`, innerValue] as const)
      : [[name, value] as const],
  );
  return new Map(
    attributes
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [`metadata.${name}`, textOf(value)]),
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(' > ');
  return typeof value === 'object'
    ? JSON.stringify(sorted(value))
    : String(value as string | number | boolean);
}

/** The same object whatever the order of its keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
