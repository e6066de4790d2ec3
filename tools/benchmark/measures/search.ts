import { type Call, drive, type Sample } from '../drive.js';
import { type Estimate, estimate } from '../estimate.js';
import { zipfRanks } from '../queries.js';
import {
  type Ask,
  callOf,
  type BenchFinding,
  forgetAnswers,
  type Measure,
  record,
  type Scene,
} from '../scene.js';
import {
  compareBareInTurns,
  compareInTurns,
  inTurn,
  ofPairs,
  type JobOutcome,
  shareOfDirect,
  type Work,
} from '../works.js';

const POPULAR = { queries: 7_000, drawn: 20_000 };

const search = (q: string, more = ''): Ask => ({
  path: `/v1/search?q=${encodeURIComponent(q)}&limit=20${more}`,
});

/** Returns search requests for the first page of results, one for each query of a shopper. */
export const searches = (scene: Scene, more?: string): Ask[] =>
  scene.queries.typed.map((q) => search(q, more));

/** Disables the request cache, with which a repeated query would cost less than the first one. */
const uncached = (call: Call): Call => ({
  ...call,
  path: call.path.replace('request_cache=true', 'request_cache=false'),
});

async function workOf(scene: Scene, asks: Ask[], concurrency: number): Promise<Work> {
  const { service, direct } = await record(scene, asks);
  return { concurrency, service, direct: direct.flat(), prepare: () => forgetAnswers(scene) };
}

const compared = async (scene: Scene, asks: Ask[], concurrency: number): Promise<JobOutcome> =>
  compareInTurns(await workOf(scene, asks, concurrency), urls(scene), scene.turns);

const urls = ({ engineUrl, service }: Scene) => ({ engineUrl, serviceUrl: service.url });

export const behind = ({ service, direct }: JobOutcome): string =>
  `${service.throughput.toFixed(0)}/s of ${direct.throughput.toFixed(0)}/s, ` +
  `p50 ${service.p50.toFixed(1)} and ${direct.p50.toFixed(1)} ms, p99 ${service.p99.toFixed(1)} and ${direct.p99.toFixed(1)} ms` +
  (service.failed + direct.failed > 0 ? `, ${service.failed} and ${direct.failed} failed` : '');

const share = (work: string, outcome: JobOutcome, least: number): BenchFinding => ({
  work,
  figure: 'share of direct throughput',
  ...shareOfDirect(outcome),
  aim: { least },
  digits: 2,
  unit: '',
  behind: behind(outcome),
});

export const anyWord: Measure = async (scene) => {
  const outcome = await compared(scene, searches(scene), 32);
  const work = 'search by relevance, 32 at once';
  return [
    share(work, outcome, 0.7),
    {
      work,
      figure: 'p99 against direct',
      ...ofPairs(outcome, (service, direct) => service.p99 / direct.p99),
      aim: { most: 1.5 },
      digits: 2,
      unit: '×',
      behind: behind(outcome),
    },
  ];
};

export const allWords: Measure = async (scene) => {
  const outcome = await compared(scene, searches(scene, '&match=all'), 32);
  return [share('search for all words, 32 at once', outcome, 0.55)];
};

export const oneAtATime: Measure = async (scene) => {
  const work = await workOf(scene, searches(scene), 1);
  const outcome = await compareInTurns(work, urls(scene), scene.turns);
  const bare = await compareBareInTurns(work, scene.engineUrl, scene.turns);
  const over = (figure: string, of: JobOutcome, aim: BenchFinding['aim']): BenchFinding => ({
    work: 'search, one at a time',
    figure,
    ...ofPairs(of, (service, direct) => service.p50 - direct.p50),
    aim,
    digits: 2,
    unit: ' ms',
    behind: behind(of),
  });
  return [
    over('p50 over direct', outcome, { most: 1.2 }),
    over('p50 over direct of bare Node, which passes on alone', bare, null),
  ];
};

export const popular: Measure = async (scene) => {
  const { typed } = scene.queries;
  const ranks = zipfRanks(Math.min(POPULAR.queries, typed.length), POPULAR.drawn);
  const recorded = await record(scene, searches(scene).slice(0, POPULAR.queries));
  const calls = ranks.flatMap((rank) => recorded.direct[rank]?.map(uncached) ?? []);
  const asked = ranks.map((rank) => callOf(scene, search(typed[rank] ?? '')));
  const work = { concurrency: 32, service: asked, direct: calls };
  const outcome = await compareInTurns(work, urls(scene), scene.turns);
  return [
    {
      ...share('popular queries repeated (Zipf)', outcome, 1.5),
      figure: 'share of direct throughput without its cache',
    },
  ];
};

/**
 * Compares misspelled searches with direct ones that set `fuzziness: AUTO` on every query. The service
 * corrects typos only in a second search, if the first one finds too little.
 */
export const typos: Measure = async (scene) => {
  const mix = scene.queries.misspelt;
  const service = mix.map((q) => callOf(scene, search(q)));
  const fuzzy = mix.map((q) => alwaysFuzzy(scene.prefix, q));
  // Other measures may have sent most of these queries already, so the caches are cleared before each round.
  const prepare = () => forgetAnswers(scene);
  const work = { concurrency: 32, service, direct: fuzzy, prepare };
  const outcome = await compareInTurns(work, urls(scene), scene.turns);
  return [
    {
      ...share('15 % of the queries misspelt', outcome, 4),
      figure: 'throughput against always fuzzy',
      unit: '×',
    },
  ];
};

function alwaysFuzzy(prefix: string, q: string): Call {
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

/** Measures the latency for several numbers of concurrent requests, for the plot. */
export async function byConcurrency(
  scene: Scene,
  steps: readonly number[],
): Promise<({ concurrency: number } & JobOutcome)[]> {
  const { service, direct } = await record(scene, searches(scene));
  const points = [];
  for (const concurrency of steps) {
    const work = { concurrency, service, direct: direct.flat(), prepare: () => forgetAnswers(scene) };
    points.push({ concurrency, ...(await compareInTurns(work, urls(scene), { ...scene.turns, rounds: 1 })) });
  }
  return points;
}

/** Measures the responses per second of the service for each kind of request in the growth report. */
export async function throughputs(scene: Scene): Promise<Record<string, Estimate>> {
  const works: Record<string, Ask[]> = {
    'search for all words': searches(scene, '&match=all'),
    'search by relevance': searches(scene),
    trending: [{ path: '/v1/products/trending' }],
    categories: [{ path: '/v1/categories' }],
  };
  const found: Record<string, Estimate> = {};
  for (const [name, asks] of Object.entries(works)) {
    const service = scene.queries.typed.map((_, at) => callOf(scene, asks[at % asks.length] as Ask));
    const samples: Sample[] = [];
    for (let round = 0; round <= scene.turns.rounds; round += 1) {
      const load = { concurrency: 32, seconds: scene.turns.seconds };
      // Queries repeat sooner here than in production, so caches are cleared, except for a single request.
      if (asks.length > 1) await forgetAnswers(scene);
      samples.push(await drive(scene.service.url, inTurn(service), load));
    }
    found[name] = estimate(samples.slice(1).map(({ throughput }) => throughput));
  }
  return found;
}
