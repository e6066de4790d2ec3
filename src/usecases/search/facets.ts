import type { Context } from '../context.js';
import type { ValidationIssue } from '../../platform/errors.js';
import { foldValue } from '../../text/fold.js';
import {
  aggregationOf,
  attributeOf,
  type Counting,
  distinctAggs,
  facetAggs,
  fieldsOf,
  selectedOf,
  subjectOf,
} from '../../engine/queries/facets.js';
import { attributeName } from '../../engine/queries/attribute-names.js';
import { attributesOf } from '../../engine/queries/listings.js';
import type { Addition, PageAnswer } from './additions.js';
import type { Aggregations } from '../../engine/pages.js';
import { type Parts, shownValues, toFacets } from './facet-counts.js';
import { ATTRIBUTE_FACETS, FACETS, MOST_FACETS } from '../../schemas/facets.js';

/** The facets that are asked for, each once, by their folded names: the answer names an attribute as the request does. */
export function facetNames(asked: readonly string[]): string[] {
  const names = asked.map((name) =>
    attributeOf(name) === null ? name : `attr.${foldValue(name.slice('attr.'.length))}`,
  );
  const subjects = names.map(subjectOf);
  return names.filter((name, at) => subjects.indexOf(subjectOf(name)) === at);
}

/** What is no facet. */
export const facetIssues = (asked: readonly string[]): ValidationIssue[] =>
  // Of a list that is too long that much is said, and no more.
  asked
    .slice(0, MOST_FACETS)
    .flatMap((name, at) =>
      (FACETS as readonly string[]).includes(name) || (attributeOf(name) ?? '').trim() !== ''
        ? []
        : [
            {
              loc: ['query', 'facets', at],
              msg: `Input should be ${FACETS.join(', ')} or attr.NAME`,
              type: 'literal_error',
            },
          ],
    );

/** Whether a facet is about what today's schema brought. */
export const countsByToday = (names: readonly string[]): boolean =>
  names.some(
    (name) => ['brand', 'rating', 'price', 'attributes'].includes(name) || attributeOf(name) !== null,
  );

/** Adds to the page what its listings can be narrowed by. `attributes` is counted when it is known which they are. */
export function withFacets(context: Context, names: readonly string[], counting: Counting): Addition {
  return {
    request: { aggs: facetAggs(names, counting) },
    page: async ({ aggregations, total, count }) => {
      const groups = names.map((name, at) => groupOf(name, aggregations, at, total));
      const at = names.indexOf('attributes');
      const all = groups[at];
      if (all !== undefined) {
        const attributes = shownAttributes(names, counting, all);
        const counts = attributes.length === 0 ? undefined : await count(facetAggs(attributes, counting));
        groups.splice(at, 1, ...attributes.map((name, place) => groupOf(name, counts, place, total)));
      }
      const counted = await withDistinct(groups, counting, count, total);
      return { facets: await shown(context, counted, counting) };
    },
  };
}

/** Where a facet has more values than were asked for, how many there are. */
async function withDistinct(
  groups: readonly Group[],
  counting: Counting,
  count: PageAnswer['count'],
  total: number,
): Promise<Group[]> {
  const isLarge = ({ parts }: Group) =>
    ['values', 'values_second'].some((part) => (parts(part)?.sum_other_doc_count ?? 0) > 0);
  const large = groups.filter(isLarge);
  if (large.length === 0) return [...groups];
  const names = large.map(({ name }) => name);
  const counts = await count(distinctAggs(names, counting));
  return groups.map((group) => {
    const at = large.indexOf(group);
    if (at < 0) return group;
    const { parts } = groupOf(group.name, counts, at, total);
    return { ...group, parts: (part) => group.parts(part) ?? parts(part) };
  });
}

/** What was counted for one facet. */
interface Group {
  name: string;
  parts: Parts;
  /** Listings that were counted: all that match, or what the others' filters let pass. */
  total: number;
}

function groupOf(name: string, aggregations: Aggregations, at: number, matching: number): Group {
  type Counts = Record<string, ReturnType<Parts>> & { doc_count?: number };
  const filtered = aggregations?.[aggregationOf(at)] as Counts | undefined;
  const counts = (filtered ?? aggregations ?? {}) as Counts;
  return { name, parts: (part) => counts[aggregationOf(at, part)], total: filtered?.doc_count ?? matching };
}

/** The facets as the answer has them, values as they are written. */
async function shown(
  { es, products, spellings }: Context,
  groups: readonly Group[],
  { filters, limit }: Counting,
): Promise<object[]> {
  const facets = groups.map((group) => ({ ...group, limit, selected: selectedOf(group.name, filters) }));
  const spelled = facets.flatMap((facet) =>
    fieldsOf(facet.name).flatMap(({ field, written }) =>
      written === undefined ? [] : [{ field, written, values: shownValues(facet, facet.parts) }],
    ),
  );
  const written = await spellings.of(es, products, spelled);
  return facets.flatMap((facet) => {
    const spellingsOf = (value: string) => fieldsOf(facet.name).flatMap(({ field }) => written(field, value));
    return toFacets({ ...facet, spellings: spellingsOf }, facet.parts);
  });
}

/** Which attributes most of the listings state: those that the request filters by first, without those asked for by name. */
function shownAttributes(names: readonly string[], { filters }: Counting, { parts, total }: Group): string[] {
  const selected = attributesOf(filters).flatMap(([name, values]) => (values.length > 0 ? [name] : []));
  const counts = new Map<string, number>();
  for (const { key, doc_count } of parts('names')?.buckets ?? [])
    counts.set(attributeName(key), (counts.get(attributeName(key)) ?? 0) + doc_count);
  const common = [...counts]
    .filter(([, count]) => count >= ATTRIBUTE_FACETS.coverage * total)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const asked = names.map(subjectOf);
  return [...new Set([...selected, ...common])]
    .map((name) => `attr.${name}`)
    .filter((name) => !asked.includes(name))
    .slice(0, ATTRIBUTE_FACETS.most);
}
