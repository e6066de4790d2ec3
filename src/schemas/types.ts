import {
  type Static,
  type TArrayOptions,
  type TNumberOptions,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TStringOptions,
  Type,
} from 'typebox';

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

const described = <Value>(description: string, examples: readonly Value[]) =>
  examples.length === 0 ? { description } : { description, examples: [...examples] };

/** Schemas of members that need nothing but a description, and perhaps examples. */
export const text = (description: string, ...examples: string[]) =>
  Type.String(described(description, examples));
export const integer = (description: string, ...examples: number[]) =>
  Type.Integer(described(description, examples));
export const flag = (description: string) => Type.Boolean({ description });
export const time = (description: string) => Type.String({ description, format: 'date-time' });
export const timeOrNull = (description: string) => nullable('string', description, { format: 'date-time' });

/** The schema of a number from 0 to 1. */
export const probability = (description: string, ...examples: number[]) =>
  Type.Number({ minimum: 0, maximum: 1, ...described(description, examples) });

/** The schema of a list. That of a parameter of a query is `List`. */
export const listOf = <Item extends TSchema>(items: Item, description: string, ...examples: unknown[]) =>
  Type.Array(items, described(description, examples));

/** The schema of a component of the OpenAPI document, so that clients have one type for it. */
export function component<Members extends TProperties>(
  ...definition: [$id: string, members: Members] | [$id: string, description: string, members: Members]
): TObject<Members> {
  if (definition.length === 2) return Type.Object(definition[1], { $id: definition[0] });
  const [$id, description, members] = definition;
  return Type.Object(members, { $id, description });
}

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

/** The schema of one of several strings, which are described by their meanings. */
export const EnumOf = <Value extends string>(meanings: Readonly<Record<Value, string>>) =>
  Enum(Object.keys(meanings) as Value[], {
    description: Object.entries(meanings)
      .map(([value, meaning]) => `\`${value}\`: ${String(meaning)}`)
      .join('. '),
  });

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

/** An id that becomes part of a path of Elasticsearch, where an empty one or other characters would change the request. */
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

/** A product id in a list of a body. `bodyCheck` also accepts its digits as text, as which some clients store ids. */
export const ListedId = documentedAs(Type.Integer(), {
  type: ['integer', 'string'],
  pattern: '^-?\\d+$',
  description: 'Product id, as a number or as text',
  // The generator of the Go client does not support two types.
  'x-go-type': 'int64',
});

/** A parameter with several values, separated by any of `separators`. A list of blank values counts as not given. */
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

/** Schemas of members that may be absent and of parameters that need not be given: `optional.X(…)` is `Type.Optional(X(…))`. */
export const optional = {
  String: (options: TStringOptions) => Type.Optional(Type.String(options)),
  Integer: (options: TNumberOptions) => Type.Optional(Type.Integer(options)),
  Array: <Item extends TSchema>(items: Item, options?: TArrayOptions) =>
    Type.Optional(Type.Array(items, options)),
  Object: <Members extends TProperties>(members: Members, options?: TObjectOptions) =>
    Type.Optional(Type.Object(members, options)),
  text: (...of: Parameters<typeof text>) => Type.Optional(text(...of)),
  integer: (...of: Parameters<typeof integer>) => Type.Optional(integer(...of)),
  flag: (description: string) => Type.Optional(flag(description)),
  timeOrNull: (description: string) => Type.Optional(timeOrNull(description)),
  money: (description: string) => Type.Optional(money(description)),
  nullable: <Name extends keyof Types>(...of: Parameters<typeof nullable<Name>>) =>
    Type.Optional(nullable(...of)),
  orNull: <Schema extends TSchema>(schema: Schema, description: string) =>
    Type.Optional(orNull(schema, description)),
  Enum: <const Value extends string>(values: readonly Value[], options?: Record<string, unknown>) =>
    Type.Optional(Enum(values, options)),
  Decimal: (options: Parameters<typeof Decimal>[0]) => Type.Optional(Decimal(options)),
  listOf: <Item extends TSchema>(...of: Parameters<typeof listOf<Item>>) => Type.Optional(listOf(...of)),
  List: <Item extends TSchema>(...of: Parameters<typeof List<Item>>) => Type.Optional(List(...of)),
};

const SEPARATORS = { '|': '`|`', ',': 'commas', ',|': 'commas or `|`' };

/** The JSON text of a value, in UTF-8. It is sent to the client without being parsed. */
export type Json<Value> = Buffer & { readonly jsonOf?: Value };
