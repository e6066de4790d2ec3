import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { parse } from 'yaml';
import { readConfig } from '../../src/platform/config/config.js';
import { fileVariable, SECRETS } from '../../src/platform/config/secret-files.js';

/** The part of a service in a Compose file that these tests read. */
interface Service {
  image?: string;
  user?: string;
  ports?: string[];
  restart?: string;
  environment?: Record<string, string>;
  healthcheck?: { test: unknown };
  stop_grace_period?: string;
  networks?: string[];
  volumes?: string[];
  read_only?: boolean;
  init?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  secrets?: string[];
  security_opt?: string[];
  profiles?: string[];
  logging?: { options?: Record<string, string> };
  deploy?: { replicas?: string; resources?: { limits?: { cpus?: string; memory?: string; pids?: number } } };
  depends_on?: Record<string, { condition: string }>;
}

interface Composition {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } } | null>;
  secrets: Record<string, { file: string }>;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const { services, networks, secrets } = parse(text, { merge: true }) as Composition;
const named = Object.entries(services);
/** The services that keep running; the others run until they have finished. */
const lasting = named.filter(([, { restart }]) => restart === 'unless-stopped');
const example = readFileSync('.env.example', 'utf8');

const monitoringText = readFileSync('docker-compose.monitoring.yml', 'utf8');
const monitoring = parse(monitoringText, { merge: true }) as Composition;
/** The secrets of both Compose files, which `docker/secrets.sh` creates. */
const allSecrets = { ...secrets, ...monitoring.secrets };

/**
 * Returns the variables in a Compose file: `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, but not
 * `$$`.
 */
const variablesOf = (compose: string) =>
  [...compose.matchAll(/(?<!\$)\$\{(\w+)(?:(:?[-?])([^}]*))?\}/g)].map(
    ([, name = '', operator = '', argument = '']) => ({ name, operator, argument }),
  );
const variables = variablesOf(text);

describe('docker-compose.yml', () => {
  it('has what production needs', () => {
    const names = lasting.map(([name]) => name);
    assert.sameMembers(names, [
      'elasticsearch',
      'redis',
      'api',
      'backup',
      'alerts',
      'follow-up',
      'sync',
      'kibana',
    ]);
  });

  it('publishes ports only on loopback by default, and otherwise only the API', () => {
    const published = named.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    assert.deepEqual(published, [
      'api ${API_BIND:-127.0.0.1}:${API_PORT:-3000}:3000',
      'kibana 127.0.0.1:${KIBANA_PORT:-5601}:5601',
    ]);
    assert.notMatch(text, /network_mode: ['"]?host/);
  });

  it('keeps the engines in a network without internet access', () => {
    assert.isTrue(networks['engines']?.internal);
    for (const name of ['elasticsearch', 'redis'])
      assert.deepEqual(services[name]?.networks, ['engines'], name);
  });

  it('gives each service only the secret files that it needs', () => {
    for (const [name, { file }] of Object.entries(secrets))
      assert.equal(file, `\${SECRETS:-./secrets}/${name}`, 'none has a default');
    for (const { name } of variables) assert.notMatch(name, /PASSWORD|SECRET$|KEY(?!S_PER_DEVELOPER$)/);
    const used = new Set(named.flatMap(([, { secrets: given = [] }]) => given));
    assert.sameMembers([...used], Object.keys(secrets));
    for (const [name, { environment = {}, secrets: given = [] }] of named) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!/PASSWORD|SECRET|KEY(?!S_PER_DEVELOPER$)/.test(variable)) continue;
        assert.match(variable, /_FILE$/, `${name}: ${variable} is in its environment`);
        const secret = /^\/run\/secrets\/(\w+)$/.exec(value)?.[1];
        if (secret !== undefined) assert.include(given, secret, `${name}: ${variable}`);
      }
    }
    assert.notInclude(services['api']?.secrets ?? [], 'elastic_password');
  });

  it('uses the secrets that docker/secrets.sh creates once', () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'secrets-')), 'made');
    const make = () => execFileSync('docker/secrets.sh', [folder], { encoding: 'utf8' });
    const read = () => Object.fromEntries(readdirSync(folder).map((name) => [name, content(name)]));
    const content = (name: string) => readFileSync(path.join(folder, name), 'utf8');
    try {
      make();
      const made = read();
      assert.hasAllKeys(made, Object.keys(allSecrets));
      for (const secret of Object.values(made)) assert.match(secret, /^[0-9a-f]{48}$/);
      assert.lengthOf(new Set(Object.values(made)), Object.keys(allSecrets).length);
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      writeFileSync(path.join(folder, 'jwt_secret'), '');
      assert.equal(make().trim(), path.join(folder, 'jwt_secret'));
      assert.deepEqual({ ...read(), jwt_secret: '' }, { ...made, jwt_secret: '' });
    } finally {
      rmSync(path.dirname(folder), { recursive: true });
    }
  });

  it('passes every variable to the service', () => {
    const names = new Set<string>();
    readConfig(
      new Proxy<NodeJS.ProcessEnv>(
        { METRICS_PORT: '9464' },
        {
          get(env, name) {
            names.add(String(name));
            return env[String(name)];
          },
        },
      ),
    );
    // These variables are not settings of the composition: the image defines the address, the API logs in
    // with a password instead of a key, and samples belong to the demo.
    const without = ['HOST', 'ELASTICSEARCH_API_KEY', 'ELASTICSEARCH_API_KEY_FILE', 'REDIS_URL_FILE'];
    // Sentinels are not needed, because the composition has only one Redis.
    const sentinels = ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_PASSWORD'];
    without.push(...sentinels, 'REDIS_SENTINEL_PASSWORD_FILE');
    // WORKERS is not needed, because API_REPLICAS starts more instances.
    without.push('WORKERS');
    const given = { ...services['api']?.environment, ...services['command']?.environment };
    const inFiles = SECRETS.filter((name) => fileVariable(name) in given);
    for (const name of names)
      assert.isTrue(name in given || [...inFiles, ...without].includes(name), `${name} does not reach it`);
    assert.equal(services['api']?.deploy?.replicas, '${API_REPLICAS:-1}');
  });

  it('gives commands and workers the variables of the API that change what they compute', () => {
    for (const name of ['api', 'command', 'follow-up', 'sync']) {
      const { environment = {}, volumes = [] } = services[name] ?? {};
      assert.equal(environment['MARKETS'], '${MARKETS:-}', name);
      assert.equal(environment['EXCHANGE_RATES_FILE'], '${EXCHANGE_RATES_FILE:-}', name);
      assert.include(volumes, '${CONFIG:-./config}:/config:ro', name);
    }
    const given = (name: string, variable: string) => services[name]?.environment?.[variable];
    for (const name of ['command', 'sync', 'alerts'])
      assert.equal(given(name, 'AFFILIATE_URLS'), given('api', 'AFFILIATE_URLS'), name);
    for (const name of ['command', 'alerts'])
      assert.equal(given(name, 'PUBLIC_URL'), given('api', 'PUBLIC_URL'), name);
  });

  it('exposes metrics only in the monitoring network', () => {
    const [{ subnet = '' } = {}] = networks['monitoring']?.ipam?.config ?? [];
    assert.isTrue(networks['monitoring']?.internal);
    assert.equal(services['api']?.environment?.['METRICS_HOST'], subnet);
    for (const [name, service] of named) {
      if (name !== 'api') assert.notInclude(service.networks ?? [], 'monitoring', name);
    }
  });

  it('has all its variables in .env.example', () => {
    const given = new Map(
      [...example.matchAll(/^(# )?([A-Z_]+)=(.*)$/gm)].map(([, hint, name = '', value = '']) => [
        name,
        { hint: hint !== undefined, value },
      ]),
    );
    for (const { name, operator } of variables) {
      if (operator !== ':?') continue;
      assert.isTrue(given.has(name) && !given.get(name)?.hint, `${name} is required, so it must be there`);
    }
    const used = [...variables, ...variablesOf(monitoringText)];
    const known = new Set([...used.map(({ name }) => name), 'COMPOSE_FILE', 'COMPOSE_PROFILES']);
    for (const name of given.keys()) assert.isTrue(known.has(name), `${name} means nothing`);
  });

  it('pins every image', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const [name, { image = '' }] of named) {
      assert.match(image, /^(elasticsearch|kibana|redis):\d+\.\d+\.\d+$|^product-catalogue:/, name);
    }
    assert.equal(services['api']?.image, `product-catalogue:\${VERSION:-${version}}`);
    assert.match(readFileSync('Dockerfile', 'utf8'), /^ARG NODE_VERSION=\d+\.\d+\.\d+$/m);
    const versions = named.flatMap(
      ([, { image = '' }]) => /^(?:elasticsearch|kibana):(.*)/.exec(image)?.[1] ?? [],
    );
    assert.lengthOf([...new Set(versions)], 1, 'Kibana is of the version of Elasticsearch');
  });

  it('limits every service and every log', () => {
    for (const [name, service] of named) {
      const { cpus, memory, pids } = service.deploy?.resources?.limits ?? {};
      assert.isTrue([cpus, memory, pids].every(Boolean), `${name} needs limits`);
      assert.containsAllKeys(service.logging?.options ?? {}, ['max-size', 'max-file'], name);
      assert.include(service.security_opt ?? [], 'no-new-privileges:true', name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      if (name !== 'prepare') assert.isUndefined(service.cap_add, name);
    }
  });

  it('checks the health of every running service, and starts each after its dependencies', () => {
    for (const [name, { healthcheck }] of lasting) assert.isOk(healthcheck?.test, name);
    for (const [name, { depends_on: needed = {} }] of named) {
      for (const [other, { condition }] of Object.entries(needed)) {
        const lasts = lasting.some(([service]) => service === other);
        const wanted = lasts ? 'service_healthy' : 'service_completed_successfully';
        assert.equal(condition, wanted, `${name} needs ${other}`);
      }
    }
    assert.hasAllKeys(services['api']?.depends_on, ['engine-users', 'redis']);
  });

  it('runs the API read-only, unprivileged and with time to drain', () => {
    const api = services['api'];
    assert.isTrue(api?.read_only);
    assert.isTrue(api?.init);
    assert.deepEqual(api?.cap_drop, ['ALL']);
    assert.isUndefined(api?.user, 'that of the image');
    assert.match(readFileSync('Dockerfile', 'utf8'), /^USER [1-9]\d*:[1-9]\d*$/m);
    // The readiness check fails for at most 8 s before a shutdown, and open requests then have a further 8 s.
    assert.isAbove(Number.parseInt(api?.stop_grace_period ?? '', 10), 16);
    assert.equal(api?.environment?.['NODE_ENV'], 'production');
  });

  it('keeps security and TLS on', () => {
    const engine = services['elasticsearch']?.environment ?? {};
    for (const setting of ['enabled', 'http.ssl.enabled', 'transport.ssl.enabled']) {
      assert.equal(engine[`xpack.security.${setting}`], 'true', setting);
    }
    for (const name of ['api', 'alerts', 'follow-up', 'sync', 'command', 'engine-users']) {
      assert.match(services[name]?.environment?.['ELASTICSEARCH_URL'] ?? '', /^https:/, name);
    }
    assert.notEqual(services['api']?.environment?.['ELASTICSEARCH_USERNAME'], 'elastic');
  });

  it('considers a node healthy if it has a master, and publishes a name of its certificate', () => {
    const { environment = {}, healthcheck } = services['elasticsearch'] ?? {};
    assert.match(String(healthcheck?.test), /curl .*--fail .*_cluster\/health/);
    assert.equal(environment['network.publish_host'], 'elasticsearch');
    assert.equal(environment['xpack.security.transport.ssl.verification_mode'], 'full');
  });

  it('makes Redis keep every acknowledged write and evict nothing', () => {
    const command = JSON.stringify((services['redis'] as { command?: unknown }).command);
    for (const setting of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction']) {
      assert.include(command, setting);
    }
    assert.include(command, 'requirepass $$(cat /run/secrets/redis_password)');
  });
});

describe('docker-compose.cluster.yml', () => {
  it('adds two nodes that find each other, and passes their addresses to all services', () => {
    const cluster = parse(readFileSync('docker-compose.cluster.yml', 'utf8'), { merge: true }) as Composition;
    const nodes = ['elasticsearch', 'elasticsearch-2', 'elasticsearch-3'];
    for (const name of nodes) {
      const { environment, volumes = [] } = cluster.services[name] ?? {};
      assert.equal(environment?.['discovery.seed_hosts'], nodes.join(','), name);
      if (name === 'elasticsearch') continue;
      assert.equal(environment?.['node.name'], name);
      assert.equal(environment?.['network.publish_host'], name, 'the certificate knows it by this');
      assert.deepEqual(volumes, [`${name}:/usr/share/elasticsearch/data`], 'data of its own');
    }
    const urls = nodes.map((name) => `https://${name}:9200`);
    for (const name of ['api', 'alerts', 'follow-up', 'sync', 'command', 'engine-users']) {
      assert.equal(cluster.services[name]?.environment?.['ELASTICSEARCH_URL'], urls.join(','), name);
    }
    assert.equal(cluster.services['kibana']?.environment?.['ELASTICSEARCH_HOSTS'], JSON.stringify(urls));
    for (const name of nodes) assert.include(readFileSync('docker/prepare.sh', 'utf8'), name, 'certificate');
  });
});

/** The content of a file of targets for Prometheus. */
type Targets = { targets: string[] }[];

describe('docker-compose.monitoring.yml', () => {
  const parts = Object.entries(monitoring.services);
  const config = parse(readFileSync('docker/monitoring/prometheus.yml', 'utf8')) as {
    rule_files: string[];
    scrape_configs: Record<string, any>[];
  };

  it('has Prometheus, Alertmanager, Grafana, and an exporter for each engine', () => {
    assert.hasAllKeys(monitoring.services, [
      'prometheus',
      'alertmanager',
      'grafana',
      'elasticsearch-exporter',
      'redis-exporter',
      'blackbox-exporter',
    ]);
  });

  it('pins, limits and restricts each service, and publishes ports only on loopback', () => {
    for (const [name, service] of parts) {
      assert.match(service.image ?? '', /^[\w./-]+:v?\d+\.\d+\.\d+(-alpine)?$/, name);
      const { cpus, memory, pids } = service.deploy?.resources?.limits ?? {};
      assert.isTrue([cpus, memory, pids].every(Boolean), `${name} needs limits`);
      assert.containsAllKeys(service.logging?.options ?? {}, ['max-size', 'max-file'], name);
      assert.deepEqual([service.security_opt, service.cap_drop], [['no-new-privileges:true'], ['ALL']], name);
      assert.isTrue(service.read_only, name);
      assert.isOk(service.healthcheck?.test, name);
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
    }
  });

  it('gives each service only the password files that it needs', () => {
    for (const { name } of variablesOf(monitoringText)) assert.notMatch(name, /PASSWORD|SECRET$|KEY/);
    for (const [name, { file }] of Object.entries(monitoring.secrets))
      assert.equal(file, `\${SECRETS:-./secrets}/${name}`);
    for (const [name, { environment = {}, secrets: given = [] }] of parts) {
      for (const secret of given) assert.property(allSecrets, secret, name);
      for (const variable of Object.keys(environment))
        if (/PASSWORD/.test(variable)) assert.match(variable, /__FILE$/, `${name}: ${variable}`);
    }
    const { environment } = services['engine-users'] ?? {};
    const user = monitoring.services['elasticsearch-exporter']?.environment?.['ES_USERNAME'];
    assert.equal(environment?.['MONITORING_USERNAME'], user, 'the user that is made is the one that asks');
  });

  it('scrapes existing targets, under the job names of the rules', () => {
    const jobs = Object.fromEntries(config.scrape_configs.map((each) => [each['job_name'], each]));
    assert.hasAllKeys(jobs, ['catalogue', 'elasticsearch', 'redis', 'proxy', 'certificates']);
    assert.deepInclude(jobs['catalogue']?.['dns_sd_configs'][0], { names: ['api'], type: 'A' });
    assert.equal(
      jobs['catalogue']?.['dns_sd_configs'][0].port,
      Number(services['api']?.environment?.['METRICS_PORT']),
    );
    const relabelled = jobs['certificates']?.['relabel_configs'].at(-1).replacement;
    const exporters = parse(readFileSync('docker/monitoring/targets/elasticsearch.yml', 'utf8')) as Targets;
    assert.deepEqual(jobs['elasticsearch']?.['file_sd_configs'], [{ files: ['targets/elasticsearch.yml'] }]);
    const targets = [
      ...exporters.flatMap((each) => each.targets),
      jobs['redis']?.['static_configs'][0].targets[0],
    ];
    for (const target of [...targets, relabelled]) {
      const [host = '', port = ''] = String(target).split(':');
      const service = monitoring.services[host];
      assert.isDefined(service, host);
      assert.include(JSON.stringify(service?.healthcheck?.test), `localhost:${port}/`, host);
      assert.include(service?.networks ?? [], 'monitoring', host);
    }
    // In a network that Prometheus shares with the API, other than `monitoring`, the API would have a second
    // address, which has no metrics.
    for (const network of monitoring.services['prometheus']?.networks ?? [])
      if (network !== 'monitoring') assert.notInclude(services['api']?.networks ?? [], network);
    for (const file of config.rule_files) assert.isTrue(existsSync(`docker/${file}`), file);
  });

  it('mounts only existing files', () => {
    for (const [name, { volumes = [] }] of parts)
      for (const [source = ''] of volumes.map((volume) => volume.split(':/'))) {
        const file = source.replace(/^\$\{\w+:-(.*)\}$/, '$1');
        if (file.startsWith('.')) assert.isTrue(existsSync(file), `${name}: ${file}`);
      }
  });
});

describe('docker-compose.cluster-monitoring.yml', () => {
  const added = (
    parse(readFileSync('docker-compose.cluster-monitoring.yml', 'utf8'), { merge: true }) as {
      services: Record<string, Service & { extends?: { file: string; service: string } }>;
    }
  ).services;
  const cluster = parse(readFileSync('docker-compose.cluster.yml', 'utf8'), { merge: true }) as Composition;
  const nodes = Object.keys(cluster.services).filter((name) => /^elasticsearch(-\d)?$/.test(name));
  const targetsOf = (file: string) =>
    (parse(readFileSync(`docker/monitoring/cluster/${file}`, 'utf8')) as Targets).flatMap(
      ({ targets }) => targets,
    );

  it('has an exporter for each node, and Prometheus scrapes all of them', () => {
    const exporters = Object.entries({ ...monitoring.services, ...added }).filter(([name]) =>
      name.startsWith('elasticsearch-exporter'),
    );
    assert.sameMembers(
      exporters.map(([, { environment }]) => environment?.['ELASTICSEARCH_URL']),
      nodes.map((node) => `https://${node}:9200`),
    );
    for (const [name, service] of Object.entries(added))
      if (name !== 'prometheus')
        assert.deepEqual(service.extends, {
          file: 'docker-compose.monitoring.yml',
          service: 'elasticsearch-exporter',
        });
    const addresses = exporters.map(([name]) => `${name}:9114`);
    assert.sameMembers(targetsOf('elasticsearch.yml'), addresses);
    const certified = nodes.map((node) => `${node}:9200`);
    assert.includeMembers(targetsOf('certificates.yml'), certified);
  });

  it('gives Prometheus the files of the cluster in place of those of one node', () => {
    const at = ({ volumes = [] }: Service) => volumes.filter((volume) => volume.includes('/targets'));
    assert.deepEqual(at(monitoring.services['prometheus'] ?? {}), [
      './docker/monitoring/targets:/etc/prometheus/targets:ro',
    ]);
    assert.deepEqual(at(added['prometheus'] ?? {}), [
      './docker/monitoring/cluster:/etc/prometheus/targets:ro',
    ]);
    assert.sameMembers(readdirSync('docker/monitoring/cluster'), readdirSync('docker/monitoring/targets'));
  });
});

describe('the exporter that tests build', () => {
  it('is the release that ships', () => {
    const [, version] =
      /elasticsearch-exporter:(v[\d.]+)$/.exec(monitoring.services['elasticsearch-exporter']?.image ?? '') ??
      [];
    assert.isDefined(version);
    const module = 'github.com/prometheus-community/elasticsearch_exporter';
    assert.include(readFileSync('test/docker/exporter/go.mod', 'utf8'), `${module} ${version}\n`);
  });
});
