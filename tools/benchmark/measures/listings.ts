import { median } from '../../../scripts/shared/collections.js';
import { type HttpRequest, drive } from '../drive.js';
import { estimate } from '../estimate.js';
import {
  type ApiRequest,
  httpRequest,
  type BenchFinding,
  clearCaches,
  type Measure,
  record,
} from '../context.js';
import { compareForwarding, type Comparison, cycle, eachRound, shareOfDirect } from '../comparison.js';
import { compare } from './search.js';

const MATRIX = 20;

/** Compares `GET /v1/products/ID` with `GET _doc/ID`, because the service combines concurrent look-ups. */
export const oneListing: Measure = async (context) => {
  const service = context.ids.map((id) => httpRequest(context, { path: `/v1/products/${id}` }));
  const direct = context.ids.map((id): HttpRequest => ({
    method: 'GET',
    headers: {},
    path: `/${context.prefix}-products/_doc/${id}?_source_excludes=internal&filter_path=found,_source`,
  }));
  const work = { concurrency: 32, service, direct };
  const outcome = await compare(context, work);
  const bare = await compareForwarding(work, context.engineUrl, context.rounds);
  const share = (figure: string, of: Comparison, aim: BenchFinding['aim']): BenchFinding => ({
    work: 'one listing by id, 32 at once',
    figure,
    ...shareOfDirect(of),
    aim,
    behind: `${of.service.throughput.toFixed(0)}/s of ${of.direct.throughput.toFixed(0)}/s`,
  });
  return [
    share('share of direct throughput', outcome, { least: 0.3 }),
    share('share of direct throughput of a forwarding server', bare, null),
  ];
};

/** Compares a comparison matrix with the searches that it sends, and with one request per product. */
export const matrix: Measure = async (context) => {
  const { ids, engineUrl, service, rounds } = context;
  const groups = Array.from({ length: Math.floor(ids.length / MATRIX) }, (_, at) =>
    ids.slice(at * MATRIX, (at + 1) * MATRIX),
  );
  const path = '/v1/products/compare';
  const matrices = await record(
    context,
    groups.map((product_ids): ApiRequest => ({ method: 'POST', path, body: { product_ids } })),
  );
  const singles = await record(
    context,
    ids.map((id) => ({ path: `${path}?product_id=${id}` })),
  );
  const searches = matrices.direct.flat().filter((request) => request.path.includes('_msearch'));
  const sides: { origin: string; calls: HttpRequest[]; rates: number[] }[] = [
    { origin: engineUrl, calls: searches, rates: [] },
    { origin: service.url, calls: matrices.service, rates: [] },
    { origin: service.url, calls: singles.service, rates: [] },
  ];
  await eachRound(rounds.count, async (isCounted) => {
    for (const { origin, calls, rates } of sides) {
      await clearCaches(context);
      const sample = await drive(origin, cycle(calls), { concurrency: 4, seconds: rounds.seconds });
      if (isCounted) rates.push(sample.throughput);
    }
  });
  const [searchRates = [], matrixRates = [], singleRates = []] = sides.map(({ rates }) => rates);
  // A matrix takes several searches, so their rate is converted to matrices per second.
  const engine = searchRates.map((rate) => (rate * groups.length) / searches.length);
  const ratios = (others: number[], times: number) =>
    estimate(matrixRates.map((rate, round) => (rate * times) / (others[round] ?? NaN)));
  const finding = {
    work: `compare matrix of ${MATRIX}`,
    behind: `${median(matrixRates).toFixed(1)}/s, its searches alone ${median(engine).toFixed(1)}/s, single compares ${median(singleRates).toFixed(1)}/s`,
  };
  return [
    { ...finding, figure: 'share of direct throughput', ...ratios(engine, 1), aim: { least: 0.6 } },
    {
      ...finding,
      figure: 'against twenty single compares',
      ...ratios(singleRates, MATRIX),
      aim: { least: 3 },
      unit: '×',
    },
  ];
};
