import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { Ajv } from 'ajv';
import { assert } from 'chai';
import { parse } from 'yaml';
import { COMMANDS } from '../../scripts/shared/commands.js';
import { readConfig } from '../../src/platform/config/config.js';
import { pluck } from '../support/listings.js';

const CHART = 'charts/product-catalogue';
const text = readFileSync(`${CHART}/values.yaml`, 'utf8');
const values = parse(text) as {
  jobs: Record<string, { schedule: string; args: string[] }>;
  workers: Record<string, { replicas: number }>;
  env: object;
  elasticsearch: object;
  backups: object;
  metrics: { prometheusRule: { files: string[] } };
};
const templates = readdirSync(`${CHART}/templates`)
  .map((name) => readFileSync(`${CHART}/templates/${name}`, 'utf8'))
  .join('\n');

/**
 * docker/check.sh tests with Helm that the chart can be rendered and that its objects are valid in
 * Kubernetes, and without Helm that its templates can be parsed.
 */
describe('the chart', () => {
  it('has the version of package.json', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const chart = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8')) as { appVersion: string };
    assert.equal(chart.appVersion, version);
  });

  it('has a schema that accepts its values with addresses, and refuses secrets and misspelled names', () => {
    const isValid = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as object,
    );
    const [es, addresses] = ['https://es:9200', { publicUrl: 'https://catalogue.example' }];
    const least = { ...values, ...addresses, redis: { url: 'redis://redis:6379' } };
    const withEngine = (urls: string[], more: object = {}) =>
      isValid({ ...least, elasticsearch: { ...values.elasticsearch, urls }, ...more });
    assert.isTrue(withEngine([es]), JSON.stringify(isValid.errors));
    assert.isFalse(isValid(values), 'no addresses');
    for (const more of [
      { env: { ADMIN_SECRET: 'x' } },
      { redis: { url: 'redis://:x@redis' } },
      { jobs: { a: { scedule: '* * * * *', args: ['ingest'] } } },
      { backups: { ...values.backups, tu: 'backups' } },
    ])
      assert.isFalse(withEngine([es], more), JSON.stringify(more));
    assert.isFalse(withEngine(['https://user:password@es:9200']), 'a password in an address');
  });

  it('sets only variables that the service reads, and secrets only as files', () => {
    // The command `sync` reads this variable itself.
    const known = new Set(['SOURCE_CREDENTIALS']);
    readConfig(
      new Proxy<NodeJS.ProcessEnv>(
        { METRICS_PORT: '9464' },
        {
          get(env, name) {
            known.add(String(name));
            return env[String(name)];
          },
        },
      ),
    );
    const set = [...templates.matchAll(/- \{ name: ([A-Z_]+),/g)].map(([, name = '']) => name);
    assert.isAbove(set.length, 10);
    for (const name of set) {
      assert.isTrue(known.has(name), name);
      if (/PASSWORD|SECRET|KEY/.test(name)) assert.match(name, /_FILE$/);
    }
    assert.deepEqual(values.env, { LOG_SAMPLE: '0.05' });
    const examples = [...text.matchAll(/^# {2}([A-Z_]+): (.+)$/gm)].map(([, name = '']) => name);
    assert.includeMembers([...known], examples);
    assert.includeMembers(examples, ['PUBLIC_READ', 'OAUTH_ISSUER', 'UCP_PROFILES', 'CHANGES_RETENTION']);
  });

  it('uses the secret names that docker/secrets.sh creates', () => {
    const made = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as { secrets: object };
    const files = [...templates.matchAll(/\/run\/secrets\/catalogue\/([a-z_]+)/g)].map(
      ([, name = '']) => name,
    );
    const keys = [...templates.matchAll(/"([a-z_]+_(?:secret|password|secret_previous))"/g)];
    assert.containsAllKeys(made.secrets, [...files, ...keys.map(([, name = '']) => name)]);
    for (const file of files)
      assert.include(
        keys.map(([, name]) => name),
        file,
      );
  });

  it('has the alert rules of Compose, as links to the same files, and scrapes under the job that they select', () => {
    const prometheus = parse(readFileSync('docker/monitoring/prometheus.yml', 'utf8')) as {
      rule_files: string[];
      scrape_configs: { job_name: string }[];
    };
    assert.sameMembers(readdirSync(`${CHART}/rules`), prometheus.rule_files);
    for (const file of prometheus.rule_files)
      assert.equal(realpathSync(`${CHART}/rules/${file}`), realpathSync(`docker/${file}`));
    for (const file of values.metrics.prometheusRule.files) {
      assert.include(prometheus.rule_files, file);
      const jobs = readFileSync(`docker/${file}`, 'utf8').matchAll(/job=~?"([^"]+)"/g);
      const [, scraped = ''] = /targetLabel: job, replacement: (\w+)/.exec(templates) ?? [];
      assert.deepEqual([...new Set([...jobs].map(([, job]) => job))], [scraped]);
      assert.include(pluck(prometheus.scrape_configs, 'job_name'), scraped);
    }
  });

  it('runs only existing commands, and the workers of Compose with its checks', () => {
    for (const [name, { schedule, args }] of Object.entries(values.jobs)) {
      assert.property(COMMANDS, args[0] ?? '', name);
      assert.match(schedule, /^\S+( \S+){4}$/, name);
    }
    const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
      services: Record<string, { command?: string[]; healthcheck?: { test: unknown } }>;
    };
    const workers = Object.entries(services).filter(
      // Compose has no timers, so its backup is a worker as well.
      ([name, { command = [] }]) => command.includes('--watch') && name !== 'backup',
    );
    assert.sameMembers(
      Object.keys(values.workers),
      workers.map(([name]) => name),
    );
    for (const [name, { command = [], healthcheck }] of workers) {
      assert.equal(command[0], `dist/scripts/${name}.js`);
      const [, minutes = ''] = /-mmin -(\d+)/.exec(String(healthcheck?.test)) ?? [];
      assert.match(templates, new RegExp(`\\$alive := dict .*"${name}" ${minutes}\\b`));
    }
  });
});
