import { setTimeout as sleep } from 'node:timers/promises';
import { drive } from '../drive.js';
import { estimate } from '../estimate.js';
import { type Ask, callOf, type BenchFinding, forgetAnswers, type Measure, type Scene } from '../scene.js';
import { processorSeconds } from '../stage.js';
import { inTurn } from '../works.js';
import { searches } from './search.js';

const AT_ONCE = 8;

/**
 * Measures the processor time of each kind of API request, from which docs/lab/scale.md computes capacity.
 */
export const cost: Measure = async (scene) => {
  const found: BenchFinding[] = [];
  for (const [name, asks] of Object.entries(kinds(scene))) found.push(...(await costOf(scene, name, asks)));
  return found;
};

function kinds(scene: Scene): Record<string, Ask[]> {
  const { ids, queries } = scene;
  return {
    search: searches(scene),
    'search with three facets': searches(scene, '&facets=brand,source,price'),
    'listing by id': ids.map((id) => ({ path: `/v1/products/${id}` })),
    compare: ids.map((id) => ({ path: `/v1/products/compare?product_id=${id}` })),
    'best price': queries.typed.map((q) => ({ path: `/v1/products/best-price?q=${encodeURIComponent(q)}` })),
    deals: [{ path: '/v1/deals' }],
  };
}

/** Returns the milliseconds of processor time per response of the service, Elasticsearch and Redis. */
async function costOf(scene: Scene, name: string, asks: Ask[]): Promise<BenchFinding[]> {
  const { service, pids, turns } = scene;
  const processes = { 'the service': service.pid, 'the engine': pids.elasticsearch, Redis: pids.redis };
  const spent: Record<string, number[]> = {};
  // The requests take turns with the API keys, so that no key exceeds its rate limit.
  const calls = inTurn(
    Array.from({ length: 2_000 }, (_, at) => callOf(scene, asks[at % asks.length] as Ask)),
  );
  let answers = 0;
  for (let round = 0; round <= turns.rounds; round += 1) {
    await forgetAnswers(scene);
    // Clearing the caches takes a moment, which is not a cost of the requests.
    await sleep(100);
    const before = Object.values(processes).map(processorSeconds);
    const sample = await drive(service.url, calls, { concurrency: AT_ONCE, seconds: turns.seconds });
    const after = Object.values(processes).map(processorSeconds);
    if (round === 0) continue;
    answers += sample.answers;
    for (const [at, process] of Object.keys(processes).entries())
      (spent[process] ??= []).push(
        (((after[at] ?? NaN) - (before[at] ?? NaN)) * 1_000) / Math.max(1, sample.answers),
      );
  }
  return Object.entries(spent).map(([process, costs]) => ({
    work: `cost of a request: ${name}`,
    figure: `processor time of ${process}`,
    ...estimate(costs),
    aim: null,
    better: 'cheaper',
    worse: 'dearer',
    digits: 2,
    unit: ' ms',
    behind: `${answers} answers, ${AT_ONCE} at once`,
  }));
}
