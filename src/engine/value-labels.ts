import type { Client } from '@elastic/elasticsearch';
import { type LabelledField, valueLabelsRequest } from './queries/value-labels.js';

const TTL_MS = 60_000;

/** The maximum number of entries in the cache of labels, which is then cleared. */
const MAX_CACHED = 20_000;

interface LabelBucket {
  key: string;
  written: { buckets: { key: string }[] };
}

/**
 * The labels of facet values, which are compared in folded form and displayed as most listings write them.
 * They are cached, because counting the written forms with each search would cost as much as the search.
 */
export class ValueLabels {
  private readonly cache = new Map<string, { forms: string[]; until: number }>();

  /** Looks up labels with at most one request. @returns the written forms of a value, the usual one first. */
  async of(
    es: Client,
    index: string,
    fields: readonly LabelledField[],
  ): Promise<(field: string, value: string) => readonly string[]> {
    const now = performance.now();
    const found = new Map<string, string[]>();
    const uncached = fields.map(({ values, ...field }) => ({
      ...field,
      values: values.filter((value) => {
        const cached = this.cache.get(keyOf(field.field, value));
        if (cached === undefined || cached.until <= now) return true;
        found.set(keyOf(field.field, value), cached.forms);
        return false;
      }),
    }));
    const requested = uncached.filter(({ values }) => values.length > 0);
    if (requested.length > 0) {
      const { aggregations = {} } = await es.search<unknown, Record<string, { buckets: LabelBucket[] }>>({
        index,
        ...valueLabelsRequest(requested),
      });
      requested.forEach(({ field, values }, at) => {
        const buckets = new Map((aggregations[at]?.buckets ?? []).map(({ key, written }) => [key, written]));
        // Empty results are cached as well, because a value may occur in only one of the two fields of an attribute.
        for (const value of values) {
          const forms = (buckets.get(value)?.buckets ?? []).map((bucket) => bucket.key);
          found.set(keyOf(field, value), forms);
          if (this.cache.size >= MAX_CACHED) this.cache.clear();
          this.cache.set(keyOf(field, value), { forms, until: now + TTL_MS });
        }
      });
    }
    return (field, value) => found.get(keyOf(field, value)) ?? [];
  }
}

const keyOf = (field: string, value: string): string => `${field}\t${value}`;
