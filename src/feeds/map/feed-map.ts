import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type, type Static } from 'typebox';

const Column = Type.String({ minLength: 1, maxLength: 500 });
const Columns = Type.Union([Column, Type.Array(Column, { minItems: 1, maxItems: 50 })]);
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** A column that is not blank, or columns that have one of some words. */
const Condition = Type.Union([Column, Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]))]);

const Step = Type.Object(
  {
    from: Type.Optional(Columns),
    const: Type.Optional(Type.Unknown()),
    template: Type.Optional(Column),
    if: Type.Optional(Condition),
    unless: Type.Optional(Condition),
    when: Type.Optional(
      Type.Union([
        Column,
        Type.Object(
          { start: Type.Optional(Columns), end: Type.Optional(Columns) },
          { additionalProperties: false },
        ),
      ]),
    ),
    unescape: Type.Optional(Type.Literal(true)),
    html: Type.Optional(Type.Literal(true)),
    match: Type.Optional(Column),
    split: Type.Optional(Column),
    at: Type.Optional(Type.Integer({ minimum: 0 })),
    money: Type.Optional(Type.Union([Type.Literal('amount'), Type.Literal('currency')])),
    enum: Type.Optional(Type.Record(Type.String(), Scalar)),
    else: Type.Optional(Scalar),
    stock: Type.Optional(Type.Literal(true)),
    time: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: false },
);
const Rule = Type.Union([Column, Step, Type.Array(Type.Union([Column, Step]), { minItems: 1 })]);

/** What a record may state, in the order in which it is shown. */
export const TARGETS = [
  ...(['sku', 'source', 'merchant_id', 'name', 'description', 'price', 'currency', 'list_price'] as const),
  ...(['buy_url', 'affiliate_url', 'image_url', 'brand', 'category', 'category_path', 'rating'] as const),
  ...(['is_available', 'last_checked', 'gtin'] as const),
] as const;
export type Target = (typeof TARGETS)[number];

/** A map file: how a row of a shop's own feed becomes a record. docs/data.md explains each part. */
const FeedMapSchema = Type.Object(
  {
    about: Type.Optional(Type.String()),
    records: Type.Optional(Column),
    document: Type.Optional(Type.Literal(true)),
    unfold: Type.Optional(Type.Literal('schemaorg')),
    decimal: Type.Optional(Type.Union([Type.Literal('.'), Type.Literal(',')])),
    skip: Type.Optional(Condition),
    only: Type.Optional(Condition),
    inherit: Type.Optional(
      Type.Object(
        { row: Columns, parent: Column, columns: Type.Array(Column, { minItems: 1 }) },
        { additionalProperties: false },
      ),
    ),
    fields: Type.Object(Object.fromEntries(TARGETS.map((target) => [target, Type.Optional(Rule)])), {
      additionalProperties: false,
    }),
    metadata: Type.Optional(Type.Record(Type.String(), Rule)),
    details: Type.Optional(Column),
    rest: Type.Optional(Type.Literal('metadata')),
  },
  { additionalProperties: false },
);

export type Condition = Static<typeof Condition>;
export type Step = Static<typeof Step>;
export type Rule = Static<typeof Rule>;
export type FeedMap = Omit<Static<typeof FeedMapSchema>, 'fields'> & {
  fields: { [T in Target]?: Rule };
};

/** A map that makes no sense; the message names every place. */
export class MapError extends Error {
  override name = 'MapError';
}

const validate = new Ajv2020({ allErrors: true, strict: false }).compile(FeedMapSchema);

/** @param value what a map file says. @throws MapError */
export function readFeedMap(value: unknown): FeedMap {
  if (!validate(value)) {
    const found = (validate.errors ?? [])
      .filter(({ keyword }) => keyword !== 'anyOf')
      .map(({ instancePath, message = '', params }) => {
        const { additionalProperty: stray } = params as { additionalProperty?: string };
        const place = instancePath.slice(1).replaceAll('/', '.') || 'map';
        return stray === undefined ? `${place}: ${message}` : `${place}: there is no "${stray}"`;
      });
    throw new MapError([...new Set(found)].slice(0, 10).join('\n'));
  }
  checkPatterns(value);
  return value as FeedMap;
}

/** @throws MapError naming a pattern that is no regular expression. */
function checkPatterns(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name !== 'match' || typeof inner !== 'string') checkPatterns(inner);
    else {
      try {
        new RegExp(inner, 'u');
      } catch (error) {
        throw new MapError(`match: ${(error as Error).message}`);
      }
    }
  }
}
