import type { estypes } from '@elastic/elasticsearch';

/** Values whose spellings are asked for: the field that compares them, and the one that has them as they are written. */
export interface SpelledValues {
  field: string;
  written: string;
  values: readonly string[];
}

/** Other values of a listing stand among the spellings of a value: enough to find its own. */
const SPELLINGS = 10;

/** The commonest spellings of values, those of each field by themselves. */
export function spellingsRequest(asked: readonly SpelledValues[]): estypes.SearchRequest {
  return {
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
    request_cache: true,
    query: { bool: { should: asked.map(({ field, values }) => ({ terms: { [field]: [...values] } })) } },
    aggs: Object.fromEntries(
      asked.map(({ field, written, values }, at) => [
        at,
        {
          terms: { field, include: [...values], size: values.length },
          aggs: { written: { terms: { field: written, size: SPELLINGS } } },
        },
      ]),
    ),
  };
}
