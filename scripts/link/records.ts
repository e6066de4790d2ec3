import type { Client, estypes } from '@elastic/elasticsearch';
import { SERVICE } from '../../src/engine/indices.js';
import type { Backoff } from '../../src/engine/backoff.js';
import { CommandError } from '../shared/exit.js';

/** What linking keeps of a listing: what it was compared with, and the group that a run found for it. */
export interface LinkRecord {
  id: number;
  /** Of what the listing said when it was compared, see `contentOf`. */
  content: string;
  /** By which run it was compared last, and since which one it says what it says. */
  compared_by: number;
  changed_by: number;
  /** The other's id, the probability, and whether something contradicts it (1). */
  pairs: [other: number, probability: number, contradicted: 0 | 1][];
  /** The others that it is likely the same as, to be found from their side. */
  near: number[];
  /** The run that put it into a group, and that group; absent before the first. */
  planned_by?: number;
  group_id?: number;
}

export type Compared = Omit<LinkRecord, 'planned_by' | 'group_id'>;

/** Pairs, runs, leases: what linking works with. */
export const linksIndex = (indexPrefix: string): string => `${indexPrefix}-links`;

const PAGE = 1_000;
/** Ids in one clause. */
const TERMS = 10_000;

/** The records of one catalogue, in an index of their own. */
export class LinkRecords {
  readonly #index: string;
  /** Of a dry run: what it would have written. */
  readonly #unwritten = new Map<number, LinkRecord>();

  constructor(
    private readonly es: Client,
    indexPrefix: string,
    private readonly backoff: Backoff,
    private readonly dryRun: boolean,
  ) {
    this.#index = linksIndex(indexPrefix);
  }

  /** Those that there are, by id; live. */
  async get(ids: readonly number[]): Promise<Map<number, LinkRecord>> {
    const records = new Map<number, LinkRecord>();
    for (let at = 0; at < ids.length; at += PAGE) {
      const some = ids.slice(at, at + PAGE).map(String);
      const { docs } = await this.backoff.retry(() =>
        this.es.mget<LinkRecord>({ index: this.#index, ids: some }),
      );
      for (const doc of docs) {
        if ('error' in doc) {
          // A dry run makes none.
          if (doc.error.type === 'index_not_found_exception') continue;
          throw new CommandError(`${this.#index}: ${doc.error.reason}`);
        }
        if (doc._source !== undefined) records.set(doc._source.id, doc._source);
      }
    }
    for (const id of ids) {
      const record = this.#unwritten.get(id);
      if (record !== undefined) records.set(id, record);
    }
    return records;
  }

  /** Keeps what a listing was compared with. What it was put into stays. */
  saveCompared(records: readonly Compared[]): Promise<void> {
    return this.#save(records);
  }

  /** Keeps which group a run found for listings. */
  savePlan(run: number, groups: ReadonlyMap<number, number>): Promise<void> {
    return this.#save([...groups].map(([id, group_id]) => ({ id, planned_by: run, group_id })));
  }

  async #save(records: readonly Partial<LinkRecord>[]): Promise<void> {
    if (this.dryRun) {
      for (const record of records) {
        const id = record.id ?? 0;
        this.#unwritten.set(id, { ...this.#unwritten.get(id), ...record } as LinkRecord);
      }
      return;
    }
    for (let at = 0; at < records.length; at += PAGE) {
      const operations = records
        .slice(at, at + PAGE)
        .flatMap((doc) => [
          { update: { _id: String(doc.id), retry_on_conflict: 3 } },
          { doc, doc_as_upsert: true },
        ]);
      const answer = await this.backoff.retry(() =>
        this.es.bulk({ index: this.#index, operations, filter_path: ['items.*.error'] }),
      );
      const failed = answer.items?.find(({ update }) => update?.error !== undefined)?.update?.error;
      if (failed !== undefined) throw new CommandError(`${this.#index} takes nothing: ${failed.reason}`);
    }
    this.backoff.reset();
  }

  /** Makes what was kept findable. */
  async refresh(): Promise<void> {
    if (!this.dryRun) await this.backoff.retry(() => this.es.indices.refresh({ index: this.#index }));
  }

  /** Ids of the listings that are likely the same as one of these, by what they were compared with. */
  async near(ids: readonly number[]): Promise<number[]> {
    const wanted = new Set(ids);
    const found = [...this.#unwritten.values()].filter(({ near }) => near.some((id) => wanted.has(id)));
    const near = found.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += TERMS) {
      const some = ids.slice(at, at + TERMS);
      for await (const page of this.#pages({ terms: { near: some } }, ['id'])) {
        near.push(...page.map(({ id }) => id));
      }
    }
    return near;
  }

  /** Those that a run compared, or put into a group, by id. */
  async *of(run: number, by: 'compared_by' | 'planned_by', fields?: string[]): AsyncGenerator<LinkRecord[]> {
    if (this.dryRun) yield [...this.#unwritten.values()].filter((record) => record[by] === run);
    else yield* this.#pages({ term: { [by]: run } }, fields);
  }

  /** All that there are, by id. */
  async *all(): AsyncGenerator<LinkRecord[]> {
    for await (const page of this.#pages({ exists: { field: 'compared_by' } })) {
      yield page.map((record) => this.#unwritten.get(record.id) ?? record);
      for (const { id } of page) this.#unwritten.delete(id);
    }
    yield [...this.#unwritten.values()];
  }

  async *#pages(query: estypes.QueryDslQueryContainer, fields?: string[]): AsyncGenerator<LinkRecord[]> {
    let after: estypes.SortResults | undefined;
    do {
      const { hits } = await this.backoff.retry(() =>
        this.es.search<LinkRecord>({
          index: this.#index,
          ignore_unavailable: true,
          query,
          size: PAGE,
          sort: [{ id: 'asc' }],
          track_total_hits: false,
          ...(after === undefined ? {} : { search_after: after }),
          ...(fields === undefined ? {} : { _source: fields }),
          allow_partial_search_results: false,
        }),
      );
      after = hits.hits.at(-1)?.sort;
      yield hits.hits.flatMap(({ _source }) => _source ?? []);
    } while (after !== undefined);
  }
}

/**
 * Makes the index of the records where there is none. Nobody but this service's commands reads it.
 * @returns whether there was none.
 */
export async function ensureLinks(es: Client, indexPrefix: string): Promise<boolean> {
  const long = { type: 'long' } as const;
  if (await es.indices.exists({ index: linksIndex(indexPrefix) })) return false;
  await es.indices.create(
    {
      index: linksIndex(indexPrefix),
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true },
      mappings: {
        dynamic: false,
        _meta: { service: SERVICE },
        properties: { id: long, compared_by: long, planned_by: long, near: long },
      },
    },
    // Somebody else has just made it.
    { ignore: [400] },
  );
  return true;
}
