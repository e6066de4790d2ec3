import type { estypes } from '@elastic/elasticsearch';
import { INDICES, storedIndex } from '../../src/platform/stored.js';
import type { StoredEvent } from '../../src/usecases/alerts/store.js';
import type { RunOutcome, RunRecord } from '../../src/sources/runs.js';
import { type Check, type Finding, unlessEmpty, warn } from './finding.js';

const PERIOD = 'now-1d';

interface ErrorKind<T> {
  index: 'requests' | 'runs' | 'alert-events';
  query: estypes.QueryDslQueryContainer;
  text: (document: T) => string;
  next: string;
}

interface FailedRequest {
  http: { request: { id: string; method: string }; response: { status_code: number } };
  catalog: { route: string };
}

const FAILED_REQUESTS: ErrorKind<FailedRequest> = {
  index: 'requests',
  query: { range: { 'http.response.status_code': { gte: 500 } } },
  text: ({ http: { request, response }, catalog: { route } }) =>
    `${request.method} ${route} was answered with ${response.status_code}, request id ${request.id}`,
  next: 'docs/operations.md#following-a-slow-request',
};

const FAILED_LOADS: ErrorKind<RunRecord> = {
  index: 'runs',
  query: { terms: { outcome: ['failed', 'refused'] satisfies RunOutcome[] } },
  text: ({ name, outcome, reason }) => `the load of ${name}: ${outcome}, ${reason ?? 'without a reason'}`,
  next: 'docs/runbooks.md#catalogueloadfailed',
};

const LOST_WEBHOOKS: ErrorKind<StoredEvent> = {
  index: 'alert-events',
  query: { term: { 'delivery.state': 'given_up' } },
  text: ({ host, delivery }) => `a webhook to ${host} was given up: ${delivery?.error ?? 'without a reason'}`,
  next: 'docs/runbooks.md#cataloguewebhooksfail',
};

/** Where the errors of each kind are recorded. The documents have the type that `text` expects. */
const KINDS: readonly ErrorKind<never>[] = [FAILED_REQUESTS, FAILED_LOADS, LOST_WEBHOOKS];

/** Reports the most recent error of each kind in the last day, and the number of errors of that kind. */
export const checkErrors: Check = async ({ engine: { es, indexPrefix } }) => {
  const found = await Promise.all(
    KINDS.map(async ({ index, query, text, next }): Promise<Finding[]> => {
      const { changed: time } = INDICES[index];
      const { hits } = await es.search<Record<string, unknown>>({
        index: storedIndex(indexPrefix, index),
        ignore_unavailable: true,
        query: { bool: { filter: [query, { range: { [time]: { gte: PERIOD } } }] } },
        sort: [{ [time]: { order: 'desc', unmapped_type: 'date' } }],
        size: 1,
        track_total_hits: true,
      });
      const [last] = hits.hits;
      if (last?._source === undefined) return [];
      const count = (hits.total as estypes.SearchTotalHits).value;
      return [
        warn(`${String(last._source[time])}: ${text(last._source as never)} (${count} in a day)`, next),
      ];
    }),
  );
  return unlessEmpty(found.flat(), 'none in the last day');
};
