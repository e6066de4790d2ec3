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
import { compareForwarding, type Comparison, alternately, cycle, shareOfDirect } from '../comparison.js';
import { compare } from './search.js';

const MATRIX = 20;

/**
 * Compares `GET /v1/products/ID` of the service with `GET _doc/ID` of Elasticsearch. The service may be
 * faster, because it combines concurrent look-ups into one request.
 */
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
  const share = (figure: string, of: Comparison, target: BenchFinding['target']): BenchFinding => ({
    work: 'one listing by id, 32 concurrent',
    figure,
    ...shareOfDirect(of),
    target,
    details: `${of.service.throughput.toFixed(0)}/s against ${of.direct.throughput.toFixed(0)}/s`,
  });
  return [
    share('throughput relative to direct', outcome, { least: 0.3 }),
    share('throughput of a forwarding server relative to direct', bare, null),
  ];
};

/**
 * Compares the speed of a matrix, a request that compares several products at once, with that of the searches
 * that the service sends for it, and with that of one request per product.
 */
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
  const rate = (origin: string, calls: readonly HttpRequest[]) => async () => {
    await clearCaches(context);
    const load = { concurrency: 4, seconds: rounds.seconds };
    return (await drive(origin, cycle(calls), load)).throughput;
  };
  const rates = await alternately(rounds.count, {
    searches: rate(engineUrl, searches),
    matrices: rate(service.url, matrices.service),
    singles: rate(service.url, singles.service),
  });
  // The service sends several searches for a matrix, so the rate of searches is converted to matrices per
  // second.
  const engine = rates.searches.map((rate) => (rate * groups.length) / searches.length);
  const ratios = (others: number[], times: number) =>
    estimate(rates.matrices.map((rate, round) => (rate * times) / (others[round] ?? NaN)));
  const finding = {
    work: `compare matrix of ${MATRIX}`,
    details: `${median(rates.matrices).toFixed(1)}/s, its searches alone ${median(engine).toFixed(1)}/s, single compares ${median(rates.singles).toFixed(1)}/s`,
  };
  return [
    { ...finding, figure: 'throughput relative to direct', ...ratios(engine, 1), target: { least: 0.6 } },
    {
      ...finding,
      figure: 'throughput relative to twenty single compares',
      ...ratios(rates.singles, MATRIX),
      target: { least: 3 },
      unit: '×',
    },
  ];
};
