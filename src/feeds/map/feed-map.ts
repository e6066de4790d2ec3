import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Static, type TProperties, Type } from 'typebox';
import { parse } from 'yaml';
import { shippedText } from '../../platform/shipped-files.js';
import { Column, CsvLayoutSchema } from '../read/csv-dialect.js';

const Columns = Type.Union([Column, Type.Array(Column, { minItems: 1, maxItems: 50 })]);
const closed = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false });
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** A condition for a row: a column is not blank, or each of several columns has one of the given words. */
const Condition = Type.Union([Column, Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]))]);

const Step = closed({
  from: Type.Optional(Columns),
  all: Type.Optional(Type.Array(Column, { minItems: 1, maxItems: 50 })),
  const: Type.Optional(Type.Unknown()),
  template: Type.Optional(Column),
  if: Type.Optional(Condition),
  unless: Type.Optional(Condition),
  when: Type.Optional(
    Type.Union([Column, closed({ start: Type.Optional(Columns), end: Type.Optional(Columns) })]),
  ),
  unescape: Type.Optional(Type.Literal(true)),
  html: Type.Optional(Type.Literal(true)),
  match: Type.Optional(Column),
  deepest: Type.Optional(Column),
  split: Type.Optional(Column),
  at: Type.Optional(Type.Integer({ minimum: 0 })),
  drop: Type.Optional(Type.Integer({ minimum: 1 })),
  money: Type.Optional(Type.Union([Type.Literal('amount'), Type.Literal('minor'), Type.Literal('currency')])),
  below: Type.Optional(Columns),
  enum: Type.Optional(Type.Record(Type.String(), Scalar)),
  else: Type.Optional(Scalar),
  stock: Type.Optional(Type.Literal(true)),
  time: Type.Optional(Type.Literal(true)),
  entries: Type.Optional(closed({ price: Column, at: Column })),
});
const Rule = Type.Union([Column, Step, Type.Array(Type.Union([Column, Step]), { minItems: 1 })]);
/** The JSON Schema of a rule by reference, so that the validator of rules is compiled only once. */
const RuleRef = Type.Unsafe<Static<typeof Rule>>({ $ref: '#/$defs/rule' });

/** Where the names and values of product details stand, if they are objects of a format's own. */
const Details = Type.Union([
  Column,
  closed({ from: Column, name: Column, value: Column, unit: Type.Optional(Column) }),
]);

/** The fields of a record that a map file can fill, in the order in which they are displayed. */
export const RECORD_FIELDS = [
  'sku',
  'source',
  'merchant_id',
  'name',
  'description',
  'price',
  'currency',
  'list_price',
  'buy_url',
  'affiliate_url',
  'image_url',
  'brand',
  'category',
  'category_path',
  'rating',
  'is_available',
  'last_checked',
  'gtin',
  'price_history',
] as const;
export type RecordField = (typeof RECORD_FIELDS)[number];

/** The fields without which a record is of no use; a wrong value of another field does not reject it. */
const PRIMARY_FIELDS: readonly string[] = ['sku', 'source', 'name', 'price', 'currency'];

/** The fields that a record of a mapped feed loses if their values are invalid. */
export const SECONDARY_FIELDS: readonly string[] = [
  ...RECORD_FIELDS.filter((field) => !PRIMARY_FIELDS.includes(field)),
  'delivery',
  'metadata',
];

/** The schema of a map file, which defines how rows of a shop's own feed become records (docs/data.md). */
const FeedMapSchema = Type.Object(
  {
    about: Type.Optional(Type.String()),
    records: Type.Optional(Column),
    document: Type.Optional(Type.Literal(true)),
    unfold: Type.Optional(Type.Literal('schemaorg')),
    each: Type.Optional(Column),
    csv: Type.Optional(CsvLayoutSchema),
    decimal: Type.Optional(Type.Union([Type.Literal('.'), Type.Literal(','), Type.Literal('either')])),
    skip: Type.Optional(Condition),
    only: Type.Optional(Condition),
    inherit: Type.Optional(
      closed({
        row: Columns,
        parent: Column,
        columns: Type.Array(Column, { minItems: 1 }),
        always: Type.Optional(Type.Array(Column, { minItems: 1 })),
      }),
    ),
    fields: closed(Object.fromEntries(RECORD_FIELDS.map((target) => [target, Type.Optional(RuleRef)]))),
    metadata: Type.Optional(Type.Record(Type.String(), RuleRef)),
    details: Type.Optional(Type.Union([Details, Type.Array(Details, { minItems: 1, maxItems: 10 })])),
    partial: Type.Optional(
      closed({
        subscription: Type.Optional(Columns),
        installment: Type.Optional(Columns),
        price: Type.Optional(Columns),
      }),
    ),
    delivery: Type.Optional(
      closed({
        options: Type.Optional(Columns),
        thresholds: Type.Optional(Columns),
        price: Type.Optional(RuleRef),
        currency: Type.Optional(RuleRef),
        to: Type.Optional(RuleRef),
        free_from: Type.Optional(RuleRef),
      }),
    ),
    rest: Type.Optional(Type.Literal('metadata')),
  },
  { additionalProperties: false, $defs: { rule: Rule } },
);

export type Condition = Static<typeof Condition>;
export type Step = Static<typeof Step>;
export type Rule = Static<typeof Rule>;
export type FeedMap = Omit<Static<typeof FeedMapSchema>, 'fields'> & {
  fields: { [T in RecordField]?: Rule };
};

/** The map file is invalid; the message lists each error and its place. */
export class MapError extends Error {
  override name = 'MapError';
}

/** The validator of map files, compiled at its first use, because that takes long. */
let validator: ValidateFunction | undefined;

/** Validates the content of a map file. @throws MapError */
export function readFeedMap(value: unknown): FeedMap {
  const options = { allErrors: true, strict: false, validateSchema: false, inlineRefs: false };
  validator ??= new Ajv2020(options).compile(FeedMapSchema);
  const validate = validator;
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

/** The members of a map that are regular expressions. */
const PATTERNS: ReadonlySet<string> = new Set(['match', 'ignore']);

function checkPatterns(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!PATTERNS.has(name) || typeof inner !== 'string') checkPatterns(inner);
    else {
      try {
        new RegExp(inner, 'u');
      } catch (error) {
        throw new MapError(`${name}: ${(error as Error).message}`);
      }
    }
  }
}

/** The platforms whose feed formats have a map in `mappings/formats/`. */
export const PLATFORM_FORMATS = [
  'google',
  'shopify',
  'woocommerce',
  'openai',
  'schemaorg',
  'awin',
  'cj',
  'impact',
  'rakuten',
  'idealo',
  'heureka',
  'zbozi',
  'amazon',
  'medusa',
] as const;
export type PlatformFormat = (typeof PLATFORM_FORMATS)[number];

const CURRENCY_MARK = '$CURRENCY';

/** Puts a currency in the place of `$CURRENCY` in a map. @throws MapError if the map has the mark and no currency is given. */
export function forCurrency(map: FeedMap, currency: string | undefined): FeedMap {
  const text = JSON.stringify(map);
  if (!text.includes(CURRENCY_MARK)) return map;
  if (currency === undefined)
    throw new MapError('The feed has a column of prices for each currency: specify --currency CODE.');
  return JSON.parse(text.replaceAll(CURRENCY_MARK, currency)) as FeedMap;
}

export const platformMap = (format: PlatformFormat): FeedMap =>
  readFeedMap(parse(shippedText(`mappings/formats/${format}.yaml`)));
