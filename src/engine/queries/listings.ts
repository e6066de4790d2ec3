import type { estypes } from '@elastic/elasticsearch';
import { foldValue, levelsOf, pathOf } from '../../text/fold.js';
import { visibleText } from '../../text/clean.js';
import { ceilUnits, floorUnits } from '../../listing/price.js';
import type { Filters } from '../../schemas/filters.js';
import { attributeFields, attributeName } from './attribute-names.js';
import { QueryError } from './query-error.js';
import type { Selection } from './selection.js';

type Query = estypes.QueryDslQueryContainer;

/** The order of lists without text: what changed last comes first. Ends with id, as every order does. */
export const BY_UPDATE: estypes.Sort = [{ updated_at: 'desc' }, { id: 'asc' }];
export const BY_RELEVANCE: estypes.Sort = [{ _score: { order: 'desc' } }, { id: 'asc' }];

/** A clause that every listing of an answer must match, and the facet that it narrows, if there is one of its kind. */
export interface Refinement {
  of: string;
  clause: Query;
}

/**
 * What the filters of a request come to; none of it scores.
 * @param now what the age of listings is counted from.
 * @throws QueryError when the price limits cross.
 */
export function refinements(filters: Filters, now: Date): Refinement[] {
  const {
    category = '',
    category_path = [],
    platform = [],
    source = [],
    brand = [],
    currency = [],
  } = filters;
  const { in_stock, min_rating, max_age_s, has_image } = filters;
  const found: [of: string, clause: Query | null][] = [
    ['category', category === '' ? null : categoryClause(category)],
    ['source', anyOf((platform.length > 0 ? platform : source).map(sourceClause))],
    ['availability', in_stock === undefined ? null : { term: { is_available: in_stock } }],
    ['price', priceClause(filters.min_price, filters.max_price)],
    ['path', oneOf('internal.category_paths', category_path.map(levelsOf).map(pathOf))],
    ['brand', oneOf('internal.brand', brand.map(foldValue))],
    [
      'currency',
      oneOf(
        'currency',
        currency.map((code) => code.toUpperCase()),
      ),
    ],
    [
      'rating',
      min_rating === undefined ? null : { range: { 'internal.rating': { gte: Number(min_rating) } } },
    ],
    ['age', max_age_s === undefined ? null : ageClause(max_age_s, now)],
    ['image', has_image === undefined ? null : { term: { 'internal.has_image': has_image } }],
    ...attributesOf(filters).map(([name, values]): [string, Query | null] => [
      `attr.${name}`,
      anyOf(attributeFields(name).flatMap(({ field }) => oneOf(field, values.map(foldValue)) ?? [])),
    ]),
  ];
  return found.flatMap(([of, clause]) => (clause === null ? [] : [{ of, clause }]));
}

/** The same where it does not matter what each is of. */
export const filterClauses = (filters: Filters, now: Date): Query[] =>
  refinements(filters, now).map(({ clause }) => clause);

/** The attributes that are filtered by: the name, and the values of which one is enough, as the request wrote them. */
export function attributesOf(filters: Filters): [name: string, values: string[]][] {
  const found = new Map<string, string[]>();
  for (const parameter of Object.keys(filters).filter(isAttribute)) {
    const name = attributeName(parameter.slice('attr.'.length));
    found.set(name, [...new Set([...(found.get(name) ?? []), ...(filters[parameter] ?? [])])]);
  }
  return [...found];
}

const isAttribute = (name: string): name is `attr.${string}` => name.startsWith('attr.');

const oneOf = (field: string, values: readonly string[]): Query | null =>
  values.length === 0 ? null : { terms: { [field]: [...values] } };

/** Few are different: to look for them without regard to case costs nothing. */
export const sourceClause = (source: string): Query => ({
  term: { source: { value: source, case_insensitive: true } },
});

const anyOf = (clauses: Query[]): Query | null =>
  clauses.length > 1 ? { bool: { should: clauses } } : (clauses[0] ?? null);

const ageClause = (seconds: number, now: Date): Query => ({
  range: { last_checked: { gte: new Date(now.getTime() - seconds * 1_000).toISOString() } },
});

/**
 * Listings without regard to text, what changed last first.
 * @throws QueryError when the price limits cross.
 */
export const latestSelection = (filters: Filters, now: Date): Selection => ({
  query: { bool: { filter: filterClauses(filters, now) } },
  sort: BY_UPDATE,
});

/**
 * A case-insensitive part of the category's name in which every character means itself; with `>` in it also levels that
 * follow one another in the path. An index of an earlier schema knows no paths, and finds none.
 */
export function categoryClause(part: string): Query {
  const named: Query = { wildcard: { 'category.folded': { value: `*${literal(visibleText(part))}*` } } };
  const levels = part.includes('>') ? levelsOf(part) : [];
  if (levels.length === 0) return named;
  const path = pathOf(levels);
  const inPath: Query[] = [
    { term: { 'internal.category_paths': path } },
    { wildcard: { 'internal.category_paths': { value: `* > ${literal(path)}` } } },
  ];
  return { bool: { should: [named, ...inPath] } };
}

const literal = (text: string): string => text.replaceAll(/[\\*?]/g, '\\$&');

/**
 * Limits on the listing's own price.
 * @throws QueryError when they cross.
 */
export function priceClauses({ min_price, max_price }: Pick<Filters, 'min_price' | 'max_price'>): Query[] {
  const clause = priceClause(min_price, max_price);
  return clause === null ? [] : [clause];
}

/**
 * Limits on the listing's own price, inclusive and exact: units are integers, and a limit between two units moves
 * to the one inside.
 * @throws QueryError when they cross.
 */
function priceClause(min: string | undefined, max: string | undefined): Query | null {
  if (min === undefined && max === undefined) return null;
  const gte = min === undefined ? undefined : ceilUnits(min);
  const lte = max === undefined ? undefined : floorUnits(max);
  // The limits against each other, as numbers: no price takes part in this comparison.
  if (Number(min) > Number(max)) {
    throw new QueryError('min_price must not be greater than max_price');
  }
  return {
    range: {
      'internal.price_units': {
        ...(gte === undefined ? {} : { gte }),
        ...(lte === undefined ? {} : { lte }),
      },
    },
  };
}
