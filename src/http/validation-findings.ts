import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { ValidationIssue } from '../platform/errors.js';

/** For each type of parameter, the finding about a text that cannot be parsed as a value of that type. */
export const PARSING = {
  integer: {
    type: 'int_parsing',
    msg: 'Input should be a valid integer, unable to parse string as an integer',
  },
  number: {
    type: 'float_parsing',
    msg: 'Input should be a valid number, unable to parse string as a number',
  },
  boolean: { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' },
};

/** Validates a value with Ajv. @param known the names of parameters with an issue; that they are missing is not reported. */
export function findings(
  validate: ValidateFunction,
  value: unknown,
  where: string,
  known: Set<string>,
): ValidationIssue[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const tooLong = errors.filter(({ keyword }) => keyword === 'maxItems');
  // Errors in the items of a list that is too long would make a response of megabytes.
  const relevant = errors.filter(
    ({ instancePath }) => !tooLong.some((list) => instancePath.startsWith(`${list.instancePath}/`)),
  );
  // A value of the wrong type is not in the enum either, so only the enum is reported.
  const enums = new Set(
    relevant.flatMap(({ keyword, instancePath }) => (keyword === 'enum' ? [instancePath] : [])),
  );
  const reported = relevant.filter(
    ({ keyword, instancePath }) => keyword !== 'type' || !enums.has(instancePath),
  );
  const issues = reported.map((error) => toIssue(error, value, where));
  return issues.filter(({ loc, type }) => !(type === 'missing' && known.has(String(loc.at(-1)))));
}

function toIssue(error: ErrorObject, root: unknown, where: string): ValidationIssue {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const loc: (string | number)[] = [where];
  let value: unknown = root;
  for (const step of steps) {
    const inArray = Array.isArray(value);
    loc.push(inArray ? Number(step) : step);
    value = (value as Record<string, unknown>)[step];
  }
  const params = error.params as ErrorParams;
  if (error.keyword === 'required')
    return { loc: [...loc, params.missingProperty ?? ''], msg: 'Field required', type: 'missing' };
  if (error.keyword === 'additionalProperties') {
    const name = params.additionalProperty ?? '';
    return { loc: [...loc, name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };
  }
  const finding = FINDINGS[error.keyword]?.(params, value, typeof loc.at(-1) === 'number');
  return { loc, ...(finding ?? { type: 'value_error', msg: `Value error, ${error.message ?? 'invalid'}` }) };
}

interface ErrorParams {
  pattern?: string;
  missingProperty?: string;
  additionalProperty?: string;
  type?: string | string[];
  limit?: number;
  allowedValues?: unknown[];
  allowedValue?: unknown;
}

export type IssueText = Pick<ValidationIssue, 'msg' | 'type'>;

const counted = (count = 0, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** The finding about a value that violates a keyword of JSON Schema. `isItem`: the value is an item of a list. */
const FINDINGS: Record<string, (params: ErrorParams, value: unknown, isItem: boolean) => IssueText> = {
  type: ({ type = '' }, value) => wrongType([type].flat()[0] ?? '', value),
  minimum: ({ limit }) => ({
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${limit}`,
  }),
  maximum: ({ limit }) => ({
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${limit}`,
  }),
  minLength: ({ limit }) => ({
    type: 'string_too_short',
    msg: `String should have at least ${counted(limit, 'character')}`,
  }),
  maxLength: ({ limit }, _value, isItem) => ({
    type: isItem ? 'too_long' : 'string_too_long',
    msg: `${isItem ? 'Value' : 'String'} should have at most ${counted(limit, 'character')}`,
  }),
  minItems: ({ limit }, value) => ({
    type: 'too_short',
    msg: `List should have at least ${counted(limit, 'item')} after validation, not ${lengthOf(value)}`,
  }),
  maxItems: ({ limit }, value) => ({
    type: 'too_long',
    msg: `List should have at most ${counted(limit, 'item')} after validation, not ${lengthOf(value)}`,
  }),
  enum: ({ allowedValues = [] }) => ({
    type: 'literal_error',
    msg: `Input should be ${alternatives(allowedValues)}`,
  }),
  const: ({ allowedValue }) => ({ type: 'literal_error', msg: `Input should be ${String(allowedValue)}` }),
  pattern: ({ pattern = '' }) => ({
    type: 'string_pattern_mismatch',
    msg: `String should match pattern '${pattern}'`,
  }),
};

function wrongType(wanted: string, value: unknown): IssueText {
  switch (wanted) {
    case 'integer':
      if (typeof value === 'string') return PARSING.integer;
      return typeof value === 'number'
        ? {
            type: 'int_from_float',
            msg: 'Input should be a valid integer, got a number with a fractional part',
          }
        : { type: 'int_type', msg: 'Input should be a valid integer' };
    case 'number':
      return typeof value === 'string'
        ? PARSING.number
        : { type: 'float_type', msg: 'Input should be a valid number' };
    case 'boolean':
      return typeof value === 'string'
        ? PARSING.boolean
        : { type: 'bool_type', msg: 'Input should be a valid boolean' };
    case 'array':
      return { type: 'list_type', msg: 'Input should be a valid list' };
    case 'object':
      return {
        type: 'model_attributes_type',
        msg: 'Input should be a valid dictionary or object to extract fields from',
      };
    default:
      return { type: `${wanted}_type`, msg: `Input should be a valid ${wanted}` };
  }
}

/** Formats the values of an enum as `'csv', 'json' or 'ndjson'`. */
function alternatives(values: unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}
