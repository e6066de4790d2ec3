import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { parse } from 'yaml';

/** What these tests look at of a service in a compose file. */
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
  security_opt?: string[];
  profiles?: string[];
  logging?: { options?: Record<string, string> };
  deploy?: { resources?: { limits?: { cpus?: string; memory?: string; pids?: number } } };
  depends_on?: Record<string, { condition: string }>;
}

interface Composition {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const { services, networks } = parse(text, { merge: true }) as Composition;
const named = Object.entries(services);
/** They stay up; the others run to an end. */
const lasting = named.filter(([, { restart }]) => restart === 'unless-stopped');
const example = readFileSync('.env.example', 'utf8');

/** Secrets that need not be: empty, they are none. */
const OPTIONAL = new Set(['JWT_SECRET_PREVIOUS']);

/** `${NAME}`, `${NAME:-default}`, `${NAME:?message}`; `$$` is no variable. */
const variables = [...text.matchAll(/(?<!\$)\$\{(\w+)(?:(:?[-?])([^}]*))?\}/g)].map(
  ([, name = '', operator = '', argument = '']) => ({ name, operator, argument }),
);

describe('docker-compose.yml', () => {
  it('has what production needs', () => {
    assert.sameMembers(
      lasting.map(([name]) => name),
      ['elasticsearch', 'redis', 'api', 'kibana'],
    );
  });

  it('publishes the API alone beyond loopback', () => {
    const published = named.flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !port.startsWith('127.0.0.1:')).map(() => name),
    );
    assert.deepEqual(published, ['api']);
    assert.deepEqual(
      services['api']?.ports?.map((port) => port.replace(/.*:/, '')),
      ['3000'],
      'not its metrics',
    );
    assert.notMatch(text, /network_mode: ['"]?host/);
  });

  it('keeps the engines in a network without a way out', () => {
    assert.isTrue(networks['engines']?.internal);
    for (const name of ['elasticsearch', 'redis'])
      assert.deepEqual(services[name]?.networks, ['engines'], name);
  });

  it('passes both secrets of tokens on, so that they can be changed', () => {
    const { JWT_SECRET_PREVIOUS: previous } = services['api']?.environment ?? {};
    assert.equal(previous, '${JWT_SECRET_PREVIOUS:-}');
  });

  it('has no secret with a default', () => {
    const secrets = variables.filter(({ name }) => /PASSWORD|SECRET|KEY/.test(name));
    assert.isAbove(secrets.length, 10);
    for (const { name, operator, argument } of secrets) {
      if (OPTIONAL.has(name)) {
        assert.deepEqual([operator, argument], [':-', ''], name);
        continue;
      }
      assert.equal(operator, ':?', `${name} must be refused when it is missing or empty`);
      assert.isNotEmpty(argument, `${name}: say what to do`);
    }
    // Nor one that is written out.
    for (const [name, { environment = {} }] of named) {
      for (const [variable, value] of Object.entries(environment)) {
        if (/PASSWORD|SECRET|KEY$/.test(variable) && !OPTIONAL.has(variable))
          assert.match(value, /^\$\{\w+:\?/, `${name}: ${variable}`);
      }
    }
  });

  it('finds each of its variables in .env.example, secrets empty', () => {
    const given = new Map(
      [...example.matchAll(/^(# )?([A-Z_]+)=(.*)$/gm)].map(([, hint, name = '', value = '']) => [
        name,
        { hint: hint !== undefined, value },
      ]),
    );
    for (const { name, operator } of variables) {
      if (operator !== ':?') continue;
      assert.isTrue(given.has(name) && !given.get(name)?.hint, `${name} is required, so it must be there`);
      if (/PASSWORD|SECRET|KEY/.test(name)) assert.equal(given.get(name)?.value, '', name);
    }
    const known = new Set([...variables.map(({ name }) => name), 'COMPOSE_FILE']);
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

  it('bounds every service, and every log', () => {
    for (const [name, service] of named) {
      const { cpus, memory, pids } = service.deploy?.resources?.limits ?? {};
      assert.isTrue([cpus, memory, pids].every(Boolean), `${name} needs limits`);
      assert.containsAllKeys(service.logging?.options ?? {}, ['max-size', 'max-file'], name);
      assert.include(service.security_opt ?? [], 'no-new-privileges:true', name);
    }
  });

  it('checks the health of all that stays up, and starts each after what it needs', () => {
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
    // Readiness fails for at most 8 s, then what is in flight is given 8 s.
    assert.isAbove(Number.parseInt(api?.stop_grace_period ?? '', 10), 16);
    assert.equal(api?.environment?.['NODE_ENV'], 'production');
  });

  it('keeps security and TLS on', () => {
    const engine = services['elasticsearch']?.environment ?? {};
    for (const setting of ['enabled', 'http.ssl.enabled', 'transport.ssl.enabled']) {
      assert.equal(engine[`xpack.security.${setting}`], 'true', setting);
    }
    for (const name of ['api', 'command', 'engine-users']) {
      assert.match(services[name]?.environment?.['ELASTICSEARCH_URL'] ?? '', /^https:/, name);
    }
    assert.notEqual(services['api']?.environment?.['ELASTICSEARCH_USERNAME'], 'elastic');
  });

  it('has Redis keep every acknowledged write, and evict none', () => {
    const command = JSON.stringify((services['redis'] as { command?: unknown }).command);
    for (const setting of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction']) {
      assert.include(command, setting);
    }
    assert.include(command, 'requirepass $$REDIS_PASSWORD');
  });
});

describe('docker-compose.cluster.yml', () => {
  it('adds two nodes that find each other, and tells everyone of them', () => {
    const cluster = parse(readFileSync('docker-compose.cluster.yml', 'utf8'), { merge: true }) as Composition;
    const nodes = ['elasticsearch', 'elasticsearch-2', 'elasticsearch-3'];
    for (const name of nodes) {
      const { environment, volumes = [] } = cluster.services[name] ?? {};
      assert.equal(environment?.['discovery.seed_hosts'], nodes.join(','), name);
      if (name === 'elasticsearch') continue;
      assert.equal(environment?.['node.name'], name);
      assert.deepEqual(volumes, [`${name}:/usr/share/elasticsearch/data`], 'data of its own');
    }
    const urls = nodes.map((name) => `https://${name}:9200`);
    for (const name of ['api', 'command']) {
      assert.equal(cluster.services[name]?.environment?.['ELASTICSEARCH_URL'], urls.join(','), name);
    }
    assert.equal(cluster.services['kibana']?.environment?.['ELASTICSEARCH_HOSTS'], JSON.stringify(urls));
    for (const name of nodes) assert.include(readFileSync('docker/prepare.sh', 'utf8'), name, 'certificate');
  });
});
