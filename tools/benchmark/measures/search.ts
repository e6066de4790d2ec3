import { drive, type HttpRequest } from '../drive.js';
import { processorSeconds } from '../environment.js';
import type { Estimate } from '../../../src/text/statistics.js';
import { estimate } from '../estimate.js';
import { zipfRanks } from '../queries.js';
import {
  type ApiRequest,
  httpRequest,
  type BenchFinding,
  clearCaches,
  type Measure,
  record,
  type BenchContext,
} from '../context.js';
import {
  alternately,
  compareForwarding,
  compareAlternately,
  cycle,
  ofPairs,
  type Comparison,
  shareOfDirect,
  type Work,
} from '../comparison.js';

const POPULAR = { queries: 7_000, drawn: 20_000 };

const search = (q: string, more = ''): ApiRequest => ({
  path: `/v1/search?q=${encodeURIComponent(q)}&limit=20${more}`,
});

export const searches = (context: BenchContext, more?: string): ApiRequest[] =>
  context.queries.typed.map((q) => search(q, more));

/**
 * Disables Elasticsearch's request cache for a request. With the cache, a repeated query would cost less than
 * the first one.
 */
const uncached = (call: HttpRequest): HttpRequest => ({
  ...call,
  path: call.path.replace('request_cache=true', 'request_cache=false'),
});

async function workOf(context: BenchContext, requests: ApiRequest[], concurrency: number): Promise<Work> {
  const { service, direct } = await record(context, requests);
  return { concurrency, service, direct: direct.flat(), prepare: () => clearCaches(context) };
}

const compared = async (
  context: BenchContext,
  requests: ApiRequest[],
  concurrency: number,
): Promise<Comparison> => compare(context, await workOf(context, requests, concurrency));

export const compare = ({ engineUrl, service, rounds }: BenchContext, work: Work): Promise<Comparison> =>
  compareAlternately(work, { engineUrl, serviceUrl: service.url }, rounds);

export const detailsOf = ({ service, direct }: Comparison): string =>
  `${service.throughput.toFixed(0)}/s against ${direct.throughput.toFixed(0)}/s, ` +
  `p50 ${service.p50.toFixed(1)} and ${direct.p50.toFixed(1)} ms, p99 ${service.p99.toFixed(1)} and ${direct.p99.toFixed(1)} ms` +
  (service.failed + direct.failed > 0 ? `, ${service.failed} and ${direct.failed} failed` : '');

const share = (work: string, outcome: Comparison, least: number): BenchFinding => ({
  work,
  figure: 'throughput relative to direct',
  ...shareOfDirect(outcome),
  target: { least },
  details: detailsOf(outcome),
});

export const anyWord: Measure = async (context) => {
  const outcome = await compared(context, searches(context), 32);
  const work = 'search by relevance, 32 concurrent';
  return [
    share(work, outcome, 0.7),
    {
      work,
      figure: 'p99 relative to direct',
      ...ofPairs(outcome, (service, direct) => service.p99 / direct.p99),
      target: { most: 1.5 },
      unit: '×',
      details: detailsOf(outcome),
    },
  ];
};

export const allWords: Measure = async (context) => {
  const outcome = await compared(context, searches(context, '&match=all'), 32);
  return [share('search for all words, 32 concurrent', outcome, 0.55)];
};

export const oneAtATime: Measure = async (context) => {
  const work = await workOf(context, searches(context), 1);
  const outcome = await compare(context, work);
  const bare = await compareForwarding(work, context.engineUrl, context.rounds);
  const over = (figure: string, of: Comparison, target: BenchFinding['target']): BenchFinding => ({
    work: 'search, one at a time',
    figure,
    ...ofPairs(of, (service, direct) => service.p50 - direct.p50),
    target,
    unit: ' ms',
    details: detailsOf(of),
  });
  return [
    over('p50 added to direct', outcome, { most: 1.2 }),
    over('p50 added by a forwarding server', bare, null),
  ];
};

export const popular: Measure = async (context) => {
  const { typed } = context.queries;
  const ranks = zipfRanks(Math.min(POPULAR.queries, typed.length), POPULAR.drawn);
  const recorded = await record(context, searches(context).slice(0, POPULAR.queries));
  const calls = ranks.flatMap((rank) => recorded.direct[rank]?.map(uncached) ?? []);
  const requests = ranks.map((rank) => httpRequest(context, search(typed[rank] ?? '')));
  const work = { concurrency: 32, service: requests, direct: calls };
  const outcome = await compare(context, work);
  return [
    {
      ...share('popular queries repeated (Zipf)', outcome, 1.5),
      figure: 'throughput relative to direct without a cache',
    },
  ];
};

/**
 * Compares misspelled searches with direct ones that always set `fuzziness: AUTO`, whereas the service
 * corrects typos only if the first search finds too little.
 */
export const typos: Measure = async (context) => {
  const mix = context.queries.misspelled;
  const service = mix.map((q) => httpRequest(context, search(q)));
  const fuzzy = mix.map((q) => alwaysFuzzy(context.prefix, q));
  // Other measures may have sent most of these queries already, so the caches are cleared before each round.
  const prepare = () => clearCaches(context);
  const work = { concurrency: 32, service, direct: fuzzy, prepare };
  const outcome = await compare(context, work);
  return [
    {
      ...share('15 % of the queries misspelled', outcome, 4),
      figure: 'throughput relative to a fuzzy query for every search',
      unit: '×',
    },
  ];
};

function alwaysFuzzy(prefix: string, q: string): HttpRequest {
  const fields = ['name^5', 'brand^3', 'internal.categories^3', 'description^2', 'internal.attributes'];
  const any = { multi_match: { query: q, fields, fuzziness: 'AUTO', type: 'most_fields' } };
  const all = { multi_match: { query: q, fields, fuzziness: 'AUTO', type: 'best_fields', operator: 'and' } };
  return {
    method: 'POST',
    path: `/${prefix}-products/_search?filter_path=hits.total,hits.hits._source&request_cache=false`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: { bool: { should: [any, { constant_score: { filter: all, boost: 1_000 } }] } },
      size: 20,
      track_total_hits: true,
      _source: { excludes: ['internal'] },
    }),
  };
}

export async function byConcurrency(
  context: BenchContext,
  steps: readonly number[],
): Promise<({ concurrency: number } & Comparison)[]> {
  const { service, direct } = await record(context, searches(context));
  const points = [];
  for (const concurrency of steps) {
    const work = { concurrency, service, direct: direct.flat(), prepare: () => clearCaches(context) };
    points.push({
      concurrency,
      ...(await compare({ ...context, rounds: { ...context.rounds, count: 1 } }, work)),
    });
  }
  return points;
}

/** The responses per second, and the CPU time of each process per response in milliseconds. */
interface Throughput {
  rate: Estimate;
  costs: Record<string, Estimate>;
}

/** Sends requests to the service, and measures the CPU time of each process per response in milliseconds. */
export async function driveWithCosts(
  { service, pids, rounds }: BenchContext,
  calls: () => HttpRequest,
  concurrency: number,
) {
  const processes = { 'the service': service.pid, Elasticsearch: pids.elasticsearch, Redis: pids.redis };
  const before = Object.values(processes).map(processorSeconds);
  const { answers, throughput } = await drive(service.url, calls, { concurrency, seconds: rounds.seconds });
  const costs = Object.entries(processes).map(([name, pid], at): [string, number] => [
    name,
    ((processorSeconds(pid) - (before[at] ?? NaN)) * 1_000) / Math.max(1, answers),
  ]);
  return { answers, throughput, costs: Object.fromEntries(costs) };
}

/** Measures throughput and CPU time of the service for each kind of request in the growth report. */
export async function throughputs(context: BenchContext): Promise<Record<string, Throughput>> {
  const works: Record<string, ApiRequest[]> = {
    'search for all words': searches(context, '&match=all'),
    'search by relevance': searches(context),
    trending: [{ path: '/v1/products/trending' }],
    categories: [{ path: '/v1/categories' }],
  };
  const found: Record<string, Throughput> = {};
  for (const [name, requests] of Object.entries(works)) {
    const service = context.queries.typed.map((_, at) =>
      httpRequest(context, requests[at % requests.length] as ApiRequest),
    );
    const { rates } = await alternately(context.rounds.count, {
      async rates() {
        // Caches are cleared, because queries repeat sooner in the benchmark than in production. They are
        // kept if all requests of this kind are equal, because production also answers these from its caches.
        if (requests.length > 1) await clearCaches(context);
        return driveWithCosts(context, cycle(service), 32);
      },
    });
    const processes = Object.keys(rates[0]?.costs ?? {});
    found[name] = {
      rate: estimate(rates.map(({ throughput }) => throughput)),
      costs: Object.fromEntries(
        processes.map((process) => [process, estimate(rates.map(({ costs }) => costs[process] ?? NaN))]),
      ),
    };
  }
  return found;
}
