// Chaos only (builds, 5 min): it builds an exporter of Go modules and starts Prometheus.
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { parse } from 'yaml';
import { ensureCatalogue } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { type Service, startService } from '../../src/wiring.js';
import { readPanels } from '../../tools/grafana.js';
import { metricsOf, panelsOf } from '../support/dashboard.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { connected } from '../platform/access/small-app.js';
import { record } from '../support/listings.js';
import { patientConfig } from '../support/patience.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { recordRuns } from './recorded-runs.js';
import { type Program, startProgram } from '../../tools/local-services/index.js';
import { haproxyIsInstalled, type Proxy, startHAProxy } from '../faults/haproxy.js';
import { monitoringIsInstalled, startElasticsearchExporter, startPrometheus } from './prometheus.js';
import { connectEngine } from '../support/engine.js';

const { service: SERVICE, engines: ENGINES } = readPanels();

// The tests need programs that may not be installed. In CI they always run, and fail if the programs are
// missing.
if ((monitoringIsInstalled && haproxyIsInstalled) || process.env['CI']) {
  describe('monitoring by a real Prometheus and exporters', function () {
    const prefix = `${indexPrefix}-monitored-${randomBytes(3).toString('hex')}`;
    const es = connectEngine();
    const programs: Program[] = [];
    const dir = mkdtempSync(path.join(tmpdir(), 'certificate-'));
    let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
    let service: Service;
    let proxy: Proxy;
    const tls = { server: createServer() };

    before(async function () {
      // The time limit includes building the exporter, if this machine has not built it before.
      this.timeout(900_000);
      const kept = async (starting: Promise<Program>) => {
        const program = await starting;
        programs.push(program);
        return new URL(program.url).host;
      };
      const started = (...given: Parameters<typeof startProgram>) => kept(startProgram(...given));
      const config = patientConfig({
        PORT: '0',
        METRICS_PORT: '0',
        EVENTS: 'on',
        LOG_LEVEL: 'silent',
        INDEX_PREFIX: prefix,
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        ADMIN_SECRET: 'of these tests alone',
      });
      await ensureCatalogue(es, prefix);
      const listing = { ...record({ sku: '1' }), source: 'shop_a', price: '1.00', currency: 'SGD' };
      const records = readFeed(Readable.from([`${JSON.stringify(listing)}\n`]));
      assert.equal((await loadRecords({ es, indexPrefix: prefix, records })).created, 1);
      await es.indices.refresh({ index: `${prefix}-*` });
      await recordRuns(prefix);
      service = await startService(config, createLogger(config));
      await until(async () => (await fetch(`${service.url}/readyz`)).ok);
      makeCertificate(dir);
      tls.server = createServer({
        key: readFileSync(path.join(dir, 'key.pem')),
        cert: readFileSync(path.join(dir, 'cert.pem')),
      });
      await new Promise<void>((resolve) => tls.server.listen(0, '127.0.0.1', resolve));
      const certified = `127.0.0.1:${(tls.server.address() as AddressInfo).port}`;
      const [ofElasticsearch, ofRedis, blackbox] = await Promise.all([
        kept(startElasticsearchExporter(elasticsearchUrl)),
        started(
          'prometheus-redis-exporter',
          (port) => [`--redis.addr=${redisUrl}`, `--web.listen-address=127.0.0.1:${port}`],
          { ready: '/health' },
        ),
        started(
          'prometheus-blackbox-exporter',
          (port) => [
            '--config.file=docker/monitoring/blackbox.yml',
            `--web.listen-address=127.0.0.1:${port}`,
          ],
          { ready: '/-/healthy' },
        ),
      ]);
      proxy = await startHAProxy([service.url, service.url]);
      programs.push(proxy);
      prometheus = await startPrometheus([
        job('catalogue', new URL(service.metricsUrl ?? '').host),
        { ...job('elasticsearch', ofElasticsearch), scrape_interval: '5s', scrape_timeout: '5s' },
        job('redis', ofRedis),
        job('proxy', new URL(proxy.metricsUrl).host),
        {
          ...job('certificates', blackbox),
          metrics_path: '/probe',
          params: { module: ['certificate'], target: [certified] },
        },
      ]);
    });
    after(async () => {
      await prometheus.stop();
      await Promise.all(programs.map((program) => program.stop()));
      await service.stop();
      tls.server.close();
      rmSync(dir, { recursive: true });
      await removeElasticsearchTraces(es, prefix);
      await es.close();
    });

    /** Sends requests of all kinds that the panels of the dashboard distinguish. */
    const traffic = async (key: string) => {
      const authorization = `Bearer ${key}`;
      await fetch(`${service.url}/v1/search?q=kettle`, { headers: { authorization } });
      await fetch(`${service.url}/v1/search?limit=none`, { headers: { authorization } });
      for (let i = 0; i < 30; i += 1) await fetch(`${service.url}/v1/search`);
      await fetch(`${proxy.url}/v1/search`);
    };
    const key = async () => {
      const redis = createRedis(redisUrl);
      await connected(redis);
      const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
      const made = { developerId: 'd', name: 'n', tier: 'free', environment: 'test' } as const;
      const { rawKey } = await keys.create(made, new Date());
      redis.disconnect();
      return rawKey;
    };
    /** Replaces the variable of Grafana in a query by an interval of 20 s. */
    const asked = (expr: string) => expr.replaceAll('$__rate_interval', '20s');

    it('has data in every query of every panel', async () => {
      const rawKey = await key();
      let waiting = panelsOf([...SERVICE, ...ENGINES]).flatMap(({ stat, lines, queries }) =>
        Object.entries(queries).map(([name, expr]) => ({ title: `${stat ?? lines}: ${name}`, expr })),
      );
      const numbers = (samples: Awaited<ReturnType<typeof prometheus.query>>) =>
        samples.filter(({ value: [, value] }) => Number.isFinite(Number(value)));
      const found = until(async () => {
        await traffic(rawKey);
        const answers = await Promise.all(waiting.map(({ expr }) => prometheus.query(asked(expr))));
        waiting = waiting.filter((_, i) => numbers(answers[i] ?? []).length === 0);
        return waiting.length === 0;
      });
      await found.catch(() => {
        assert.deepEqual(waiting, [], 'no data');
      });
    });

    it('has every metric of exporters that rules and panels use', async () => {
      const rules = parse(readFileSync('docker/prometheus-alerts-engines.yml', 'utf8')) as {
        groups: { rules: { expr: string }[] }[];
      };
      const exprs = [
        ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
        ...panelsOf(ENGINES).flatMap(({ queries }) => Object.values(queries).map(asked)),
      ];
      const names = new Set(exprs.flatMap(metricsOf));
      const told = await until(async () => {
        const all = await prometheus.query(
          'count by (__name__, job) ({job=~"elasticsearch|redis|certificates|proxy"})',
        );
        const jobs = new Map(all.map(({ metric }) => [metric['__name__'] ?? '', metric['job']]));
        return ['elasticsearch', 'redis', 'certificates', 'proxy'].every((name) =>
          [...jobs.values()].includes(name),
        )
          ? jobs
          : null;
      });
      const missing = [...names].filter((name) => !told.has(name) && name !== 'up');
      assert.isEmpty(missing);
    });

    it('shows when an untrusted certificate expires', async () => {
      const [ends] = await until(async () => {
        const samples = await prometheus.query('(probe_ssl_earliest_cert_expiry - time()) / 86400');
        return samples.length > 0 ? samples : null;
      });
      const days = Number(ends?.value[1]);
      assert.isAbove(days, 19);
      assert.isBelow(days, 20.1);
    });

    it('fires the alerts on the state of the catalogue', async () => {
      const { groups } = parse(readFileSync('docker/prometheus-alerts.yml', 'utf8')) as {
        groups: { rules: { alert?: string; expr: string; labels: { objective?: string } }[] }[];
      };
      const all = groups.flatMap(({ rules }) => rules);
      const exprOf = (alert: string) => all.find((rule) => rule.alert === alert)?.expr ?? '';
      // There is no backup. The data of the recorded run is an hour old, and expected to be a minute old.
      for (const objective of ['freshness', 'backup']) {
        const { expr } = all.find(({ labels }) => labels.objective === objective) ?? { expr: '' };
        assert.deepEqual(
          (await prometheus.query(expr)).map(({ value }) => value[1]),
          ['1'],
          objective,
        );
      }
      // The shipped exchange rates are old, but a catalogue with one currency needs none, so the alert fires
      // only with a changed condition.
      assert.isEmpty(await prometheus.query(exprOf('CatalogueRatesOld')));
      const alone = exprOf('CatalogueRatesOld').replace('> 1', '> 0');
      assert.lengthOf(await prometheus.query(alone), 1);
    });
  });
}

const job = (name: string, target: string) => ({ job_name: name, static_configs: [{ targets: [target] }] });

/** Creates a self-signed certificate that is valid for twenty days. */
function makeCertificate(dir: string): void {
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      path.join(dir, 'key.pem'),
      '-out',
      path.join(dir, 'cert.pem'),
      '-days',
      '20',
      '-subj',
      '/CN=localhost',
    ],
    { stdio: 'ignore' },
  );
}
