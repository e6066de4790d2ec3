import { seededRandom } from '../../src/text/statistics.js';
import { median } from '../../scripts/shared/collections.js';
import type { EvaluationApi, Listing } from './api.js';
import type { Findings } from './report.js';
import { bootstrap } from './statistics.js';

const MATRIX_SIZE = 20;
/** The number of words of a listing's name that are used as a search query. */
const QUERY_WORDS = 4;
const SEED = 20_240_602;
/** The number of first rounds that only warm up the service and Elasticsearch and are not counted. */
const WARM_UP = 5;

/** The response times of the service in one round of measurements, in milliseconds. */
interface Round {
  search: number;
  compare: number;
  matrix: number;
}

/**
 * Measures the response times of a search, a compare request and a comparison matrix of twenty listings.
 * They alternate, so that other load on the machine slows all three, and their ratio remains comparable.
 * Each round uses other listings.
 */
export async function evaluateSpeed(
  api: EvaluationApi,
  { source, rounds }: { source: string | undefined; rounds: number },
): Promise<Findings> {
  const listings = await api.listings(source);
  if (listings.length < MATRIX_SIZE) return { figures: [], tables: [], worst: [] };
  const random = seededRandom(SEED);
  const any = (): Listing => listings[Math.floor(random() * listings.length)] as Listing;
  const timed: Round[] = [];
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    const ids = new Set<number>();
    while (ids.size < MATRIX_SIZE) ids.add(any().id);
    const q = any().name.split(/\s+/).slice(0, QUERY_WORDS).join(' ');
    const one = {
      search: await time(() => api.get(`/v1/search?q=${encodeURIComponent(q)}`)),
      compare: await time(() => api.get(`/v1/products/compare?product_id=${any().id}`)),
      matrix: await time(() => api.post('/v1/products/compare', { product_ids: [...ids] })),
    };
    if (round >= WARM_UP) timed.push(one);
  }
  const middle = (name: keyof Round) => (cases: readonly Round[]) => median(cases.map((one) => one[name]));
  const ratio = (name: keyof Round) => (cases: readonly Round[]) =>
    middle(name)(cases) / middle('search')(cases);
  return {
    figures: [
      bootstrap('a search, ms', timed, middle('search')),
      bootstrap('compare, ms', timed, middle('compare')),
      bootstrap('matrix of 20, ms', timed, middle('matrix')),
      bootstrap('compare ÷ search', timed, ratio('compare')),
      bootstrap('matrix of 20 ÷ search', timed, ratio('matrix')),
    ],
    tables: [],
    worst: [],
  };
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
