import type { Client } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import { type LabelledField, valueLabelsRequest } from './queries/value-labels.js';

const TTL_MS = 60_000;
const MAX_CACHED = 20_000;

interface LabelBucket {
  key: string;
  written: { buckets: { key: string }[] };
}

/** The usual spelling of folded facet values, cached because counting the spellings would cost as much as the search. */
export class ValueLabels {
  private readonly cache = new LRUCache<string, string[]>({ max: MAX_CACHED, ttl: TTL_MS });

  /** Looks up labels with at most one request. @returns the written forms of a value, the usual one first. */
  async of(
    es: Client,
    index: string,
    fields: readonly LabelledField[],
  ): Promise<(field: string, value: string) => readonly string[]> {
    const found = new Map<string, string[]>();
    for (const { field, values } of fields)
      for (const key of values.map((value) => keyOf(field, value))) {
        const forms = this.cache.get(key);
        if (forms !== undefined) found.set(key, forms);
      }
    const requested = fields
      .map(({ values, ...field }) => ({
        ...field,
        values: values.filter((value) => !found.has(keyOf(field.field, value))),
      }))
      .filter(({ values }) => values.length > 0);
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
          this.cache.set(keyOf(field, value), forms);
        }
      });
    }
    return (field, value) => found.get(keyOf(field, value)) ?? [];
  }
}

const keyOf = (field: string, value: string): string => `${field}\t${value}`;
