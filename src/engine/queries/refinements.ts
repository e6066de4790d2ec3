import { GROUPS_SCHEMA } from '../../listing/schema-versions.js';
import type { ExchangeRates } from '../../listing/rates.js';
import { foldValue } from '../../text/fold.js';
import { anyOf, attributeFields, attributeName, withAnyValue } from './filter-clauses.js';
import { DEFINITIONS, type Filters, selected, type SelectedValue } from './filters.js';
import type { QueryClause } from './selection.js';

/** The filters whose clauses come first. Their order is stable, because Elasticsearch compares cached requests as text. */
const FIRST_CLAUSES: readonly string[] = 'category platform source in_stock min_price max_price'.split(' ');
const BY_CLAUSE_ORDER = [
  ...FIRST_CLAUSES.flatMap((name) => DEFINITIONS.filter(([one]) => one === name)),
  ...DEFINITIONS.filter(([name]) => !FIRST_CLAUSES.includes(name)),
];

const givenFilters = (filters: Partial<Filters>, definitions = DEFINITIONS) =>
  definitions.flatMap(([name, definition]) => {
    const value: unknown = filters[name];
    const isGiven = value !== undefined && !(Array.isArray(value) && value.length === 0);
    return isGiven ? [{ name, value, definition }] : [];
  });

/** A query clause of one filter, which every listing of the result must match. */
export interface Refinement {
  /** The name of the filter, as the explanation of an empty result reports it. */
  name: string;
  /** The facet whose counts ignore the clause; null if the filter belongs to no facet. */
  facet: string | null;
  clause: QueryClause;
}

/**
 * The query clauses of all filters in a request.
 * @param rates the exchange rates, which `max_unit_price` needs.
 * @throws QueryError if price limits exclude each other.
 */
export function refinements(filters: Filters, now: Date, rates?: ExchangeRates): Refinement[] {
  const related = { ...filters, rates };
  const clauses = givenFilters(filters, BY_CLAUSE_ORDER).flatMap(({ name, value, definition }) => {
    const built = definition.clausesAt?.(value, now) ?? definition.clauses?.(value, related) ?? [];
    const { name: reported = name, facet = null } = definition;
    return built.map((clause) => ({ name: reported, facet, clause }));
  });
  const attributes = filteredAttributes(filters).flatMap(([name, values]) => {
    const fields = attributeFields(name);
    const facet = `attr.${name}`;
    const inFields = fields.flatMap(({ field }) => withAnyValue(field, values.map(foldValue)));
    return anyOf(inFields).map((clause) => ({ name: facet, facet, clause }));
  });
  return [...clauses, ...attributes];
}

/**
 * The query clauses of the filters in a request, without the names of the filters.
 * @throws QueryError if the lower price limit exceeds the upper one.
 */
export const filterClauses = (filters: Filters, now: Date, rates?: ExchangeRates): QueryClause[] =>
  refinements(filters, now, rates).map(({ clause }) => clause);

/** Whether the set of listings that pass the filters can change with time alone. Responses are not cached then. */
export const changesWithTime = (filters: Partial<Filters>): boolean =>
  givenFilters(filters).some(({ definition }) => definition.clausesAt !== undefined);

/** For each given filter, the schema version of the index that it needs; 0 if every version is sufficient. */
export const schemasOfFilters = (filters: Filters): Record<string, number> =>
  Object.fromEntries([
    ...givenFilters(filters).map(({ name, definition }): [string, number] => [name, definition.since ?? 0]),
    ...filteredAttributes(filters)
      .filter(([, values]) => values.length > 0)
      .map(([name]): [string, number] => [`attr.${name}`, GROUPS_SCHEMA]),
  ]);

/** The values of a facet that the request filters by. A selected category may be only a part of a category's name. */
export function selectedValues(facet: string, filters: Filters): SelectedValue[] {
  const attribute = filteredAttributes(filters).find(([name]) => `attr.${name}` === facet);
  if (attribute !== undefined) return selected(attribute[1], foldValue);
  return givenFilters(filters).flatMap(({ value, definition }) =>
    definition.facet === facet ? (definition.selects?.(value, filters) ?? []) : [],
  );
}

/** The attributes that a request filters by, each with the values that the filter accepts. */
export function filteredAttributes(filters: Filters): [name: string, values: string[]][] {
  const found = new Map<string, string[]>();
  for (const parameter of Object.keys(filters).filter(isAttribute)) {
    const name = attributeName(parameter.slice('attr.'.length));
    found.set(name, [...new Set([...(found.get(name) ?? []), ...(filters[parameter] ?? [])])]);
  }
  return [...found];
}

const isAttribute = (name: string): name is `attr.${string}` => name.startsWith('attr.');
