import type { Client } from '@elastic/elasticsearch';
import { type SpelledValues, spellingsRequest } from './queries/spellings.js';

/** So long a spelling is taken for the commonest. */
const KNOWN_MS = 60_000;

/** Then all are forgotten, and asked for again as they come. */
const MOST = 20_000;

interface Bucket {
  key: string;
  written: { buckets: { key: string }[] };
}

/**
 * How values are written that are compared folded: the commonest spelling in the catalogue. What many ask for again and
 * again is remembered: counted with every search, spellings would cost as much as the search.
 */
export class Spellings {
  private readonly known = new Map<string, { written: string[]; until: number }>();

  constructor(private readonly clock = () => performance.now()) {}

  /**
   * Looks values of several fields up, in one request at most.
   * @returns the spellings that there are of a value, the commonest first.
   */
  async of(
    es: Client,
    index: string,
    asked: readonly SpelledValues[],
  ): Promise<(field: string, value: string) => readonly string[]> {
    const now = this.clock();
    const found = new Map<string, string[]>();
    const missing = asked.map(({ values, ...fields }) => ({
      ...fields,
      values: values.filter((value) => {
        const known = this.known.get(nameOf(fields.field, value));
        if (known === undefined || known.until <= now) return true;
        found.set(nameOf(fields.field, value), known.written);
        return false;
      }),
    }));
    const wanted = missing.filter(({ values }) => values.length > 0);
    if (wanted.length > 0) {
      const { aggregations = {} } = await es.search<unknown, Record<string, { buckets: Bucket[] }>>({
        index,
        ...spellingsRequest(wanted),
      });
      wanted.forEach(({ field, values }, at) => {
        const buckets = new Map((aggregations[at]?.buckets ?? []).map(({ key, written }) => [key, written]));
        // A value that no listing has in this field is cached as well: attributes may be stated in two fields.
        for (const value of values) {
          const spellings = (buckets.get(value)?.buckets ?? []).map((bucket) => bucket.key);
          found.set(nameOf(field, value), spellings);
          this.keep(nameOf(field, value), spellings, now + KNOWN_MS);
        }
      });
    }
    return (field, value) => found.get(nameOf(field, value)) ?? [];
  }

  private keep(name: string, written: string[], until: number): void {
    if (this.known.size >= MOST) this.known.clear();
    this.known.set(name, { written, until });
  }
}

const nameOf = (field: string, value: string): string => `${field}\t${value}`;
