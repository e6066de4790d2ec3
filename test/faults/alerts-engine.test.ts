// Chaos only (engines, 10 min): it starts an engine of its own.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { parse } from 'yaml';
import { main as engineUsers } from '../../scripts/engine-users.js';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { createElasticsearch } from '../../src/engine/client.js';
import {
  type LocalCluster,
  type LocalEngine,
  type Program,
  startLocalCluster,
  startLocalRedis,
  startProgram,
} from '../../tools/local-services/index.js';
import {
  type Alert,
  monitoringIsInstalled,
  type Prometheus,
  startElasticsearchExporter,
  startPrometheus,
} from '../docker/prometheus.js';
import { run } from '../support/command.js';
import { until } from '../support/until.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-drill' };
const MONITORING = { username: 'drill-monitoring', password: 'the-password-of-monitoring' };
const DOCUMENTATION = 'https://docs.example';
const RULES = 'docker/prometheus-alerts-engines.yml';

/** The alerts that this test ignores, because they depend on the machine: how full its disk is. */
const NOT_OF_THIS_DRILL = ['CatalogueDisk'];

/** Returns the shipped rules with seconds instead of minutes and days. */
function shortened(): string {
  const text = readFileSync(RULES, 'utf8')
    .replaceAll(/for: \d+[smhd]$/gm, 'for: 2s')
    .replaceAll('[1d:5m]', '[10m:1s]')
    .replaceAll('[1h]', '[30s]');
  const { groups } = parse(text) as { groups: { rules: { for?: string }[] }[] };
  for (const { rules } of groups) for (const rule of rules) assert.oneOf(rule.for, ['2s', undefined]);
  return text;
}

// The tests need programs that may not be installed. In CI they always run, and fail if the programs are
// missing.
if (monitoringIsInstalled || process.env['CI']) {
  describe('alerts on the engines, of real exporters at three nodes', function () {
    this.timeout(900_000);
    const programs: Program[] = [];
    /** The addresses of the exporters, under which Prometheus knows them, by the names of their nodes. */
    const instances = new Map<string, string>();
    let folder: string;
    let cluster: LocalCluster;
    let redis: LocalEngine;
    let prometheus: Prometheus;
    let es: Client;

    before(async function () {
      // The time limit includes building the exporter, if this machine has not built it before.
      this.timeout(1_200_000);
      folder = temporaryFolder('alerts');
      const repository = join(folder, 'snapshots');
      mkdirSync(repository);
      const user = unprivilegedUser();
      if (user) giveTo(user, folder);
      chmodSync(folder, 0o755);
      [cluster, redis] = await Promise.all([
        startLocalCluster(3, {
          log: console.log,
          heap: '256m',
          superuser: OPERATOR,
          settings: { 'path.repo': [repository] },
        }),
        startLocalRedis({ log: console.log }),
      ]);
      es = createElasticsearch(
        { nodes: cluster.urls, auth: OPERATOR, caFile: null },
        { requestTimeout: 30_000, maxRetries: 3 },
      );
      const { code, err } = await run(engineUsers, [], {
        env: {
          ELASTICSEARCH_URL: cluster.urls.join(','),
          INDEX_PREFIX: 'drill',
          ELASTICSEARCH_USERNAME: OPERATOR.username,
          ELASTICSEARCH_PASSWORD: OPERATOR.password,
          API_USERNAME: 'drill-api',
          API_PASSWORD: 'the-password-of-the-api',
          DATA_USERNAME: 'drill-data',
          DATA_PASSWORD: 'the-password-of-the-data',
          MONITORING_USERNAME: MONITORING.username,
          MONITORING_PASSWORD: MONITORING.password,
        },
      });
      assert.equal(code, 0, err);
      // Each node has a copy of the index, so that the failure of any node is visible.
      await es.indices.create({ index: 'drill', settings: { number_of_replicas: 2 } });
      await es.cluster.health({ wait_for_status: 'green', timeout: '60s' });

      for (const [name, { url }] of cluster.nodes) {
        const exporter = await startElasticsearchExporter(url, MONITORING);
        programs.push(exporter);
        instances.set(name, new URL(exporter.url).host);
      }
      const ofRedis = await startProgram(
        'prometheus-redis-exporter',
        (port) => [`--redis.addr=${redis.url}`, `--web.listen-address=127.0.0.1:${port}`],
        { ready: '/health' },
      );
      programs.push(ofRedis);
      const rules = join(folder, 'rules.yml');
      writeFileSync(rules, shortened());
      const job = (name: string, targets: string[]) => ({
        job_name: name,
        static_configs: [{ targets }],
        // On a busy machine, the exporter may take seconds to respond, which is no failure of a node.
        scrape_interval: '10s',
        scrape_timeout: '10s',
      });
      prometheus = await startPrometheus(
        [job('elasticsearch', [...instances.values()]), job('redis', [new URL(ofRedis.url).host])],
        { rules: [rules], externalLabels: { documentation: DOCUMENTATION } },
      );
    });
    after(async () => {
      await prometheus.stop();
      await Promise.all(programs.map((program) => program.stop()));
      await es.close();
      await Promise.all([cluster.stop(), redis.stop()]);
      rmSync(folder, { recursive: true, force: true });
    });

    /** Describes an alert in one line. An alert that fires twice has two lines. */
    const lineOf = ({ labels: { alertname = '', instance, job, color } }: Alert) =>
      [alertname, instance ?? color ?? job].filter(Boolean).join(' ');
    /** Waits until exactly these alerts fire, apart from those that this test ignores. */
    const onlyFiring = async (...wanted: string[]) => {
      let alerts: Alert[] = [];
      const lines = () => alerts.map(lineOf).sort();
      const expected = ['CatalogueExporterMissing certificates', ...wanted].sort();
      await until(async () => {
        const all = await prometheus.firing();
        alerts = all.filter(({ labels: { alertname = '' } }) => !NOT_OF_THIS_DRILL.includes(alertname));
        return JSON.stringify(lines()) === JSON.stringify(expected);
      }).catch(() => {
        assert.deepEqual(lines(), expected);
      });
      for (const { labels, annotations } of alerts)
        assert.equal(
          annotations['runbook_url'],
          `${DOCUMENTATION}/runbooks.md#${labels['alertname']?.toLowerCase()}`,
        );
    };

    it('include none while everything works', () => onlyFiring());

    it('have the metrics of indices, which the role of the exporter may read', async () => {
      const of = 'count by (instance) (elasticsearch_indices_docs_primary{index="drill"})';
      const samples = await until(async () => {
        const found = await prometheus.query(of);
        return found.length === instances.size ? found : null;
      });
      assert.sameMembers(
        samples.map(({ metric }) => metric['instance'] ?? ''),
        [...instances.values()],
      );
    });

    it('name the node that has stopped, whichever it is, once per alert', async () => {
      for (const [name, instance] of instances) {
        await cluster.nodes.get(name)?.stop();
        await onlyFiring(
          `CatalogueElasticsearchUnseen ${instance}`,
          'CatalogueNodeGone',
          'CatalogueClusterNotGreen yellow',
        );
        await cluster.restart(name);
        await onlyFiring();
      }
    });

    it('report that the exporter cannot log in, although every exporter responds', async () => {
      const { username, password } = MONITORING;
      await es.security.changePassword({ username, password: 'the-password-of-another' });
      await onlyFiring(
        ...[...instances.values()].map((instance) => `CatalogueElasticsearchUnseen ${instance}`),
        'CatalogueClusterUnseen elasticsearch',
      );
      const answering = await prometheus.query('up{job="elasticsearch"} == 1');
      assert.lengthOf(answering, instances.size);
      await es.security.changePassword({ username, password });
      await onlyFiring();
    });

    it('report that Redis is unavailable, although its exporter responds', async () => {
      await redis.stop();
      await onlyFiring(`CatalogueRedisDown ${new URL(programs.at(-1)?.url ?? '').host}`);
      assert.lengthOf(await prometheus.query('up{job="redis"} == 1'), 1);
    });
  });
}
