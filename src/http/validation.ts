import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TObject, TSchema } from 'typebox';
import type { ValidationIssue } from '../platform/errors.js';
import { type IssueText, findings, PARSING } from './validation-findings.js';

/** The result of validation, which never contains the input. A number must be a decimal numeral, not `Infinity`, `0x10` or `1e3`. */
type CheckedParameters = { value: Record<string, unknown>; issues: ValidationIssue[] };

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // Tests check the schemas. Checking them here takes a tenth of the start-up time.
  validateSchema: false,
});
// Ajv accepts every text as a time, because the endpoints themselves report what is wrong with a time.
ajv.addFormat('date-time', true);
// Two keywords that are not part of JSON Schema; see `List` and `documentedAs` in `schemas/types.ts`.
ajv.addKeyword('separators');
ajv.addKeyword('documented');

/** Compiles a schema at its first use, because compiling all of them takes a fifth of the start-up time. */
function compiledLazily(schema: TObject): () => ValidateFunction {
  let compiled: ValidateFunction | undefined;
  return () => (compiled ??= ajv.compile(schema));
}

/** The parameters of a request as they were sent: the text of each, or several texts if it is repeated. */
export type RawParameters = Record<string, string | readonly string[]>;

/**
 * Validates parameters, whose names `patternProperties` may leave to the client. Unknown ones are ignored, absent ones get their
 * default. If a parameter is repeated, all of its values count for a list, otherwise only the last one.
 */
export function parameterCheck(
  schema: TObject,
  where: 'path' | 'query',
): (raw: RawParameters) => CheckedParameters {
  const validate = compiledLazily(schema);
  const properties = Object.entries(schema.properties);
  const patterns = patternsOf(schema).map(([pattern, property]) => [new RegExp(pattern), property] as const);
  const named = (raw: RawParameters) =>
    patterns.flatMap(([pattern, property]) =>
      Object.keys(raw).flatMap((name): [string, TSchema][] => (pattern.test(name) ? [[name, property]] : [])),
    );
  return (raw) => {
    const value: Record<string, unknown> = {};
    const issues: ValidationIssue[] = [];
    const decimals: Record<string, string> = {};
    for (const [name, property] of [...properties, ...named(raw)]) {
      const texts = Object.hasOwn(raw, name) ? [raw[name] ?? []].flat() : [];
      const list = isList(property) ? valuesOf(texts, property) : null;
      const text = texts.at(-1);
      if (text === undefined || list?.length === 0) {
        if ('default' in property) value[name] = property.default;
        if ('default' in property && typeOf(property) === 'number') decimals[name] = String(property.default);
        continue;
      }
      const parsed = list === null ? parseText(text, property) : { value: list };
      if ('issue' in parsed) issues.push({ loc: [where, name], ...parsed.issue });
      else value[name] = parsed.value;
      if (typeOf(property) === 'number') decimals[name] = text;
    }
    issues.push(...findings(validate(), value, where, new Set(issues.map(({ loc }) => String(loc[1])))));
    // Handlers receive decimal numbers as the text of the request, so that no digit is lost.
    return { value: { ...value, ...decimals }, issues };
  };
}

/** Creates the validator of a JSON body. As in queries, handlers receive decimal numbers as text. */
export function bodyCheck(schema: TObject): (body: unknown) => CheckedParameters {
  const validate = compiledLazily(schema);
  const properties = Object.entries(schema.properties);
  return (body) => {
    if (body === undefined)
      return { value: {}, issues: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] };
    const members = membersOf(body, schema);
    const issues = findings(validate(), members, 'body', new Set());
    if (issues.length > 0) return { value: {}, issues };
    const value: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const given = (members as Record<string, unknown>)[name];
      const stated = given === undefined && 'default' in property ? property.default : given;
      if (stated !== undefined) value[name] = typeOf(property) === 'number' ? String(stated) : stated;
    }
    return { value, issues };
  };
}

/** The members of a body as they are validated: null is an absent member unless the schema allows it; texts of integers are parsed. */
function membersOf(body: unknown, schema: TObject): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const required = new Set<string>(schema.required);
  const stays = (name: string) => required.has(name) || allowsNull(schema.properties[name]);
  const stated = Object.entries(body).filter(([name, value]) => value !== null || stays(name));
  return Object.fromEntries(
    stated.map(([name, value]: [string, unknown]) => {
      const { items } = (schema.properties[name] ?? {}) as { items?: TSchema };
      const isParsed = Array.isArray(value) && items !== undefined && typeOf(items) === 'integer';
      return [name, isParsed ? value.map(parsedInteger) : value];
    }),
  );
}

const allowsNull = (schema: TSchema | undefined): boolean =>
  schema !== undefined && [typeOf(schema)].flat().includes('null');

const parsedInteger = (item: unknown): unknown =>
  typeof item === 'string' && INTEGER.test(item) ? finite(item) : item;

/** The schemas of parameters whose names the client chooses, with the patterns of the names. */
export const patternsOf = (schema: TSchema): [string, TSchema][] =>
  'patternProperties' in schema ? Object.entries(schema.patternProperties as Record<string, TSchema>) : [];

const typeOf = (schema: TSchema): unknown => ('type' in schema ? schema.type : undefined);

const INTEGER = /^-?\d+$/;
const NUMERAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const BOOLEANS = { true: ['true', 't', '1', 'yes', 'y', 'on'], false: ['false', 'f', '0', 'no', 'n', 'off'] };

type Parsed = { value: unknown } | { issue: IssueText };

function parseText(text: string, schema: TSchema): Parsed {
  switch (typeOf(schema)) {
    case 'integer':
      return INTEGER.test(text) ? { value: finite(text) } : { issue: PARSING.integer };
    case 'number':
      return NUMERAL.test(text) ? { value: finite(text) } : { issue: PARSING.number };
    case 'boolean': {
      const isTrue = BOOLEANS.true.includes(text.toLowerCase());
      const isBoolean = isTrue || BOOLEANS.false.includes(text.toLowerCase());
      return isBoolean ? { value: isTrue } : { issue: PARSING.boolean };
    }
    default:
      return { value: text };
  }
}

interface ListSchema {
  separators: string;
  maxItems: number;
}

const isList = (schema: TSchema): schema is TSchema & ListSchema => 'separators' in schema;

/** Splits the texts of a list parameter into distinct values; blank and repeated ones count for `maxItems`. `\` escapes a separator. */
function valuesOf(texts: readonly string[], { separators, maxItems }: ListSchema): string[] {
  const values = texts
    .flatMap((text) => text.split(new RegExp(`(?<!\\\\)[${separators}]`)))
    .map((one) => one.replace(/\\(?=[|,])/g, '').trim());
  return values.length > maxItems ? values : [...new Set(values)].filter((one) => one !== '');
}

/** Limits a numeral of hundreds of digits to a finite number, so that the check of the range reports it. */
function finite(text: string): number {
  const number = Number(text);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
}
