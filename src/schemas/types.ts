import { Type, type TSchema } from 'typebox';

/** `string | null` in one schema; OpenAPI 3.1 writes it as a type array. */
export const nullable = (
  type: 'string' | 'boolean',
  description: string,
  extra: Record<string, unknown> = {},
) => Type.Unsafe<string | null>({ type: [type, 'null'], description, ...extra });

/** Any schema's value, or null. */
export const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** A price that is always there, as a decimal string. */
export const money = (description: string, example = '349.00') =>
  Type.String({ description, pattern: '^\\d+\\.\\d{2,}$', examples: [example] });

/**
 * A decimal in the query or body, e.g. a price limit. Handlers get its text, and that of its default, so that no cent
 * passes through a float; a default is stated as documents show it, as a number.
 */
export const Decimal = (options: { default?: number } & Record<string, unknown>) =>
  Type.Unsafe<string>({ type: 'number', ...options });

/** Several values in one parameter, with a separator between them. Blank ones are none. */
export const List = (separator: '|' | ',', items: TSchema, options: Record<string, unknown>) =>
  Type.Unsafe<string[]>({ type: 'array', separator, items, ...options });

/** A value as its JSON, in UTF-8: what is sent as it is. */
export type Json<Value> = Buffer & { readonly jsonOf?: Value };
