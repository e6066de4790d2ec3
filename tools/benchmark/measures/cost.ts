import { setTimeout as sleep } from 'node:timers/promises';
import { estimate, FEWEST_ROUNDS } from '../estimate.js';
import {
  type ApiRequest,
  httpRequest,
  type BenchFinding,
  clearCaches,
  type Measure,
  type BenchContext,
} from '../context.js';
import { startBuiltService } from '../environment.js';
import { alternately, cycle } from '../comparison.js';
import { driveWithCosts, searches } from './search.js';

const AT_ONCE = 8;

/** Measures the CPU time of each kind of API request, for docs/lab/scale.md. */
export const cost: Measure = async (context) => {
  const found: BenchFinding[] = [];
  for (const [name, requests] of Object.entries(kinds(context)))
    found.push(...(await costOf(context, name, requests)));
  return found;
};

function kinds(context: BenchContext): Record<string, ApiRequest[]> {
  const { ids, queries } = context;
  return {
    search: searches(context),
    'search with three facets': searches(context, '&facets=brand,source,price'),
    'listing by id': ids.map((id) => ({ path: `/v1/products/${id}` })),
    compare: ids.map((id) => ({ path: `/v1/products/compare?product_id=${id}` })),
    'best price': queries.typed.map((q) => ({ path: `/v1/products/best-price?q=${encodeURIComponent(q)}` })),
    deals: [{ path: '/v1/deals' }],
  };
}

/** Returns the milliseconds of CPU time per response of the service, Elasticsearch and Redis. */
async function costOf(context: BenchContext, name: string, requests: ApiRequest[]): Promise<BenchFinding[]> {
  const { rounds } = context;
  // The requests use the API keys in turn, so that no key exceeds its rate limit.
  const calls = cycle(
    Array.from({ length: 2_000 }, (_, at) =>
      httpRequest(context, requests[at % requests.length] as ApiRequest),
    ),
  );
  // A warm-up round, which is not measured.
  await driveWithCosts(context, calls, AT_ONCE);
  const { measured } = await alternately(rounds.count, {
    async measured() {
      await clearCaches(context);
      // Waits until the caches are cleared, because the CPU time for clearing them is not a cost of the
      // requests.
      await sleep(100);
      return driveWithCosts(context, calls, AT_ONCE);
    },
  });
  const answers = measured.reduce((sum, round) => sum + round.answers, 0);
  return Object.keys(measured[0]?.costs ?? {}).map((process) => ({
    work: `cost of a request: ${name}`,
    figure: `CPU time of ${process}`,
    ...estimate(measured.map(({ costs }) => costs[process] ?? NaN)),
    target: null,
    better: 'cheaper',
    worse: 'more expensive',
    unit: ' ms',
    details: `${answers} responses, ${AT_ONCE} concurrent`,
  }));
}

/** Measures the time from the start of the process to the first search results. */
export const startUp: Measure = async (context) => {
  const times: number[] = [];
  for (let start = 0; start < FEWEST_ROUNDS; start += 1) {
    const service = await startBuiltService(context.environment, context.authorization());
    times.push(service.startedInMs);
    await service.stop();
  }
  return [
    {
      work: 'start to first answer',
      figure: 'median',
      ...estimate(times),
      target: { most: 350 },
      digits: 0,
      unit: ' ms',
      details: times.map((time) => time.toFixed(0)).join(', '),
    },
  ];
};
