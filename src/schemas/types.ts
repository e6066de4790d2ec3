import { type Static, Type, type TSchema } from 'typebox';

/** `string | null` in one schema; OpenAPI 3.1 writes it as a type array. */
export const nullable = (
  type: 'string' | 'boolean',
  description: string,
  extra: Record<string, unknown> = {},
) => Type.Unsafe<string | null>({ type: [type, 'null'], description, ...extra });

/** One of some texts. Unlike `Type.Enum` it states its type, without which generators of clients and agents fail. */
export const Enum = <const Value extends string>(
  values: readonly Value[],
  options: Record<string, unknown> = {},
) => Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options });

/** The value of a schema, or null. It is a union only where the schema is a component of its own. */
export function orNull<Schema extends TSchema>(schema: Schema, description: string) {
  if ('$id' in schema)
    return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, Type.Null()], description });
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
    description,
  });
}

/**
 * A schema that the documents state with other members than those that validate: for values that are accepted beyond what
 * the documents promise, and for limits whose violation is not a 422.
 */
export const documentedAs = <Schema extends TSchema>(
  schema: Schema,
  documented: Record<string, unknown>,
): Schema => ({ ...schema, documented });

/** A price that is always there, as a decimal string. */
export const money = (description: string, example = '349.00') =>
  Type.String({ description, pattern: '^\\d+\\.\\d{2,}$', examples: [example] });

/**
 * A decimal in the query or body, e.g. a price limit. Handlers get its text, and that of its default, so that no cent
 * passes through a float; a default is stated as documents show it, as a number.
 */
export const Decimal = (options: { default?: number } & Record<string, unknown>) =>
  Type.Unsafe<string>({ type: 'number', ...options });

/**
 * A parameter with several values: the parameter is repeated, or one text holds values with a separator between them.
 * Each value counts once. Blank values are ignored, and a list without another value counts as not given.
 * @param separators the characters that each separate two values.
 */
export const List = <Item extends TSchema>(
  separators: '|' | ',' | ',|',
  items: Item,
  { description, ...options }: { description: string } & Record<string, unknown>,
) =>
  Type.Unsafe<Static<Item>[]>({
    type: 'array',
    separators,
    items,
    description: `${description}. Several values: the parameter repeated, or separated by ${SEPARATORS[separators]}; an empty list counts as not given`,
    ...options,
  });

const SEPARATORS = { '|': '`|`', ',': 'commas', ',|': 'commas or `|`' };

/** A value as its JSON, in UTF-8: what is sent as it is. */
export type Json<Value> = Buffer & { readonly jsonOf?: Value };
