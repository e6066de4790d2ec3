import { mapLimited } from '../../scripts/shared/collections.js';
import path from 'node:path';
import { type EvaluationApi, type Listing } from './api.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { listingKey } from '../../src/listing/identify.js';
import { type Ratings, readRatings } from '../../scripts/shared/ratings.js';
import { mean, ndcg, NDCG_DEPTH as DEPTH, drawSample } from '../../src/text/statistics.js';
import { decimal, type Findings, type Table } from './report.js';
import { bootstrap, bootstrapByCase } from './statistics.js';

const PAGE = 100;
const WORST = 15;
const SEED = 10;

interface JudgedSearch {
  query: string;
  ndcg: number;
  condensed: number;
  /** The share of the first ten results that have a rating. */
  judged: number;
  found: number;
  first: string[];
}

interface SearchLimits {
  sample?: number;
  within?: string;
}

/** Measures NDCG@10 with each file of human ratings, for `sample` random queries, only `within` a source if others are not judged. */
export async function evaluateSearch(
  api: EvaluationApi,
  files: readonly string[],
  limits: SearchLimits = {},
): Promise<Findings> {
  const found: Findings[] = [];
  for (const file of files) {
    const prefix =
      files.length > 1 ? `${path.basename(file).replace(/(?:_judgements)?\.csv(?:\.gz)?$/, '')}: ` : '';
    found.push(await evaluateFile(api, file, prefix, limits));
  }
  return {
    figures: found.flatMap(({ figures }) => figures),
    tables: found.flatMap(({ tables }) => tables),
    worst: found.flatMap(({ worst }) => worst),
  };
}

async function evaluateFile(
  api: EvaluationApi,
  file: string,
  prefix: string,
  { sample = Infinity, within }: SearchLimits,
): Promise<Findings> {
  const queries = new Map(drawSample([...(await readRatings(file))], sample, SEED));
  const judged = await judgedListings(api, queries, prefix);
  const searched = await mapLimited([...queries], 4, ([query, ratings]) =>
    searchOne(api, query, ratings, within),
  );
  const worst = searched
    .toSorted((a, b) => a.ndcg - b.ndcg)
    .slice(0, WORST)
    .map(({ query, ndcg, condensed, found, first }) =>
      [
        `${decimal(ndcg)} (condensed ${decimal(condensed)}, ${found} found)  ${query}`,
        ...first.map((name) => `    ${name}`),
      ].join('\n'),
    );
  const by = (name: string, pick: (one: JudgedSearch) => number) =>
    bootstrapByCase(`${prefix}${name}`, new Map(searched.map((one) => [one.query, pick(one)])));
  return {
    figures: [
      by(`NDCG@${DEPTH}, unjudged count 0`, ({ ndcg }) => ndcg),
      by(`NDCG@${DEPTH}, unjudged left out`, ({ condensed }) => condensed),
      bootstrap(`${prefix}judged share of the first ${DEPTH}`, searched, (cases) =>
        mean(cases.map(({ judged: share }) => share).filter((share) => !Number.isNaN(share))),
      ),
      by('queries that find nothing', ({ found }) => Number(found === 0)),
    ],
    tables: [judged],
    worst,
  };
}

const EXAMPLES = 3;

/** Counts the judged listings that no search can find, which reduces NDCG. @throws CommandError if that is all of them. */
async function judgedListings(
  api: EvaluationApi,
  queries: ReadonlyMap<string, Ratings>,
  prefix: string,
): Promise<Table> {
  const judged = new Set([...queries.values()].flatMap((ratings) => [...ratings.keys()]));
  const missing = new Set(judged);
  for (const source of new Set([...judged].map((key) => key.slice(0, key.indexOf('\0'))))) {
    for (const listing of await api.listings(source)) missing.delete(listingKey(listing));
  }
  if (missing.size === judged.size) throw new CommandError('none of the judged listings is in the catalogue');
  const examples = [...missing].slice(0, EXAMPLES).map((key) => key.replace('\0', ' '));
  return {
    title: `${prefix}judged listings`,
    header: ['in all', 'missing in the catalogue', ...(examples.length > 0 ? ['such as'] : [])],
    rows: [[judged.size, missing.size, ...(examples.length > 0 ? [examples.join(', ')] : [])]],
  };
}

async function searchOne(
  api: EvaluationApi,
  query: string,
  ratings: Ratings,
  source: string | undefined,
): Promise<JudgedSearch> {
  const filter = source === undefined ? '' : `&source=${encodeURIComponent(source)}`;
  const page = await api.get<{ total: number; items: Listing[] }>(
    `/v1/search?q=${encodeURIComponent(query)}&limit=${PAGE}${filter}`,
  );
  const items = page?.items ?? [];
  const all = [...ratings.values()];
  const found = items.map((item) => ratings.get(listingKey(item)));
  const first = found.slice(0, DEPTH);
  return {
    query,
    ndcg: ndcg(
      found.map((rating) => rating ?? 0),
      all,
    ),
    condensed: ndcg(
      found.filter((rating) => rating !== undefined),
      all,
    ),
    judged: first.length === 0 ? NaN : first.filter((rating) => rating !== undefined).length / first.length,
    found: page?.total ?? 0,
    first: items.slice(0, 3).map(({ name }) => name),
  };
}
