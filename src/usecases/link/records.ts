import type { Client, estypes } from '@elastic/elasticsearch';
import { ensureIndex } from '../../engine/indices.js';
import type { Backoff } from '../../engine/backoff.js';
import { searchPages } from '../../engine/search-pages.js';
import { OperationError } from '../../platform/operation-errors.js';
import { chunksOf } from '../../platform/chunks.js';
import { storedIndex } from '../../platform/stored.js';

/** A link record: the stored result of comparing a listing, and the group that a linking run decided on. */
export interface LinkRecord {
  id: number;
  content: string;
  /** The id of the last linking run that compared the listing. */
  compared_by: number;
  /** The id of the first linking run that saw the listing's present content. */
  changed_by: number;
  /** For each candidate: its id, the match probability, and 1 if an attribute contradicts the match, otherwise 0. */
  pairs: [other: number, probability: number, contradicted: 0 | 1][];
  /** The ids of the listing's probable matches. The field is indexed, so that these find the listing. */
  near: number[];
  /** The last linking run that decided on the listing's group. It and the group are missing before the first such run. */
  planned_by?: number;
  group_id?: number;
  is_shared?: boolean;
}

export type PlannedGroup = Required<Pick<LinkRecord, 'group_id' | 'is_shared'>>;

export type ComparedRecord = Omit<LinkRecord, 'planned_by' | keyof PlannedGroup>;

/** The only pair in the record of a listing that is near-identical to another one, and for which no candidates are searched. */
export const alikePair = (id: number): LinkRecord['pairs'][number] => [id, 1, 0];

/** Whether candidates were searched for a listing: not if another one surely matched it, or if it has an `alikePair`. */
export const wasSearched = ({ pairs: [first, second] }: Pick<LinkRecord, 'pairs'>): boolean =>
  first !== undefined && (second !== undefined || first[1] < 1);

const PAGE = 1_000;
const TERMS = 10_000;

export class LinkRecords {
  readonly #index: string;
  readonly #unwritten = new Map<number, LinkRecord>();

  constructor(
    private readonly es: Client,
    indexPrefix: string,
    private readonly backoff: Backoff,
    private readonly dryRun: boolean,
  ) {
    this.#index = storedIndex(indexPrefix, 'links');
  }

  /** Returns the existing link records of these listings, by id, read in real time. */
  async get(ids: readonly number[]): Promise<Map<number, LinkRecord>> {
    const records = new Map<number, LinkRecord>();
    for (const some of chunksOf(ids.map(String), PAGE)) {
      const { docs } = await this.backoff.retry(() =>
        this.es.mget<LinkRecord>({ index: this.#index, ids: some }),
      );
      for (const doc of docs) {
        if ('error' in doc) {
          // A dry run does not create the index, so a missing index counts as one without records.
          if (doc.error.type === 'index_not_found_exception') continue;
          throw new OperationError(`${this.#index}: ${doc.error.reason}`);
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

  /** Stores the given members of link records. The other members of existing records are kept. */
  async save(records: readonly (Pick<LinkRecord, 'id'> & Partial<LinkRecord>)[]): Promise<void> {
    if (this.dryRun) {
      for (const record of records)
        this.#unwritten.set(record.id, { ...this.#unwritten.get(record.id), ...record } as LinkRecord);
      return;
    }
    for (const chunk of chunksOf(records, PAGE))
      await sendUpdates(
        { es: this.es, index: this.#index, what: 'a record' },
        chunk.map((doc) => ({ id: String(doc.id), body: { doc, doc_as_upsert: true } })),
        this.backoff,
      );
    this.backoff.reset();
  }

  async refresh(): Promise<void> {
    if (!this.dryRun) await this.backoff.retry(() => this.es.indices.refresh({ index: this.#index }));
  }

  /** Returns the ids of all listings whose probable matches include at least one of the given listings. */
  async near(ids: readonly number[]): Promise<number[]> {
    const wanted = new Set(ids);
    const found = [...this.#unwritten.values()].filter(({ near }) => near.some((id) => wanted.has(id)));
    const near = found.map(({ id }) => id);
    for (const some of chunksOf(ids, TERMS)) {
      for await (const page of this.#pages({ terms: { near: some } }, ['id'])) {
        near.push(...page.map(({ id }) => id));
      }
    }
    return near;
  }

  /** Yields the link records of the listings that a run compared or decided on, sorted by id. */
  async *of(run: number, by: 'compared_by' | 'planned_by', fields?: string[]): AsyncGenerator<LinkRecord[]> {
    if (this.dryRun) yield [...this.#unwritten.values()].filter((record) => record[by] === run);
    else yield* this.#pages({ term: { [by]: run } }, fields);
  }

  async *all(): AsyncGenerator<LinkRecord[]> {
    const stored = new Set<number>();
    for await (const page of this.#pages({ exists: { field: 'compared_by' } })) {
      yield page.map((record) => this.#unwritten.get(record.id) ?? record);
      if (this.dryRun) for (const { id } of page) stored.add(id);
    }
    yield [...this.#unwritten.values()].filter(({ id }) => !stored.has(id));
  }

  async *#pages(query: estypes.QueryDslQueryContainer, fields?: string[]): AsyncGenerator<LinkRecord[]> {
    const request = {
      index: this.#index,
      ignore_unavailable: true,
      query,
      size: PAGE,
      sort: [{ id: 'asc' as const }],
      ...(fields && { _source: fields }),
    };
    for await (const hits of searchPages<LinkRecord>(this.es, request, { backoff: this.backoff }))
      yield hits.flatMap(({ _source }) => _source ?? []);
  }
}

/** Updates documents with one request. @throws OperationError that says `what` Elasticsearch rejects. */
export async function sendUpdates(
  { es, index, what }: { es: Client; index: string; what: string },
  updates: readonly { id: string; body: object }[],
  backoff: Pick<Backoff, 'retry'>,
): Promise<void> {
  const operations = updates.flatMap(({ id, body }) => [{ update: { _id: id, retry_on_conflict: 3 } }, body]);
  const answer = await backoff.retry(() => es.bulk({ index, operations, filter_path: ['items.*.error'] }));
  const failed = answer.items?.find(({ update }) => update?.error !== undefined)?.update?.error;
  if (failed !== undefined) throw new OperationError(`${index} rejects ${what}: ${failed.reason}`);
}

/** Creates the index of the link records if it does not exist. @returns whether it was created. */
export async function ensureLinks(es: Client, indexPrefix: string): Promise<boolean> {
  const index = storedIndex(indexPrefix, 'links');
  if (await es.indices.exists({ index })) return false;
  const long = { type: 'long' } as const;
  const fields = { id: long, compared_by: long, planned_by: long, near: long };
  await ensureIndex(es, indexPrefix, 'links', fields, { hidden: true });
  return true;
}
