import type { estypes } from '@elastic/elasticsearch';
import type { Freshness } from '../../schemas/freshness.js';

const DAY_MS = 86_400_000;

/** Counts listings by when they were checked last. */
export function freshnessFilters(now: Date): estypes.AggregationsAggregationContainer {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  const checked = (range: { gte?: string; lt?: string }) => ({ range: { last_checked: range } });
  const filters: Record<keyof Freshness, estypes.QueryDslQueryContainer> = {
    day: checked({ gte: ago(1) }),
    week: checked({ gte: ago(7), lt: ago(1) }),
    month: checked({ gte: ago(30), lt: ago(7) }),
    older: checked({ lt: ago(30) }),
    never: { bool: { must_not: { exists: { field: 'last_checked' } } } },
  };
  return { filters: { filters } };
}
