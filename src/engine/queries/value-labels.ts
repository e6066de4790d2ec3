import type { estypes } from '@elastic/elasticsearch';
import { CACHED_COUNTS } from './selection.js';

/**
 * A field with facet values, for which the written form is to be looked up: the field that is compared
 * (`field`), the field as feeds write it (`written`), and the values in compared form.
 */
export interface LabelledField {
  field: string;
  written: string;
  values: readonly string[];
}

/**
 * The number of written forms requested for a facet value. More than one is needed, because listings with
 * several values also contribute the forms of their other values.
 */
const WRITTEN_FORMS = 10;

/** A request for the most frequent written forms of facet values, separately for each field. */
export function valueLabelsRequest(fields: readonly LabelledField[]): estypes.SearchRequest {
  return {
    ...CACHED_COUNTS,
    query: { bool: { should: fields.map(({ field, values }) => ({ terms: { [field]: [...values] } })) } },
    aggs: Object.fromEntries(
      fields.map(({ field, written, values }, at) => [
        at,
        {
          terms: { field, include: [...values], size: values.length },
          aggs: { written: { terms: { field: written, size: WRITTEN_FORMS } } },
        },
      ]),
    ),
  };
}
