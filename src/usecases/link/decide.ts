import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { totalOf } from '../../engine/deep-offset.js';
import { getListingsById } from '../../engine/documents.js';
import { formatInstant } from '../../listing/instant.js';
import { listingKey } from '../../listing/identify.js';
import { groupOf, type StoredListing } from '../../listing/listing.js';
import { notFound } from '../../platform/errors.js';
import type { DecisionDocument, ListingKey } from '../../schemas/decisions.js';
import type { DecisionResults, NewDecisions } from '../../schemas/review.js';
import type { Caller, Context } from '../context.js';
import {
  decisionDocument,
  decisionId,
  findListingIds,
  type KnownDecision,
  pairId,
  sidesOf,
  storeDecisions,
} from '../../matcher/decisions.js';
import { idempotently } from '../idempotent.js';
import { applyDecisions } from './link.js';
import { nextCursor, readSortCursor, reviewerOf } from './review.js';
import { ensureQuestions } from './review-questions.js';
import { storedIndex } from '../../platform/stored.js';

type NewDecision = NewDecisions['decisions'][number];

type DecisionResult = DecisionResults['results'][number];

const NOT_STORED = { decision_id: null, groups_before: null, groups_after: null };

const GIVE_UP_AFTER_MS = 5_000;

const backoff = () => new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait: () => undefined });

/** Stores decisions on pairs of listings, and forms their groups again. @throws ApiError 403 without the scope `review`. */
export async function decide(context: Context, body: NewDecisions, caller: Caller) {
  const reviewer = reviewerOf(caller);
  const repeatable = { path: '/v1/decisions', content: JSON.stringify(body) };
  return idempotently(context, caller, repeatable, () => decideAs(reviewer, context, body, caller));
}

async function decideAs(reviewer: string, context: Context, { decisions }: NewDecisions, caller: Caller) {
  const { now } = context;
  const found = await findReferenced(context, decisions);
  const decided_at = formatInstant(now().getTime());
  const author = { reviewer, key_id: caller.key?.id ?? null, decided_at };
  const rows = decisions.map((given) => {
    const [a, b] = [found.get(given.a), found.get(given.b)];
    if (a === undefined || b === undefined)
      return { detail: `Listing not found: ${a === undefined ? given.a : given.b}` };
    if (a.id === b.id) return { detail: 'A decision needs two different listings' };
    const pair = { a_source: a.source, a_sku: a.sku, b_source: b.source, b_sku: b.sku };
    const note = given.note ?? null;
    const document = decisionDocument({ ...pair, decision: given.decision }, { ...author, note });
    return { a, b, document, id: decisionId(document.pair_id, reviewer) };
  });
  // The last decision of a request about a pair counts.
  const latest = new Map(rows.flatMap(({ document }) => (document ? [[document.pair_id, document]] : [])));
  const documents = [...latest.values()];
  const by = { reviewer, caller, action: 'match-decided' } as const;
  const isApplied = documents.length === 0 || (await storeAndApply(context, documents, by));
  const named = rows.flatMap(({ a, b }) => (a && b ? [a.id, b.id] : []));
  const after = await groupsNow(context, named);
  const results = rows.map(({ a, b, document, id, detail }, index): DecisionResult => {
    if (document === undefined) return { index, outcome: 'rejected', detail: detail ?? '', ...NOT_STORED };
    const groups_after = { a: after.get(a.id) ?? groupOf(a), b: after.get(b.id) ?? groupOf(b) };
    const isObeyed = (groups_after.a === groups_after.b) === (document.decision === 'same');
    const effective = isObeyed ? 'applied' : 'overruled';
    const outcome = document.decision === 'skip' ? 'skipped' : isApplied ? effective : 'pending';
    const groups_before = { a: groupOf(a), b: groupOf(b) };
    return { index, outcome, decision_id: id, groups_before, groups_after };
  });
  return { body: { results } };
}

interface DecidedBy {
  reviewer: string | null;
  caller: Caller;
  action: 'match-decided' | 'match-undone';
}

/** Stores decisions, and forms the groups of their listings again. @returns whether the latter was possible at once. */
async function storeAndApply(
  { es, config, rates, audit }: Context,
  documents: readonly DecisionDocument[],
  { reviewer, caller, action }: DecidedBy,
): Promise<boolean> {
  const { indexPrefix } = config;
  await storeDecisions(es, indexPrefix, documents, backoff());
  if (reviewer !== null) await recordReviewer(es, indexPrefix, documents, reviewer);
  if (caller.key !== null) {
    const { id, tier, developerId } = caller.key;
    audit({ action, key: { id, tier, developerId }, pairs: documents.map(({ pair_id }) => pair_id) }, caller);
  }
  const signal = AbortSignal.timeout(MAX_APPLY_MS);
  const showProgress = () => ({ line: () => undefined, update: () => undefined, stop: () => undefined });
  return applyDecisions({ es, indexPrefix, rates, signal, report: () => undefined, showProgress });
}

const isKey = (reference: string): boolean => reference.includes(':');

/** Finds the listings to which decisions refer by id, or by source and SKU. The keys are the references. */
async function findReferenced({ es, products }: Context, decisions: readonly NewDecision[]) {
  const references = [...new Set(decisions.flatMap(({ a, b }) => [a, b]))];
  const keyOf = (reference: string) => {
    const colon = reference.indexOf(':');
    return { source: reference.slice(0, colon), sku: reference.slice(colon + 1) };
  };
  const keys = references.map(String).filter(isKey).map(keyOf);
  const ids = await findListingIds(es, products, keys, backoff());
  const idOf = (one: NewDecision['a']) =>
    isKey(String(one)) ? ids.get(listingKey(keyOf(String(one)))) : Number(one);
  const wanted = references.flatMap((one) => idOf(one) ?? []).filter(Number.isSafeInteger);
  const fields = ['id', 'source', 'sku', 'internal.group_id', 'internal.linked_at'];
  const listings = await getListingsById(es, products, wanted, fields);
  const found = references.map((one) => [one, listings.get(idOf(one) ?? 0)] as const);
  return new Map(found.flatMap(([one, listing]) => (listing === undefined ? [] : [[one, listing]])));
}

async function groupsNow({ es, products }: Context, ids: readonly number[]): Promise<Map<number, number>> {
  const listings = await getListingsById(es, products, ids, ['id', 'internal.group_id']);
  return new Map([...listings].map(([id, listing]) => [id, groupOf(listing)]));
}

const MAX_APPLY_MS = 20_000;

/** Notes in the review queue who decided or skipped a pair. Pairs that are not in the queue are ignored. */
async function recordReviewer(
  es: Client,
  indexPrefix: string,
  documents: readonly DecisionDocument[],
  reviewer: string,
): Promise<void> {
  const operations = documents.flatMap(({ pair_id, decision }) => [
    { update: { _id: pair_id, retry_on_conflict: 3 } },
    { script: { source: RECORD_REVIEWER, params: { reviewer, list: LIST_OF[decision] } } },
  ]);
  const index = storedIndex(indexPrefix, 'review');
  await ensureQuestions(es, indexPrefix);
  await es.bulk({ index, operations, refresh: true, filter_path: ['errors'] });
}

const LIST_OF: Record<DecisionDocument['decision'], string> = {
  same: 'decided_by',
  different: 'decided_by',
  skip: 'skipped_by',
  undone: '',
};

const RECORD_REVIEWER = `
  ctx._source.decided_by.removeIf(one -> one == params.reviewer);
  ctx._source.skipped_by.removeIf(one -> one == params.reviewer);
  if (params.list != '') { ctx._source[params.list].add(params.reviewer); }`;

/** Takes a decision back, and forms the groups again. @throws ApiError 403 without the scope `review`, 404 without the decision. */
export async function undoDecision(context: Context, id: string, caller: Caller) {
  const { es, config, products } = context;
  reviewerOf(caller);
  const index = storedIndex(config.indexPrefix, 'decisions');
  const { _source: document } = await es.get<KnownDecision>({ index, id }, { ignore: [404] });
  if (document === undefined || document.decision === 'undone') throw notFound('Decision not found');
  const { a_source, a_sku, b_source, b_sku, reviewer = null, key_id = null, note = null } = document;
  const sides = sidesOf(document);
  const ids = await findListingIds(es, products, sides, backoff());
  const [a, b] = sides.map((one) => ids.get(listingKey(one)));
  const groupsOfPair = async (): Promise<DecisionResult['groups_after']> => {
    if (a === undefined || b === undefined) return null;
    const groups = await groupsNow(context, [a, b]);
    return { a: groups.get(a) ?? a, b: groups.get(b) ?? b };
  };
  const groups_before = await groupsOfPair();
  const author = { reviewer, key_id, note, decided_at: document.decided_at ?? formatInstant(0) };
  const undone = decisionDocument({ a_source, a_sku, b_source, b_sku, decision: 'undone' }, author);
  const isApplied = await storeAndApply(context, [undone], { reviewer, caller, action: 'match-undone' });
  const outcome = isApplied ? ('applied' as const) : ('pending' as const);
  return { body: { decision_id: id, outcome, groups_before, groups_after: await groupsOfPair() } };
}

const MAX_AGREEMENTS = 10_000;

/** Lists all decisions, the latest first. @throws ApiError 403 without the scope `review`, 422 for an invalid cursor. */
export async function listDecisions(
  context: Context,
  { limit = 100, cursor }: { limit?: number; cursor?: string },
  caller: Pick<Caller, 'key'>,
) {
  const { es, config } = context;
  reviewerOf(caller);
  const after = readSortCursor(context, cursor, DECISIONS);
  const { hits, aggregations } = await es.search<KnownDecision>({
    index: storedIndex(config.indexPrefix, 'decisions'),
    ignore_unavailable: true,
    query: { bool: { must_not: [{ term: { decision: 'undone' } }] } },
    sort: [
      { decided_at: { order: 'desc', missing: '_last', unmapped_type: 'date' } },
      ...['a_source', 'a_sku', 'b_source', 'b_sku'].map((field) => ({ [field]: 'asc' as const })),
      { reviewer: { order: 'asc', unmapped_type: 'keyword' } },
    ],
    ...(after && { search_after: after }),
    size: limit,
    track_total_hits: true,
    aggs: { judged: { filter: { terms: { decision: ['same', 'different'] } }, aggs: { pairs: BY_PAIR } } },
  });
  const found = hits.hits.flatMap(({ _source }) => _source ?? []);
  const listings = await listingsIn(context, found);
  const items = hits.hits.flatMap(({ _id: id = '', _source }) =>
    _source === undefined || _source.decision === 'undone'
      ? []
      : [{ decision_id: id, decision: _source.decision, ...decisionItem(_source, listings) }],
  );
  const judged = aggregations?.['judged'] as
    { pairs?: { buckets: { decisions: { value: number } }[] } } | undefined;
  const pairs = judged?.pairs?.buckets ?? [];
  const next_cursor = nextCursor(context, hits.hits, limit, DECISIONS);
  const agreed = pairs.filter(({ decisions }) => decisions.value === 1).length;
  return {
    body: { items, next_cursor, total: totalOf({ hits }), agreement: { pairs: pairs.length, agreed } },
  };
}

const DECISIONS = 'decisions';

const BY_PAIR = {
  terms: { field: 'pair_id', min_doc_count: 2, size: MAX_AGREEMENTS },
  aggs: { decisions: { cardinality: { field: 'decision' } } },
};

async function listingsIn({ es, products }: Context, decisions: readonly KnownDecision[]) {
  const ids = await findListingIds(es, products, decisions.flatMap(sidesOf), backoff());
  const stored = await getListingsById(es, products, ids.values(), ['id', 'name', 'source', 'sku']);
  return new Map([...stored.values()].map((one) => [listingKey(one), one]));
}

const decisionItem = (
  decision: KnownDecision,
  listings: ReadonlyMap<string, Pick<StoredListing, 'id' | 'name'>>,
) => {
  const known = (key: ListingKey) => {
    const { id = null, name = null } = listings.get(listingKey(key)) ?? {};
    return { ...key, id, name };
  };
  const [a, b] = sidesOf(decision);
  return {
    pair_id: decision.pair_id ?? pairId(decision),
    a: known(a),
    b: known(b),
    note: decision.note ?? null,
    reviewer: decision.reviewer ?? null,
    decided_at: decision.decided_at ?? null,
    pending: decision.pending ?? false,
  };
};
