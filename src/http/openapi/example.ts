import type { TSchema } from 'typebox';
import { PRODUCT_FIELDS, ProductSchema } from '../../schemas/product.js';

/** The members of JSON Schema that the schemas of the service use. */
interface Schema {
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string | string[];
  examples?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minimum?: number;
  pattern?: string;
  format?: string;
}

/**
 * Generates the example of a schema from the examples that it and its parts state; otherwise from the smallest valid
 * values. Optional members are omitted, except those of a Product.
 */
export function exampleOf(schema: TSchema): unknown {
  return valueOf(schema as Schema, 'text');
}

const FORMATS: Record<string, string> = {
  'date-time': '2026-11-20T22:15:00Z',
  uuid: '0b9f0a52-6f3e-4c7e-9d0a-5f6c1d2e3a4b',
};

const PRODUCT = valueOf(ProductSchema as unknown as Schema, '') as Record<string, unknown>;

const known = (properties: object): Record<string, unknown> =>
  PRODUCT_FIELDS.every((field) => field in properties) ? PRODUCT : {};

function valueOf(schema: Schema, name: string): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return valueOf(schema.anyOf[0], name);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([member]) => schema.required?.includes(member) || member in known(schema.properties ?? {}))
          .map(([member, inner]) => [
            member,
            known(schema.properties ?? {})[member] ?? valueOf(inner, member),
          ]),
      );
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () =>
        valueOf(schema.items ?? {}, name),
      );
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    case 'string':
      if (schema.format !== undefined) return FORMATS[schema.format] ?? name;
      // In the schemas of the service, only amounts of money have a pattern, so the example is an amount.
      return schema.pattern === undefined ? name : '349.00';
    default:
      return null;
  }
}
