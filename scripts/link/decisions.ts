import type { Client } from '@elastic/elasticsearch';
import { hash } from 'node:crypto';
import { SERVICE } from '../../src/engine/indices.js';
import type { Backoff } from '../../src/engine/backoff.js';
import { decisionsIndex } from '../../src/usecases/shared/find-matches.js';
import type { Decision } from '../../src/matching/grouping/cluster.js';
import { listingId } from '../../src/listing/identify.js';
import type { StoredListing } from '../../src/listing/listing.js';
import type { StoredDecision } from '../../src/schemas/decisions.js';
import { keyOf, readCsv, refuse } from '../evaluate/judgements.js';
import { CommandError } from '../shared/exit.js';

const COLUMNS = ['a_source', 'a_sku', 'b_source', 'b_sku', 'decision'] as const;
const PAGE = 1_000;
/** Listings that share an id are as rare as that. */
const MAX_ATTEMPTS = 5;

/** @throws CommandError that shows what in the file is no decision. */
export async function readDecisions(file: string): Promise<StoredDecision[]> {
  const rows = await readCsv(file, COLUMNS);
  const told = ({ a_source, a_sku, b_source, b_sku, decision }: (typeof rows)[number]) =>
    [a_source, a_sku, b_source, b_sku, decision].join(',');
  const isBlank = (row: (typeof rows)[number]) => COLUMNS.some((column) => row[column] === '');
  const isOther = ({ decision }: (typeof rows)[number]) => decision !== 'same' && decision !== 'different';
  const wrong = rows.filter((row) => isBlank(row) || isOther(row));
  refuse(file, wrong.map(told), 'a decision is same or different, of two listings by source and sku');
  const [ofOne] = rows.filter((row) => keyOf(sideA(row)) === keyOf(sideB(row)));
  if (ofOne !== undefined) refuse(file, [told(ofOne)], 'a decision is about two listings');
  return rows as StoredDecision[];
}

const sideA = ({ a_source: source, a_sku: sku }: Pick<StoredDecision, 'a_source' | 'a_sku'>) => ({
  source,
  sku,
});
const sideB = ({ b_source: source, b_sku: sku }: Pick<StoredDecision, 'b_source' | 'b_sku'>) => ({
  source,
  sku,
});

/** One for each pair, whichever of the two was named first. */
function decisionId(decision: StoredDecision): string {
  const pair = [keyOf(sideA(decision)), keyOf(sideB(decision))].sort().join('\0');
  return hash('sha256', pair, 'hex');
}

/** Keeps decisions; a later one of the same pair replaces it. @param run that is the first to obey them. */
export async function keepDecisions(
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
          ...Object.fromEntries(COLUMNS.map((column) => [column, { type: 'keyword' }])),
          decided_by: { type: 'long' },
        },
      },
    },
    // It exists already, as a rule.
    { ignore: [400] },
  );
  for (let at = 0; at < decisions.length; at += PAGE) {
    const operations = decisions.slice(at, at + PAGE).flatMap((decision) => {
      const document = Object.fromEntries(COLUMNS.map((column) => [column, decision[column]]));
      return [{ index: { _id: decisionId(decision) } }, { ...document, decided_by: run }];
    });
    const answer = await backoff.retry(() => es.bulk({ index, operations, filter_path: ['items.*.error'] }));
    const failed = answer.items?.find((item) => item.index?.error !== undefined)?.index?.error;
    if (failed !== undefined) throw new CommandError(`${index} takes no decision: ${failed.reason}`);
  }
  await backoff.retry(() => es.indices.refresh({ index }));
}

/** Every decision that is kept. */
async function keptDecisions(es: Client, indexPrefix: string, backoff: Backoff) {
  const kept: (StoredDecision & { decided_by: number })[] = [];
  let after: string | undefined;
  do {
    const { hits } = await backoff.retry(() =>
      es.search<StoredDecision & { decided_by: number }>({
        index: decisionsIndex(indexPrefix),
        ignore_unavailable: true,
        size: PAGE,
        sort: [{ a_source: 'asc' }, { a_sku: 'asc' }, { b_source: 'asc' }, { b_sku: 'asc' }],
        ...(after === undefined ? {} : { search_after: JSON.parse(after) as string[] }),
        allow_partial_search_results: false,
      }),
    );
    kept.push(...hits.hits.flatMap(({ _source }) => _source ?? []));
    const last = hits.hits.at(-1)?.sort;
    after = last === undefined ? undefined : JSON.stringify(last);
  } while (after !== undefined);
  return kept;
}

/** What was decided, of listings that there are. */
export interface Decided {
  decisions: Decision[];
  /** Those listings of it that were decided for this run. */
  fresh: number[];
  /** How many decisions name a listing that there is none of. */
  unknown: number;
}

/** @param further decisions of a dry run, which keeps none. */
export async function decidedFor(
  { es, alias, indexPrefix, backoff }: { es: Client; alias: string; indexPrefix: string; backoff: Backoff },
  run: number,
  further: readonly StoredDecision[] = [],
): Promise<Decided> {
  const all = new Map((await keptDecisions(es, indexPrefix, backoff)).map((one) => [decisionId(one), one]));
  for (const decision of further) all.set(decisionId(decision), { ...decision, decided_by: run });
  const rows = [...all.values()];
  const ids = await idsOf(
    es,
    alias,
    rows.flatMap((row) => [sideA(row), sideB(row)]),
    backoff,
  );
  const decided: Decided = { decisions: [], fresh: [], unknown: 0 };
  for (const row of rows) {
    const [a, b] = [ids.get(keyOf(sideA(row))), ids.get(keyOf(sideB(row)))];
    if (a === undefined || b === undefined) {
      decided.unknown += 1;
      continue;
    }
    decided.decisions.push({ a, b, same: row.decision === 'same' });
    if (row.decided_by === run) decided.fresh.push(a, b);
  }
  return decided;
}

/** Ids of the listings that there are, by `keyOf`: each is where `listingId` says, or at its next attempt. */
async function idsOf(
  es: Client,
  alias: string,
  keys: readonly { source: string; sku: string }[],
  backoff: Backoff,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  let open = [...new Map(keys.map((key) => [keyOf(key), key])).values()];
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
        if (keyOf(doc._source) === keyOf(key)) ids.set(keyOf(key), doc._source.id);
        else others.push(key);
      });
    }
    open = others;
  }
  return ids;
}
