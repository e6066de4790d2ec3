import type { Context } from '../../context.js';
import { needsReindex, type ValidationIssue } from '../../errors.js';
import { GROUPS_SCHEMA } from '../../listing/derived.js';
import { attributesOf } from '../../queries/listings.js';
import { type Filters, MOST_ATTRIBUTES } from '../../schemas/filters.js';

/** What is wrong with filters that are each right. */
export function filterIssues(filters: Filters): ValidationIssue[] {
  const names = attributesOf(filters).length;
  if (names <= MOST_ATTRIBUTES) return [];
  const msg = `At most ${MOST_ATTRIBUTES} attributes can be filtered by at once, not ${names}`;
  return [{ loc: ['query', 'attr.NAME'], msg, type: 'too_long' }];
}

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

/** Whether what matches these filters changes with the listings alone, and not with time. */
export const staysTrue = ({ max_age_s }: Filters): boolean => max_age_s === undefined;
