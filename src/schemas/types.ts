import { type Static, Type, type TSchema } from 'typebox';

interface Types {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
}

/** The schema of a plain value that may be null, as a type array, which typed clients handle well. */
export const nullable = <Name extends keyof Types>(
  type: Name,
  description: string,
  extra: Record<string, unknown> = {},
) => Type.Unsafe<Types[Name] | null>({ type: [type, 'null'], description, ...extra });

/** Schemas of members of responses that need nothing but a description. */
export const text = (description: string) => Type.String({ description });
export const integer = (description: string) => Type.Integer({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const time = (description: string) => Type.String({ description, format: 'date-time' });
export const timeOrNull = (description: string) => nullable('string', description, { format: 'date-time' });

/** Schemas of parameters that need not be given: a flag that is not set by default, and a number from 1. */
export const flagParameter = (description: string) =>
  Type.Optional(Type.Boolean({ default: false, description }));
export const countParameter = (maximum: number, ofDefault: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: ofDefault, description }));

/** The schema of one of several strings. Unlike `Type.Enum`, it states its type, as clients require. */
export const Enum = <const Value extends string>(
  values: readonly Value[],
  options: Record<string, unknown> = {},
) => Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options });

/** Makes a schema accept null as well. Only a schema with an `$id` needs a union for this. */
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

/** Replaces members of a schema in the OpenAPI document, if its documentation differs from its validation. */
export const documentedAs = <Schema extends TSchema>(
  schema: Schema,
  documented: Record<string, unknown>,
): Schema => ({ ...schema, documented });

/** The schema of a price that is never null, as a decimal string. */
export const money = (description: string, example = '349.00') =>
  Type.String({ description, pattern: '^\\d+\\.\\d{2,}$', examples: [example] });

/**
 * The schema of an id in a request that becomes part of the path of a request to Elasticsearch. An empty id, or one with
 * a character that has a meaning in paths, would change what is requested.
 */
export const DocumentId = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ description, maxLength: 100, pattern: '^[\\w-]+$', ...options });

/** The schema of a decimal number in a request. Handlers receive it as text, so it is never rounded. */
export const Decimal = ({
  description,
  ...options
}: { description: string; default?: number } & Record<string, unknown>) =>
  Type.Unsafe<string>({
    type: 'number',
    description: `${description}. A decimal number without an exponent`,
    ...options,
  });

/**
 * The schema of a product id in an array of a request body. `bodyCheck` also accepts its digits as text, because some clients
 * store all ids as text.
 */
export const ListedId = documentedAs(Type.Integer(), {
  type: ['integer', 'string'],
  pattern: '^-?\\d+$',
  description: 'Product id, as a number or as text',
  // The generator of the Go client does not support two types.
  'x-go-type': 'int64',
});

/**
 * A parameter with several values. Repeated and blank values are ignored, and a list without any other value
 * counts as not given.
 * @param separators each of these characters separates values.
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
    description: `${description}. Repeat the parameter, or separate values by ${SEPARATORS[separators]} (\`\\\` escapes one in a value); an empty list is ignored`,
    ...options,
  });

const SEPARATORS = { '|': '`|`', ',': 'commas', ',|': 'commas or `|`' };

/** The JSON text of a value, in UTF-8. It is sent to the client without being parsed. */
export type Json<Value> = Buffer & { readonly jsonOf?: Value };
