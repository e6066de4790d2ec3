import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { ValidationIssue } from '../platform/errors.js';

export type IssueText = Pick<ValidationIssue, 'msg' | 'type'>;

const issue = (type: string, msg: string): IssueText => ({ type, msg });

/** For each type of parameter, the finding about a text that cannot be parsed as a value of that type. */
export const PARSING = {
  integer: issue('int_parsing', 'Input should be a valid integer, unable to parse string as an integer'),
  number: issue('float_parsing', 'Input should be a valid number, unable to parse string as a number'),
  boolean: issue('bool_parsing', 'Input should be a valid boolean, unable to interpret input'),
};

/** Validates a value with Ajv. @param known names of parameters with an issue, which are not reported as missing as well. */
export function findings(validate: ValidateFunction, value: unknown, where: string, known: Set<string>) {
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

const counted = (count = 0, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** For each keyword of JSON Schema, the finding about a value that violates it. `isItem`: the value is an item of a list. */
const FINDINGS: Record<string, (params: ErrorParams, value: unknown, isItem: boolean) => IssueText> = {
  type: ({ type = '' }, value) => wrongType([type].flat()[0] ?? '', value),
  minimum: ({ limit }) => issue('greater_than_equal', `Input should be greater than or equal to ${limit}`),
  maximum: ({ limit }) => issue('less_than_equal', `Input should be less than or equal to ${limit}`),
  minLength: ({ limit }) =>
    issue('string_too_short', `String should have at least ${counted(limit, 'character')}`),
  maxLength: ({ limit }, _value, isItem) => {
    const most = `should have at most ${counted(limit, 'character')}`;
    return isItem ? issue('too_long', `Value ${most}`) : issue('string_too_long', `String ${most}`);
  },
  minItems: ({ limit }, value) => issue('too_short', lengthText('least', limit, value)),
  maxItems: ({ limit }, value) => issue('too_long', lengthText('most', limit, value)),
  enum: ({ allowedValues = [] }) => issue('literal_error', `Input should be ${alternatives(allowedValues)}`),
  const: ({ allowedValue }) => issue('literal_error', `Input should be ${String(allowedValue)}`),
  pattern: ({ pattern = '' }) => issue('string_pattern_mismatch', `String should match pattern '${pattern}'`),
};

const lengthText = (bound: 'least' | 'most', limit: number | undefined, value: unknown): string =>
  `List should have at ${bound} ${counted(limit, 'item')} after validation, not ${Array.isArray(value) ? value.length : 0}`;

function wrongType(wanted: string, value: unknown): IssueText {
  const isText = typeof value === 'string';
  switch (wanted) {
    case 'integer':
      if (isText) return PARSING.integer;
      return typeof value === 'number'
        ? issue('int_from_float', 'Input should be a valid integer, got a number with a fractional part')
        : issue('int_type', 'Input should be a valid integer');
    case 'number':
      return isText ? PARSING.number : issue('float_type', 'Input should be a valid number');
    case 'boolean':
      return isText ? PARSING.boolean : issue('bool_type', 'Input should be a valid boolean');
    case 'array':
      return issue('list_type', 'Input should be a valid list');
    case 'object':
      return issue(
        'model_attributes_type',
        'Input should be a valid dictionary or object to extract fields from',
      );
    default:
      return issue(`${wanted}_type`, `Input should be a valid ${wanted}`);
  }
}

/** Formats the values of an enum as `'csv', 'json' or 'ndjson'`. */
function alternatives(values: unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}
