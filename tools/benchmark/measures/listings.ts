import { median } from '../../../scripts/shared/median.js';
import { type Call, drive } from '../drive.js';
import { type Estimate, estimate } from '../estimate.js';
import { type Ask, callOf, type BenchFinding, forgetAnswers, type Measure, record } from '../scene.js';
import { compareBareInTurns, compareInTurns, inTurn, type JobOutcome, shareOfDirect } from '../works.js';

const MATRIX = 20;

/**
 * Compares `GET /v1/products/ID` with `GET _doc/ID`. Recorded requests would not be comparable, because the
 * service combines concurrent look-ups into one request.
 */
export const oneListing: Measure = async (scene) => {
  const service = scene.ids.map((id) => callOf(scene, { path: `/v1/products/${id}` }));
  const direct = scene.ids.map((id): Call => ({
    method: 'GET',
    headers: {},
    path: `/${scene.prefix}-products/_doc/${id}?_source_excludes=internal&filter_path=found,_source`,
  }));
  const work = { concurrency: 32, service, direct };
  const outcome = await compareInTurns(
    work,
    { engineUrl: scene.engineUrl, serviceUrl: scene.service.url },
    scene.turns,
  );
  const bare = await compareBareInTurns(work, scene.engineUrl, scene.turns);
  const share = (figure: string, of: JobOutcome, aim: BenchFinding['aim']): BenchFinding => ({
    work: 'one listing by id, 32 at once',
    figure,
    ...shareOfDirect(of),
    aim,
    digits: 2,
    unit: '',
    behind: `${of.service.throughput.toFixed(0)}/s of ${of.direct.throughput.toFixed(0)}/s`,
  });
  return [
    share('share of direct throughput', outcome, { least: 0.3 }),
    share('share of bare Node, which passes on alone', bare, null),
  ];
};

/** Compares a comparison matrix with the searches that it sends, and with one request per product. */
export const matrix: Measure = async (scene) => {
  const groups: number[][] = [];
  for (let start = 0; start + MATRIX <= scene.ids.length; start += MATRIX)
    groups.push(scene.ids.slice(start, start + MATRIX));
  const asks = groups.map((ids): Ask => ({
    method: 'POST',
    path: '/v1/products/compare',
    body: { product_ids: ids },
  }));
  const { service, direct } = await record(scene, asks);
  const singles = (
    await record(
      scene,
      scene.ids.map((id) => ({ path: `/v1/products/compare?product_id=${id}` })),
    )
  ).service;
  const searches = direct.flat().filter(({ path }) => path.includes('_msearch'));
  const sides: { origin: string; calls: Call[]; concurrency: number; rates: number[] }[] = [
    { origin: scene.engineUrl, calls: searches, concurrency: 4, rates: [] },
    { origin: scene.service.url, calls: service, concurrency: 4, rates: [] },
    { origin: scene.service.url, calls: singles, concurrency: 4, rates: [] },
  ];
  for (let round = 0; round <= scene.turns.rounds; round += 1) {
    for (const { origin, calls, concurrency, rates } of sides) {
      await forgetAnswers(scene);
      const sample = await drive(origin, inTurn(calls), { concurrency, seconds: scene.turns.seconds });
      if (round > 0) rates.push(sample.throughput);
    }
  }
  const [requests = [], matrices = [], compares = []] = sides.map(({ rates }) => rates);
  // One comparison matrix takes several engine requests, so their rate is converted to matrices per second.
  const engine = requests.map((rate) => (rate * asks.length) / searches.length);
  const ratios = (others: number[], times: number) =>
    estimate(matrices.map((rate, round) => (rate * times) / (others[round] ?? NaN)));
  const finding: Omit<BenchFinding, 'figure' | keyof Estimate | 'aim'> = {
    work: 'compare matrix of 20',
    digits: 2,
    unit: '',
    behind: `${median(matrices).toFixed(1)}/s, the engine's searches for it ${median(engine).toFixed(1)}/s, single compares ${median(compares).toFixed(1)}/s`,
  };
  return [
    { ...finding, figure: 'share of direct throughput', ...ratios(engine, 1), aim: { least: 0.6 } },
    {
      ...finding,
      figure: 'against twenty single compares',
      ...ratios(compares, MATRIX),
      aim: { least: 3 },
      unit: '×',
    },
  ];
};
