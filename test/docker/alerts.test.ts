import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { parser } from '@prometheus-io/lezer-promql';
import { assert } from 'chai';
import { parse } from 'yaml';
import { main as alerts } from '../../scripts/alerts.js';
import { ensureCatalogue } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { startService } from '../../src/wiring.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { outputOf } from '../support/command.js';
import { patientConfig } from '../support/patience.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { pluck } from '../support/listings.js';
import { recordRuns } from './recorded-runs.js';

interface Rule {
  alert: string;
  expr: string;
}

/** A rule that fires alerts, or that records a metric for others. */
interface AnyRule extends Omit<Rule, 'alert'> {
  alert?: string;
  record?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** The part of a group of tests for `promtool test rules` that these tests read. */
interface PromtoolTest {
  alert_rule_test?: { alertname: string; exp_alerts?: unknown[] }[];
}

const rulesOf = (file: string): AnyRule[] => {
  const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: AnyRule[] }[] };
  return groups.flatMap((group) => group.rules);
};
const rules = rulesOf('docker/prometheus-alerts.yml');
/** The metrics that rules record, each with its labels. */
const recorded = new Map<string, Set<string>>();
for (const { record, labels } of rules) {
  if (record === undefined) continue;
  recorded.set(record, new Set([...(recorded.get(record) ?? []), ...Object.keys(labels ?? {})]));
}
/**
 * The metrics in the rules on Elasticsearch and Redis are checked with real exporters by monitoring.test.ts.
 */
const rulesOnEngines = rulesOf('docker/prometheus-alerts-engines.yml');
const alerting = [...rules, ...rulesOnEngines].filter(
  (rule): rule is AnyRule & Rule => rule.alert !== undefined,
);

/** Names that Prometheus itself adds: the series `up`, and labels of all series. */
const OF_PROMETHEUS = new Set(['up', 'job', 'instance']);

/**
 * Returns the metrics of an expression, each with the labels that the expression uses. @throws Error if there
 * are none.
 */
function selectors(expr: string): { metric: string; labels: string[] }[] {
  const found: { metric: string; labels: string[] }[] = [];
  parser.parse(expr).iterate({
    enter({ type, from, to }) {
      const text = expr.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at "${expr.slice(from, from + 20)}" of ${expr}`);
      if (type.name === 'VectorSelector') found.push({ metric: text.replace(/\{.*/s, ''), labels: [] });
      if (type.name === 'LabelName' && /\s*(!|=)/.test(expr.slice(to, to + 1)))
        found.at(-1)?.labels.push(text);
    },
  });
  return found;
}

describe('alerts', function () {
  const prefix = `${indexPrefix}-alerts-${randomBytes(3).toString('hex')}`;
  /** The label names of each series that the service exports. */
  const series = new Map<string, Set<string>>();

  before(async () => {
    const config = patientConfig({
      PORT: '0',
      METRICS_PORT: '0',
      EVENTS: 'on',
      LOG_LEVEL: 'silent',
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: redisUrl,
      // The requests below use up a rate limit for a minute, so the keys of each run need another prefix.
      INDEX_PREFIX: prefix,
    });
    const es = createElasticsearch(config.elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
    await recordRuns(config.indexPrefix);
    const service = await startService(config, createLogger(config));
    await until(async () => (await fetch(`${service.url}/readyz`)).ok);
    // These requests cause waiting times of all kinds, and a rejected request, because labels only exist when
    // there is something to count.
    await fetch(`${service.url}/track/1`);
    await fetch(`${service.url}/v1/search`, {
      headers: { authorization: `Bearer svc_test_${'x'.repeat(48)}` },
    });
    await ensureCatalogue(es, prefix);
    const record = { sku: '1', source: 'shop_a', name: 'Kettle', price: '1.00', currency: 'SGD' };
    const records = readFeed(Readable.from([`${JSON.stringify(record)}\n`]));
    await loadRecords({ es, indexPrefix: prefix, records });
    await outputOf(alerts, prefix);
    await es.indices.refresh({ index: `${prefix}-*` });
    for (let i = 0; i < 101; i += 1) await fetch(`${service.url}/v1/search`);
    const text = await (await fetch(`${service.metricsUrl}/metrics`)).text();
    for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*?)\})? /gm)) {
      const known = series.get(name) ?? new Set();
      series.set(name, known);
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    }
    await service.stop();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  it('use only metrics and labels that the service exports', () => {
    for (const { alert, record, expr } of rules) {
      const name = alert ?? record ?? '';
      const asked = selectors(expr);
      assert.isNotEmpty(asked, name);
      for (const { metric, labels } of asked) {
        if (OF_PROMETHEUS.has(metric)) continue;
        const known = series.get(metric) ?? recorded.get(metric);
        assert.isDefined(known, `${name}: there is no ${metric}`);
        const unknown = labels.filter((label) => !known?.has(label) && !OF_PROMETHEUS.has(label));
        assert.deepEqual(unknown, [], `${name}: labels of ${metric}`);
      }
    }
  });

  it('state the problem, its urgency and a runbook', () => {
    const runbooks = readFileSync('docs/runbooks.md', 'utf8');
    for (const { alert, labels, annotations } of alerting) {
      assert.isNotEmpty(annotations?.['summary'], alert);
      assert.oneOf(labels?.['severity'], ['page', 'ticket'], alert);
      assert.include(runbooks, `## ${alert}\n`, `${alert} is in docs/runbooks.md`);
      // The anchor of the alert's heading in the rendered documentation.
      const runbook = `{{ $externalLabels.documentation }}/runbooks.md#${alert.toLowerCase()}`;
      assert.equal(annotations?.['runbook_url'], runbook, alert);
    }
    const documented = [...runbooks.matchAll(/^## (Catalogue\w+)$/gm)].map(([, name]) => name);
    assert.sameMembers(documented, [...new Set(pluck(alerting, 'alert'))]);
  });

  it('fire in the tests of promtool', () => {
    const folder = 'test/docker';
    const files = readdirSync(folder).filter((name) => name.endsWith('.promtool.yml'));
    const cases = files.flatMap((name) => {
      const { tests } = parse(readFileSync(`${folder}/${name}`, 'utf8')) as { tests: PromtoolTest[] };
      return tests.flatMap(({ alert_rule_test: given = [] }) => given);
    });
    const fired = new Set(
      cases.filter(({ exp_alerts: expected = [] }) => expected.length > 0).map(({ alertname }) => alertname),
    );
    assert.sameMembers([...fired], [...new Set(pluck(alerting, 'alert'))]);
    assert.match(
      readFileSync('docker/check.sh', 'utf8'),
      /promtool test rules test\/docker\/\*\.promtool\.yml/,
    );
  });
});
