import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { ensureIndex, KEYWORD, untilReadable } from '../engine/indices.js';
import { searchPages } from '../engine/search-pages.js';
import type { Connections } from '../listing/connections.js';
import { formatInstant } from '../listing/instant.js';
import { storedIndex } from '../platform/stored.js';

/** What follows a load: learning the brand dictionary, flags that depend on other listings, and search suggestions. */
export const FOLLOW_UP_STEPS = ['brands', 'quality', 'suggestions'] as const;
export type FollowUpStep = (typeof FOLLOW_UP_STEPS)[number];

/** Written listings whose follow-up waits. */
export interface Waiting {
  /** When the listings were written (ISO 8601, UTC). */
  at: string;
  sources: readonly string[];
  steps: readonly FollowUpStep[];
  /** The values of the listings, before and after the write; null if they are so many that only a full pass can follow. */
  written: readonly Connections[] | null;
}

export interface QueueEntry extends Waiting {
  id: string;
  /** Later writes to the queue have higher positions. */
  position: number;
}

/** How far the follow-up of a source is. Times are ISO 8601, UTC. */
export interface SourceFollowUp {
  /** When flags and suggestions of the source were last updated; null: never. */
  done_at: string | null;
  /** When the oldest listings were written whose follow-up waits; null if none waits. */
  waiting_since: string | null;
}

type Kind = 'listings' | 'all' | 'source';

const PAGE = 20;
const MAX_SOURCES = 10_000;

/** Written listings whose follow-up waits, and when that of each source was done. Positions are the sequence numbers of one shard. */
export class FollowUpQueue {
  readonly #index: string;
  #exists = false;

  constructor(
    private readonly es: Client,
    private readonly indexPrefix: string,
  ) {
    this.#index = storedIndex(indexPrefix, 'follow-up');
  }

  async add(entry: Waiting): Promise<string> {
    if (!this.#exists) await this.#create();
    const id = randomUUID();
    const kind: Kind = entry.written === null ? 'all' : 'listings';
    await this.es.index({ index: this.#index, id, document: { ...entry, kind, done: false }, refresh: true });
    return id;
  }

  async first(of: 'listings' | 'all'): Promise<QueueEntry | null> {
    for await (const [entry] of this.entries(of)) return entry ?? null;
    return null;
  }

  /** Reads entries in pages by position, also those added meanwhile. @param of `done`: those done while a full pass is unfinished. */
  async *entries(of: 'listings' | 'all' | 'done'): AsyncGenerator<QueueEntry[]> {
    const filter =
      of === 'done' ? [{ term: { done: true } }] : [{ term: { kind: of } }, { term: { done: false } }];
    const request = {
      index: this.#index,
      ignore_unavailable: true,
      query: { bool: { filter } },
      sort: [{ _seq_no: 'asc' as const }],
      size: PAGE,
      seq_no_primary_term: true,
    };
    for await (const hits of searchPages<Waiting>(this.es, request))
      yield hits.flatMap(({ _id: id, _seq_no: position = 0, _source }) =>
        id === undefined || _source === undefined ? [] : [{ ..._source, id, position }],
      );
  }

  async lastPosition(): Promise<number> {
    const { hits } = await this.es.search({
      index: this.#index,
      ignore_unavailable: true,
      query: { exists: { field: 'done' } },
      sort: [{ _seq_no: 'desc' }],
      size: 1,
      _source: false,
      seq_no_primary_term: true,
    });
    return hits.hits[0]?._seq_no ?? -1;
  }

  /** Notes that entries are done. @param options.keep whether an unfinished full pass has to repeat them. */
  async complete(entries: readonly QueueEntry[], { now, keep }: { now: Date; keep: boolean }): Promise<void> {
    await this.#write(
      entries.flatMap(({ id }): unknown[] =>
        keep ? [{ update: { _id: id } }, { doc: { done: true } }] : [{ delete: { _id: id } }],
      ),
    );
    await this.noteDone(new Set(entries.flatMap(({ sources }) => sources)), now);
  }

  async noteDone(sources: Iterable<string>, now: Date): Promise<void> {
    const done_at = formatInstant(now.getTime());
    if (!this.#exists) await this.#create();
    await this.#write(
      [...sources].flatMap((source): unknown[] => [
        { index: { _id: `source ${source}` } },
        { kind: 'source' satisfies Kind, source, done_at },
      ]),
    );
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#write(ids.map((_id) => ({ delete: { _id } })));
  }

  async sources(options: { requestTimeout?: number } = {}): Promise<Map<string, SourceFollowUp>> {
    const where = { index: this.#index, ignore_unavailable: true };
    const [done, waiting] = await Promise.all([
      this.es.search<{ source: string; done_at: string }>(
        { ...where, query: { term: { kind: 'source' satisfies Kind } }, size: MAX_SOURCES },
        options,
      ),
      this.es.search<unknown, { sources: { buckets: { key: string; since: { value: number } }[] } }>(
        {
          ...where,
          query: { term: { done: false } },
          size: 0,
          aggs: {
            sources: {
              terms: { field: 'sources', size: MAX_SOURCES },
              aggs: { since: { min: { field: 'at' } } },
            },
          },
        },
        options,
      ),
    ]);
    const sources = new Map<string, SourceFollowUp>();
    for (const { _source } of done.hits.hits)
      if (_source !== undefined)
        sources.set(_source.source, { done_at: _source.done_at, waiting_since: null });
    for (const { key, since } of waiting.aggregations?.sources.buckets ?? [])
      sources.set(key, {
        done_at: sources.get(key)?.done_at ?? null,
        waiting_since: formatInstant(since.value),
      });
    return sources;
  }

  async #write(operations: unknown[]): Promise<void> {
    if (operations.length === 0) return;
    const { items } = await this.es.bulk({ index: this.#index, refresh: true, operations });
    for (const item of items) {
      const { error, status } = item.index ?? item.update ?? item.delete ?? { status: 200 };
      // Another process may have removed the entry.
      if (error && status !== 404)
        throw new Error(`Elasticsearch refused a note about the follow-up: ${error.reason ?? error.type}`);
    }
  }

  async #create(): Promise<void> {
    const fields = {
      kind: KEYWORD,
      at: { type: 'date' },
      sources: KEYWORD,
      source: KEYWORD,
      done: { type: 'boolean' },
    } as const;
    await ensureIndex(this.es, this.indexPrefix, 'follow-up', fields, { hidden: true });
    await untilReadable(this.es, this.#index);
    this.#exists = true;
  }
}
