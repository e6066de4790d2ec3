import { count, distinct, filters, median, metric, overTime, percentile, ratio, terms } from '../columns.js';
import type { Dashboard } from '../dashboard.js';
import { chart, number, table } from '../panels.js';

const requests = { dataView: 'requests' } as const;

const SERVER_ERROR = 'http.response.status_code >= 500';
const CLIENT_ERROR = 'http.response.status_code >= 400 and http.response.status_code < 500';
const RATE_LIMITED = 'catalog.rate_limited: true';
const ZERO_RESULTS = 'catalog.zero_results: true';
const CLICK = 'event.action: click';

export const traffic: Dashboard = {
  name: 'traffic',
  title: 'Traffic',
  description:
    'What clients ask and how they are answered: requests, latency, errors, rate limits, queries, and clicks on ' +
    'tracked links.',
  from: 'now-24h',
  rows: [
    {
      height: 6,
      panels: [
        number('Requests', requests, (label) => metric(label, count(), 'whole')),
        number('Keys in use', requests, (label) => metric(label, distinct('catalog.key.id'), 'whole')),
        number('95th percentile of latency', requests, (label) =>
          metric(label, percentile('event.duration', 95)),
        ),
        number('Server errors', requests, (label) => ratio(label, count(SERVER_ERROR), count(), 'percent')),
        number('Rate limited', requests, (label) => ratio(label, count(RATE_LIMITED), count(), 'percent')),
        number('Searches without a result', { ...requests, where: 'catalog.query: *' }, (label) =>
          ratio(label, count(ZERO_RESULTS), count(), 'percent'),
        ),
      ],
    },
    {
      height: 13,
      panels: [
        chart('Requests over time', 'bar_stacked', requests, {
          x: overTime('Time', '@timestamp'),
          split: filters('Answer', {
            '2xx': 'http.response.status_code >= 200 and http.response.status_code < 300',
            '3xx': 'http.response.status_code >= 300 and http.response.status_code < 400',
            '429': RATE_LIMITED,
            'other 4xx': `${CLIENT_ERROR} and not ${RATE_LIMITED}`,
            '5xx': SERVER_ERROR,
          }),
          requests: metric('Requests', count(), 'whole'),
        }),
        chart('Latency over time', 'line', requests, {
          x: overTime('Time', '@timestamp'),
          p50: metric('50th percentile', percentile('event.duration', 50)),
          p95: metric('95th percentile', percentile('event.duration', 95)),
          p99: metric('99th percentile', percentile('event.duration', 99)),
          engine: metric('Elasticsearch, 95th percentile', percentile('catalog.engine.duration', 95)),
        }),
      ],
    },
    {
      height: 13,
      panels: [
        table(
          'Slowest routes',
          { ...requests, sortBy: 'p95' },
          {
            route: terms('Route', 'catalog.route', { size: 20, by: 'p95' }),
            requests: metric('Requests', count(), 'whole'),
            p50: metric('p50', percentile('event.duration', 50)),
            p95: metric('p95', percentile('event.duration', 95)),
            p99: metric('p99', percentile('event.duration', 99)),
            engine: metric('Elasticsearch p95', percentile('catalog.engine.duration', 95)),
            redis: metric('Redis p95', percentile('catalog.redis.duration', 95)),
          },
        ),
        table(
          'Errors by route',
          { ...requests, where: 'http.response.status_code >= 400', sortBy: 'server' },
          {
            route: terms('Route', 'catalog.route', { size: 20, by: 'errors' }),
            errors: metric('Errors', count(), 'whole'),
            client: metric('4xx', count(CLIENT_ERROR), 'whole'),
            server: metric('5xx', count(SERVER_ERROR), 'whole'),
          },
        ),
      ],
    },
    {
      height: 13,
      panels: [
        chart(
          'Errors over time',
          'bar_stacked',
          { ...requests, where: `${SERVER_ERROR} or (${CLIENT_ERROR} and not ${RATE_LIMITED})` },
          {
            x: overTime('Time', '@timestamp'),
            split: terms('Route', 'catalog.route', { size: 8, by: 'errors' }),
            errors: metric('Errors', count(), 'whole'),
          },
        ),
        table(
          'Rate-limited keys',
          { ...requests, where: RATE_LIMITED, description: 'npm run keys -- list tells whose a key is.' },
          {
            key: terms('Key id', 'catalog.key.id', { size: 20, by: 'refused' }),
            tier: terms('Tier', 'catalog.key.tier', { size: 1, by: 'refused' }),
            refused: metric('Refused requests', count(), 'whole'),
          },
        ),
      ],
    },
    {
      height: 14,
      panels: [
        table(
          'Top queries',
          { ...requests, where: 'catalog.query: *' },
          {
            query: terms('Query', 'catalog.query', { size: 50, by: 'requests' }),
            requests: metric('Requests', count(), 'whole'),
            results: metric('Results (median)', median('catalog.results'), 'whole'),
          },
        ),
        table(
          'Queries without a result',
          { ...requests, where: ZERO_RESULTS },
          {
            query: terms('Query', 'catalog.query', { size: 50, by: 'requests' }),
            requests: metric('Requests', count(), 'whole'),
            keys: metric('Keys', distinct('catalog.key.id'), 'whole'),
          },
        ),
      ],
    },
    {
      height: 12,
      panels: [
        chart(
          'Clicks by platform',
          'bar_horizontal',
          { ...requests, where: CLICK },
          {
            x: terms('Platform', 'catalog.product.source', { size: 30, by: 'clicks' }),
            clicks: metric('Clicks', count(), 'whole'),
          },
        ),
        chart(
          'Clicks over time',
          'bar_stacked',
          { ...requests, where: CLICK },
          {
            x: overTime('Time', '@timestamp'),
            split: terms('Platform', 'catalog.product.source', { size: 10, by: 'clicks' }),
            clicks: metric('Clicks', count(), 'whole'),
          },
        ),
      ],
    },
  ],
};
