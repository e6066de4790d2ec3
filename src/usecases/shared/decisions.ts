import { hash } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import { SERVICE } from '../../engine/indices.js';
import { searchPages } from '../../engine/search-pages.js';
import { listingId, listingKey } from '../../listing/identify.js';
import type { StoredListing } from '../../listing/listing.js';
import type { Decision } from '../../matching/grouping/cluster.js';
import { OperationError } from '../../platform/operation-errors.js';
import type { ListingKey, StoredDecision } from '../../schemas/decisions.js';
import { decisionsIndex } from './matcher/find-matches.js';

const FIELDS = ['a_source', 'a_sku', 'b_source', 'b_sku', 'decision'] as const;
const PAGE = 1_000;
/** The maximum number of ids that are tried for a listing. Ids collide so rarely that no listing needs more. */
const MAX_ATTEMPTS = 5;

const sideA = ({ a_source: source, a_sku: sku }: StoredDecision): ListingKey => ({ source, sku });
const sideB = ({ b_source: source, b_sku: sku }: StoredDecision): ListingKey => ({ source, sku });

/** The document id of a decision does not depend on the order of its two listings. */
function decisionId(decision: StoredDecision): string {
  const pair = [listingKey(sideA(decision)), listingKey(sideB(decision))].sort().join('\0');
  return hash('sha256', pair, 'hex');
}

/**
 * Stores people's decisions on whether two listings are the same product, in place of earlier ones about the same two.
 * @param run the id of the first linking run that obeys them.
 */
export async function storeDecisions(
  es: Client,
  indexPrefix: string,
  decisions: readonly StoredDecision[],
  run: number,
  backoff: Backoff,
): Promise<void> {
  const index = decisionsIndex(indexPrefix);
  await es.indices.create(
    {
      index,
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1' },
      mappings: {
        dynamic: 'strict',
        _meta: { service: SERVICE },
        properties: {
          ...Object.fromEntries(FIELDS.map((field) => [field, { type: 'keyword' }])),
          decided_by: { type: 'long' },
        },
      },
    },
    // Status 400 means that the index exists already, which is the usual case.
    { ignore: [400] },
  );
  for (let at = 0; at < decisions.length; at += PAGE) {
    const operations = decisions.slice(at, at + PAGE).flatMap((decision) => {
      const document = Object.fromEntries(FIELDS.map((field) => [field, decision[field]]));
      return [{ index: { _id: decisionId(decision) } }, { ...document, decided_by: run }];
    });
    const answer = await backoff.retry(() => es.bulk({ index, operations, filter_path: ['items.*.error'] }));
    const failed = answer.items?.find((item) => item.index?.error !== undefined)?.index?.error;
    if (failed !== undefined) throw new OperationError(`${index} rejects a decision: ${failed.reason}`);
  }
  await backoff.retry(() => es.indices.refresh({ index }));
}

async function readDecisions(es: Client, indexPrefix: string, backoff: Backoff) {
  const decisions: (StoredDecision & { decided_by: number })[] = [];
  const request = {
    index: decisionsIndex(indexPrefix),
    ignore_unavailable: true,
    size: PAGE,
    sort: ['a_source', 'a_sku', 'b_source', 'b_sku'],
  };
  for await (const hits of searchPages<(typeof decisions)[number]>(es, request, { backoff }))
    decisions.push(...hits.flatMap(({ _source }) => _source ?? []));
  return decisions;
}

/** The decisions about listings that exist in the catalogue. */
export interface EffectiveDecisions {
  decisions: Decision[];
  /** The ids of the listings in decisions that were stored for this linking run. */
  fresh: number[];
  /** The number of decisions about a listing that does not exist. */
  unknown: number;
}

/**
 * Reads people's decisions and finds the listings that they are about.
 * @param further the decisions of a dry run, which are not stored.
 */
export async function decisionsFor(
  { es, alias, indexPrefix, backoff }: { es: Client; alias: string; indexPrefix: string; backoff: Backoff },
  run: number,
  further: readonly StoredDecision[] = [],
): Promise<EffectiveDecisions> {
  const all = new Map((await readDecisions(es, indexPrefix, backoff)).map((one) => [decisionId(one), one]));
  for (const decision of further) all.set(decisionId(decision), { ...decision, decided_by: run });
  const rows = [...all.values()];
  const ids = await idsOf(
    es,
    alias,
    rows.flatMap((row) => [sideA(row), sideB(row)]),
    backoff,
  );
  const effective: EffectiveDecisions = { decisions: [], fresh: [], unknown: 0 };
  for (const row of rows) {
    const [a, b] = [ids.get(listingKey(sideA(row))), ids.get(listingKey(sideB(row)))];
    if (a === undefined || b === undefined) {
      effective.unknown += 1;
      continue;
    }
    effective.decisions.push({ a, b, same: row.decision === 'same' });
    if (row.decided_by === run) effective.fresh.push(a, b);
  }
  return effective;
}

/**
 * Returns the ids of the existing listings, by `listingKey`, at their first attempt or a later one after a collision.
 */
async function idsOf(
  es: Client,
  alias: string,
  keys: readonly ListingKey[],
  backoff: Backoff,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  let open = [...new Map(keys.map((key) => [listingKey(key), key])).values()];
  for (let attempt = 0; attempt < MAX_ATTEMPTS && open.length > 0; attempt += 1) {
    const others: typeof open = [];
    for (let at = 0; at < open.length; at += PAGE) {
      const some = open.slice(at, at + PAGE);
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
