import {
  errors,
  Transport,
  type TransportRequestOptions,
  type TransportRequestParams,
} from '@elastic/elasticsearch';
import { CircuitBreaker } from '../platform/circuit-breaker.js';

/** The attempts of a request while no node answers any request. Two take about three seconds; more would hardly succeed. */
const ATTEMPTS_IN_SILENCE = 2;

/** After `OPENS_AFTER` consecutive failures, the circuit breaker refuses all requests for `OPEN_MS` ms. */
const OPENS_AFTER = 5;
const OPEN_MS = 1_000;

type TransportOptions = ConstructorParameters<typeof Transport>[0];
type GetConnectionOptions = Parameters<Transport['getConnection']>[0];
type Connection = NonNullable<ReturnType<Transport['getConnection']>>;

/** The context of one request to Elasticsearch: the nodes to which it was already sent, the last one at the end. */
type RequestContext = Record<'triedNodes', Set<Connection>>;

const READS_BY_ID: ReadonlySet<string | undefined> = new Set(['get', 'mget']);

/** The APIs whose requests read one copy of each shard, which the parameter `preference` chooses. */
const READS_OF_COPIES: ReadonlySet<string | undefined> = new Set([
  ...READS_BY_ID,
  'search',
  'count',
  'open_point_in_time',
]);

/** The node that receives the request reads its own copy of each shard of which it has one. */
const LOCAL = { preference: '_local' };

/** Retries a request on another node after a timeout, but not for long while no node answers. */
export class RetryingTransport extends Transport {
  private readonly maxRetries: number;
  private readonly requestTimeout: number;
  /** When any Elasticsearch node last answered a request, in milliseconds on the monotonic clock. */
  protected answeredAt = 0;

  constructor(options: TransportOptions) {
    const { requestTimeout, maxRetries = 0 } = options;
    super({
      ...options,
      // The pause in seconds before a retry once all nodes were tried: a tenth of the deadline, which is in ms.
      retryBackoff: () => Number(requestTimeout) / 10_000,
      // The service creates the spans of Elasticsearch requests from its own measurements.
      openTelemetry: { enabled: false },
    });
    this.maxRetries = maxRetries;
    this.requestTimeout = Number(requestTimeout);
  }

  // The base class declares overloads, which all take and return the same two types.
  override async request(
    params: TransportRequestParams,
    options: TransportRequestOptions = {},
  ): Promise<never> {
    const nodes = this.connectionPool.size;
    const retries = nodes > 1 ? (options.maxRetries ?? this.maxRetries) : 0;
    // Elasticsearch prefers the copies of a search that have answered fast, so it soon leaves out a node that
    // hangs. For reads by id it does not, so every node is tried, each for a shorter time.
    const readsById = READS_BY_ID.has(params.meta?.name);
    const attemptsInSilence = readsById
      ? Math.max(ATTEMPTS_IN_SILENCE, Math.min(nodes, retries + 1))
      : ATTEMPTS_IN_SILENCE;
    const requestTimeout = Math.ceil((this.requestTimeout * ATTEMPTS_IN_SILENCE) / attemptsInSilence);
    const context: RequestContext = { triedNodes: new Set() };
    const attemptOptions: TransportRequestOptions = { requestTimeout, ...options, context };
    let silences = 0;
    for (let attempt = 0; ; attempt += 1) {
      const started = performance.now();
      try {
        const local = readsById || attempt > 0;
        const answer = await super.request(local ? fromLocalCopies(params) : params, attemptOptions);
        this.answeredAt = performance.now();
        return answer as never;
      } catch (error) {
        if (error instanceof errors.ResponseError) this.answeredAt = performance.now();
        if (!(error instanceof errors.TimeoutError) || attempt >= retries) throw error;
        silences = this.answeredAt < started ? silences + 1 : 0;
        if (silences >= attemptsInSilence) throw error;
      }
    }
  }

  /** Selects the node for an attempt: after the first attempt each other node is tried before any is tried again. */
  override getConnection(options: GetConnectionOptions): Connection | null {
    const { triedNodes } = options.context as RequestContext;
    // The pool may return null although it contains nodes (https://github.com/elastic/elasticsearch-js/issues/1714): if all have
    // failed since it last selected one, and their numbers of failures differ.
    const selected = triedNodes.size === 0 ? super.getConnection(options) : null;
    const node = selected ?? this.nextNode(triedNodes);
    if (node === null) return null;
    triedNodes.delete(node);
    triedNodes.add(node);
    return node;
  }

  private nextNode(triedNodes: ReadonlySet<Connection>): Connection | null {
    // The connection pool lowers the weight of a node that fails.
    const [best] = this.connectionPool.connections
      .filter((node) => !triedNodes.has(node))
      .sort((a, b) => b.weight - a.weight);
    const [first] = triedNodes;
    return best ?? first ?? null;
  }
}

/** The transport of the API's client, whose requests share a circuit breaker. A rejected request does not count as a failure. */
export class BreakingTransport extends RetryingTransport {
  private readonly breaker = new CircuitBreaker({
    opensAfter: OPENS_AFTER,
    openMs: OPEN_MS,
    isFailure: (error) => error instanceof errors.ElasticsearchClientError,
    lastAnswerAt: () => this.answeredAt,
  });

  override request(params: TransportRequestParams, options: TransportRequestOptions = {}): Promise<never> {
    return this.breaker.execute(() => super.request(params, options));
  }
}

/**
 * Makes the node that receives a read use its own copies of the shards, so that it answers even if another node hangs. Other
 * requests are unchanged, also reads with a preference of their own and searches of a point in time, whose copies are chosen.
 */
export function fromLocalCopies(request: TransportRequestParams): TransportRequestParams {
  const { querystring = {}, body, bulkBody, meta } = request;
  if (meta?.name === 'msearch' && Array.isArray(bulkBody))
    return { ...request, bulkBody: withLocalHeaders(bulkBody as object[]) };
  const readsPointInTime = typeof body === 'object' && 'pit' in body;
  if (!READS_OF_COPIES.has(meta?.name) || readsPointInTime || typeof querystring === 'string') return request;
  return { ...request, querystring: { ...LOCAL, ...querystring } };
}

/** The lines of a multi-search request are alternately a header, which can state the preference, and a search. */
const withLocalHeaders = (lines: object[]) =>
  lines.map((line, i) => (i % 2 === 0 ? { ...LOCAL, ...line } : line));
