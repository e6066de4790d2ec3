import { type BenchFinding, httpRequest } from '../context.js';
import { alternately } from '../comparison.js';
import { drive, type HttpRequest, type Sample } from '../drive.js';
import { type BenchContext, processorSeconds, type RunningService } from '../environment.js';
import { estimate, type Target } from '../estimate.js';
import { median } from '../../../scripts/shared/collections.js';
import { mean } from '../../../src/text/statistics.js';

/** A request to the service, as a path, or as the body of a POST request to a path. */
type Call = string | { path: string; body: unknown };

interface Endpoint {
  concurrency: number;
  calls: (context: BenchContext) => Call[];
  /** The requests to the plain service, where it has such an endpoint; by default, searches. */
  plain?: (context: BenchContext) => string[];
  /** The targets of the figures, all of them relative to the plain service. */
  targets?: { throughput?: Target; service?: Target; engine?: Target };
}

const MATRIX = 20;

const searchFor = (queries: readonly string[], more = ''): string[] =>
  queries.map((q) => `/v1/search?q=${encodeURIComponent(q)}&limit=20${more}`);
const searches = ({ queries }: BenchContext): string[] => searchFor(queries.typed);
const byId = ({ ids }: BenchContext): string[] => ids.map((id) => `/v1/products/${id}`);
const ofListings =
  (path: (id: number) => string) =>
  ({ ids }: BenchContext): string[] =>
    ids.map(path);
/** Requests for the same list. A minimum price in cents makes each of them different. */
const lists =
  (path: string) =>
  ({ ids }: BenchContext): string[] =>
    ids.map((_, at) => `${path}?min_price=${(at / 100).toFixed(2)}`);

/** The endpoints that are measured, by the name with which `--only` selects them. */
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  search: {
    concurrency: 8,
    calls: searches,
    targets: { throughput: { least: 0.55 }, service: { most: 2 }, engine: { most: 1.6 } },
  },
  id: { concurrency: 32, calls: byId, plain: byId, targets: { throughput: { least: 0.75 } } },
  one: { concurrency: 1, calls: searches },
  misspelled: {
    concurrency: 8,
    calls: ({ queries }) => searchFor(queries.misspelled),
    plain: ({ queries }) => searchFor(queries.misspelled),
  },
  facets: { concurrency: 8, calls: ({ queries }) => searchFor(queries.typed, '&facets=brand,source,price') },
  best: {
    concurrency: 8,
    calls: ({ queries }) => queries.typed.map((q) => `/v1/products/best-price?q=${encodeURIComponent(q)}`),
  },
  compare: { concurrency: 8, calls: ofListings((id) => `/v1/products/compare?product_id=${id}`) },
  matrix: {
    concurrency: 4,
    calls: ({ ids }) =>
      Array.from({ length: Math.floor(ids.length / MATRIX) }, (_, at) => ({
        path: '/v1/products/compare',
        body: { product_ids: ids.slice(at * MATRIX, (at + 1) * MATRIX) },
      })),
  },
  similar: { concurrency: 8, calls: ofListings((id) => `/v1/products/${id}/similar`) },
  history: { concurrency: 8, calls: ofListings((id) => `/v1/products/${id}/price-history`) },
  deals: { concurrency: 8, calls: lists('/v1/deals') },
  trending: { concurrency: 8, calls: lists('/v1/products/trending') },
};

/** The number of requests for which the Elasticsearch requests of the service are counted. */
const COUNTED = 20;

/** Measures an endpoint against the plain service, and counts the requests that the service sends for it. */
export async function measureEndpoint(
  context: BenchContext,
  name: string,
  { service = context.service, label = name }: { service?: RunningService; label?: string } = {},
): Promise<BenchFinding[]> {
  const { concurrency, calls, plain = searches, targets = {} } = ENDPOINTS[name] as Endpoint;
  const ours = sequence(context, 'service', calls(context));
  const theirs = sequence(context, 'plain', plain(context));
  const { requests, searched } = await count(context, ours);
  const rounds = await alternately(context.rounds.count, {
    plain: () => driveWithCosts(context, context.plain, theirs, concurrency),
    service: () => driveWithCosts(context, service, ours, concurrency),
  });
  const of = (side: 'plain' | 'service', figure: keyof CostSample) =>
    median(rounds[side].map((one) => one[figure]));
  const against = (figure: keyof CostSample, digits = 1) =>
    `${of('service', figure).toFixed(digits)} against ${of('plain', figure).toFixed(digits)}`;
  const ratio = (figure: keyof CostSample) =>
    estimate(rounds.service.map((one, round) => one[figure] / (rounds.plain[round]?.[figure] ?? NaN)));
  const failed = rounds.service.reduce((sum, one) => sum + one.failed, 0);
  const what =
    plain === searches && calls !== searches ? 'a search of the plain service' : 'the plain service';
  const work = `${label}, ${concurrency} concurrent`;
  const cost = (whose: string, figure: 'own' | 'engine', target: Target | null = null): BenchFinding => ({
    work,
    figure: `CPU time of ${whose} relative to ${what}`,
    ...ratio(figure),
    target,
    ...CHEAPER,
    details: `${against(figure, 2)} ms a response`,
  });
  return [
    {
      work,
      figure: `throughput relative to ${what}`,
      ...ratio('throughput'),
      target: targets.throughput ?? null,
      details:
        `${against('throughput', 0)}/s; p50 ${against('p50')} ms; p99 ${against('p99')} ms` +
        (failed > 0 ? `; ${failed} failed` : ''),
    },
    cost('the service', 'own', targets.service),
    cost('Elasticsearch', 'engine', targets.engine),
    {
      work,
      figure: 'searches in Elasticsearch for a request',
      ...estimate(searched),
      target: null,
      ...CHEAPER,
      details: `on average ${mean(searched).toFixed(1)}, in ${mean(requests).toFixed(1)} requests`,
    },
  ];
}

const CHEAPER = { better: 'cheaper', worse: 'more expensive', lessIsBetter: true } as const;

/** Returns the requests in turn, beginning where the last measure ended, so that none is repeated before all others were sent. */
function sequence(context: BenchContext, side: string, calls: readonly Call[]): () => HttpRequest {
  const [first = ''] = calls;
  const kind = `${side} ${(typeof first === 'string' ? first : first.path).replace(/\?.*|\d+/g, '')}`;
  return () => {
    const at = context.sent.get(kind) ?? 0;
    context.sent.set(kind, at + 1);
    const call = calls[at % calls.length];
    if (call === undefined) throw new Error('there is no request to send');
    return httpRequest(context, typeof call === 'string' ? { path: call } : { method: 'POST', ...call });
  };
}

/** Counts the requests and searches that the service sends to Elasticsearch for each of some requests. */
async function count(
  { recorded, recorder }: BenchContext,
  next: () => HttpRequest,
): Promise<{ requests: number[]; searched: number[] }> {
  const sent = [];
  for (let call = 0; call < COUNTED; call += 1) {
    const { method, path, headers, body = null } = next();
    recorder.take();
    await (await fetch(`${recorded.url}${path}`, { method, headers, body })).arrayBuffer();
    sent.push(recorder.take());
  }
  return {
    requests: sent.map((requests) => requests.length),
    searched: sent.map((requests) => requests.reduce((sum, searches) => sum + searches, 0)),
  };
}

/** The measurements of one period, and the CPU time of the driven service and of Elasticsearch in milliseconds a response. */
interface CostSample extends Sample {
  own: number;
  engine: number;
}

async function driveWithCosts(
  { pids, rounds }: BenchContext,
  { url, pid }: RunningService,
  next: () => HttpRequest,
  concurrency: number,
): Promise<CostSample> {
  const processes = [pid, pids.elasticsearch];
  const before = processes.map(processorSeconds);
  const sample = await drive(url, next, { concurrency, seconds: rounds.seconds });
  const [own = NaN, engine = NaN] = processes.map(
    (each, at) => ((processorSeconds(each) - (before[at] ?? NaN)) * 1_000) / Math.max(1, sample.answers),
  );
  return { ...sample, own, engine };
}
