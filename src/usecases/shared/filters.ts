import type { Context } from '../context.js';
import { needsReindex, type ValidationIssue } from '../../platform/errors.js';
import { GROUPS_SCHEMA } from '../../listing/derived.js';
import { attributesOf } from '../../engine/queries/listings.js';
import { type Filters, MOST, MOST_ATTRIBUTES } from '../../schemas/filters.js';

/** What is wrong with filters that are each right. */
export function filterIssues(filters: Filters): ValidationIssue[] {
  const attributes = attributesOf(filters);
  const { length } = attributes;
  const tooMany = `At most ${MOST_ATTRIBUTES} attributes can be filtered by at once, not ${length}`;
  const nameless = 'Value error, the name of an attribute follows the dot, as in attr.colour';
  return [
    ...attributes.flatMap(([name, values]): ValidationIssue[] => {
      const loc = ['query', `attr.${name}`];
      if (name === '') return [{ loc, msg: nameless, type: 'value_error' }];
      // Each parameter was checked by itself; those that spell one attribute in several ways are one list.
      return values.length > MOST.values
        ? [{ loc, msg: tooManyValues(values.length), type: 'too_long' }]
        : [];
    }),
    ...(length > MOST_ATTRIBUTES ? [{ loc: ['query', 'attr.NAME'], msg: tooMany, type: 'too_long' }] : []),
  ];
}

const tooManyValues = (sent: number): string =>
  `List should have at most ${MOST.values} items after validation, not ${sent}`;

/** @throws ApiError 503 that says what to do where the index is of an earlier schema and knows not what is filtered by. */
export const checkFilters = (context: Context, filters: Filters): Promise<void> =>
  checkSchema(context, narrowsByToday(filters) ? ['a filter'] : []);

/** @param wanted what is asked of today's schema. @throws ApiError 503 that says what to do. */
export async function checkSchema(context: Context, [wanted]: readonly string[]): Promise<void> {
  if (wanted !== undefined && (await context.schemaVersion()) < GROUPS_SCHEMA) throw needsReindex(wanted);
}

/** Whether a filter is about what today's schema brought. */
export const narrowsByToday = (filters: Filters): boolean =>
  [filters.brand, filters.category_path, ...attributesOf(filters).map(([, values]) => values)].some(
    (values = []) => values.length > 0,
  ) || filters.min_rating !== undefined;
