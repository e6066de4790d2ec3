import { hash } from 'node:crypto';
import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../engine/backoff.js';
import { ensureIndex, KEYWORD } from '../engine/indices.js';
import { searchPages } from '../engine/search-pages.js';
import { listingId, listingKey } from '../listing/identify.js';
import { compareInstants } from '../listing/instant.js';
import type { StoredListing } from '../listing/listing.js';
import type { PairDecision } from '../matching/grouping/cluster.js';
import { OperationError } from '../platform/operation-errors.js';
import type { DecisionAuthor, DecisionDocument, ListingKey, StoredDecision } from '../schemas/decisions.js';
import { chunksOf } from '../platform/chunks.js';
import { storedIndex } from '../platform/stored.js';

const PAGE = 1_000;
/** The maximum number of ids that are tried for a listing. Ids collide so rarely that no listing needs more. */
const MAX_ATTEMPTS = 5;

type PairKeys = Pick<StoredDecision, 'a_source' | 'a_sku' | 'b_source' | 'b_sku'>;

/** A stored decision. Those of earlier versions of this service lack some members. */
export type KnownDecision = PairKeys & Pick<DecisionDocument, 'decision'> & Partial<DecisionDocument>;

/** Returns the keys of the two listings that a decision is about. */
export const sidesOf = ({ a_source, a_sku, b_source, b_sku }: PairKeys): [ListingKey, ListingKey] => [
  { source: a_source, sku: a_sku },
  { source: b_source, sku: b_sku },
];

/** Identifies two listings. It does not depend on their order. */
export function pairId(pair: PairKeys): string {
  const keys = sidesOf(pair).map(listingKey).sort().join('\0');
  return hash('sha256', keys, 'hex');
}

/** The id of a decision. A reviewer's later decision about the same pair replaces the earlier one. */
export const decisionId = (pair_id: string, reviewer: string | null): string =>
  reviewer === null ? pair_id : hash('sha256', `${pair_id}\0${reviewer}`, 'hex');

/** The document that stores a decision which no linking run has taken into account yet. */
export const decisionDocument = (
  { a_source, a_sku, b_source, b_sku, decision }: PairKeys & Pick<DecisionDocument, 'decision'>,
  author: DecisionAuthor,
): DecisionDocument => {
  const keys = { a_source, a_sku, b_source, b_sku };
  return { ...keys, decision, ...author, pair_id: pairId(keys), pending: true };
};

const FIELDS: Record<keyof DecisionDocument, estypes.MappingProperty> = {
  a_source: KEYWORD,
  a_sku: KEYWORD,
  b_source: KEYWORD,
  b_sku: KEYWORD,
  decision: KEYWORD,
  reviewer: KEYWORD,
  key_id: KEYWORD,
  note: { type: 'keyword', index: false, doc_values: false },
  decided_at: { type: 'date' },
  pair_id: KEYWORD,
  pending: { type: 'boolean' },
};

/** Creates the index of decisions, or adds the fields that an earlier version did not store. */
export async function ensureDecisions(es: Client, indexPrefix: string): Promise<void> {
  const index = storedIndex(indexPrefix, 'decisions');
  const { [index]: found } = await es.indices.getMapping({ index }, { ignore: [404] });
  if (found === undefined) await ensureIndex(es, indexPrefix, 'decisions', FIELDS, { dynamic: 'strict' });
  else if (found.mappings.properties?.['pending'] === undefined)
    await es.indices.putMapping({ index, properties: FIELDS });
}

/** Stores people's decisions about pairs of listings, in place of earlier ones of the same reviewer about the same two. */
export async function storeDecisions(
  es: Client,
  indexPrefix: string,
  decisions: readonly DecisionDocument[],
  backoff: Backoff,
): Promise<void> {
  const index = storedIndex(indexPrefix, 'decisions');
  await ensureDecisions(es, indexPrefix);
  for (const chunk of chunksOf(decisions, PAGE)) {
    const operations = chunk.flatMap((document) => [
      { index: { _id: decisionId(document.pair_id, document.reviewer) } },
      document,
    ]);
    const answer = await backoff.retry(() => es.bulk({ index, operations, filter_path: ['items.*.error'] }));
    const failed = answer.items?.find((item) => item.index?.error !== undefined)?.index?.error;
    if (failed !== undefined) throw new OperationError(`${index} rejects a decision: ${failed.reason}`);
  }
  await backoff.retry(() => es.indices.refresh({ index }));
}

interface VersionedDecision {
  id: string;
  decision: KnownDecision;
  version: { if_seq_no: number; if_primary_term: number };
}

async function readDecisions(es: Client, indexPrefix: string, backoff: Backoff) {
  const decisions: VersionedDecision[] = [];
  const request = {
    index: storedIndex(indexPrefix, 'decisions'),
    ignore_unavailable: true,
    size: PAGE,
    sort: [
      'a_source',
      'a_sku',
      'b_source',
      'b_sku',
      { reviewer: { order: 'asc', unmapped_type: 'keyword' } },
    ],
    seq_no_primary_term: true,
  } satisfies estypes.SearchRequest;
  for await (const hits of searchPages<KnownDecision>(es, request, { backoff }))
    for (const { _id: id = '', _source: decision, _seq_no = 0, _primary_term = 0 } of hits)
      if (decision !== undefined)
        decisions.push({ id, decision, version: { if_seq_no: _seq_no, if_primary_term: _primary_term } });
  return decisions;
}

/** The decisions about listings that exist in the catalogue. */
export type EffectiveDecisions = Awaited<ReturnType<typeof decisionsFor>>;

/** Reads people's decisions with the listings that they are about; the latest counts. @param further those of a dry run. */
export async function decisionsFor(
  { es, alias, indexPrefix, backoff }: { es: Client; alias: string; indexPrefix: string; backoff: Backoff },
  further: readonly DecisionDocument[] = [],
) {
  const stored = await readDecisions(es, indexPrefix, backoff);
  const all = [...stored.map(({ decision }) => decision), ...further];
  const latest = new Map<string, KnownDecision>();
  const freshPairs = new Set<string>();
  const timeOf = ({ decided_at = '' }: { decided_at?: string }) => decided_at;
  for (const decision of all.sort((a, b) => compareInstants(timeOf(a), timeOf(b)))) {
    const pair = pairId(decision);
    if (decision.pending === true) freshPairs.add(pair);
    const isEffective = decision.decision === 'same' || decision.decision === 'different';
    if (isEffective || !latest.has(pair)) latest.set(pair, decision);
  }
  const ids = await findListingIds(es, alias, [...latest.values()].flatMap(sidesOf), backoff);
  /** The decisions that no linking run has taken into account yet. */
  const pending = stored.filter(({ decision }) => decision.pending === true);
  /** The ids of the listings in decisions that no linking run has taken into account yet. */
  const fresh: number[] = [];
  const decisions: PairDecision[] = [];
  /** The number of decisions about a listing that does not exist. */
  let unknown = 0;
  for (const [pair, row] of latest) {
    const [a, b] = sidesOf(row).map((side) => ids.get(listingKey(side)));
    if (a === undefined || b === undefined) {
      unknown += 1;
      continue;
    }
    if (row.decision === 'same' || row.decision === 'different')
      decisions.push({ a, b, same: row.decision === 'same' });
    if (freshPairs.has(pair)) fresh.push(a, b);
  }
  return { decisions, fresh, unknown, pending };
}

/** Marks decisions as taken into account, and deletes those that were taken back, except those that changed meanwhile. */
export async function settleDecisions(
  es: Client,
  indexPrefix: string,
  pending: readonly VersionedDecision[],
  backoff: Backoff,
): Promise<void> {
  const index = storedIndex(indexPrefix, 'decisions');
  for (const chunk of chunksOf(pending, PAGE)) {
    const operations = chunk.flatMap(({ id, decision, version }): object[] => {
      const target = { _id: id, ...version };
      return decision.decision === 'undone'
        ? [{ delete: target }]
        : [{ update: target }, { doc: { pending: false } }];
    });
    await backoff.retry(() => es.bulk({ index, operations, filter_path: ['errors'] }));
  }
  if (pending.length > 0) await backoff.retry(() => es.indices.refresh({ index }));
}

/** Returns the ids of the existing listings, by `listingKey`. A listing may have the id of a later attempt after a collision. */
export async function findListingIds(
  es: Client,
  alias: string,
  keys: readonly ListingKey[],
  backoff: Backoff,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  let open = [...new Map(keys.map((key) => [listingKey(key), key])).values()];
  for (let attempt = 0; attempt < MAX_ATTEMPTS && open.length > 0; attempt += 1) {
    const others: typeof open = [];
    for (const some of chunksOf(open, PAGE)) {
      const { docs } = await backoff.retry(() =>
        es.mget<Pick<StoredListing, 'id' | 'source' | 'sku'>>({
          index: alias,
          ids: some.map(({ source, sku }) => String(listingId(source, sku, attempt))),
          _source_includes: ['id', 'source', 'sku'],
        }),
      );
      docs.forEach((doc, nth) => {
        const key = some[nth];
        if (key === undefined || 'error' in doc || doc._source === undefined) return;
        if (listingKey(doc._source) === listingKey(key)) ids.set(listingKey(key), doc._source.id);
        else others.push(key);
      });
    }
    open = others;
  }
  return ids;
}
