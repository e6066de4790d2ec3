// Chaos only (engines, 2 min): it starts an engine of its own.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { parse } from 'yaml';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { createElasticsearch } from '../../src/engine/client.js';
import {
  freePort,
  issueCertificates,
  type LocalEngine,
  startLocalElasticsearch,
} from '../../tools/local-services/index.js';
import { until } from '../support/until.js';

interface Node {
  environment?: Record<string, string>;
  healthcheck?: { test: string };
}

const servicesOf = (file: string) =>
  (parse(readFileSync(file, 'utf8'), { merge: true }) as { services: Record<string, Node> }).services;

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
/**
 * An address for each service, as in the network of Docker Compose. All addresses of 127.0.0.0/8 belong to
 * this machine.
 */
const ADDRESSES = {
  elasticsearch: '127.0.0.2',
  'elasticsearch-2': '127.0.0.3',
  'elasticsearch-3': '127.0.0.4',
};
type Name = keyof typeof ADDRESSES;

/** Creates certificates with openssl for the names in docker/prepare.sh. */
function certificates(folder: string): Record<string, string> {
  const [, dns = '', ip = ''] =
    /--dns (\S+) --ip (\S+)/.exec(readFileSync('docker/prepare.sh', 'utf8')) ?? [];
  const names = [...dns.split(',').map((name) => `DNS:${name}`), `IP:${ip}`];
  const { authority, certificate, key } = issueCertificates(folder, 'node', names);
  return {
    'certificates/ca.crt': authority,
    'certificates/node.crt': certificate,
    'certificates/node.key': key,
    'certificates/elastic_password': OPERATOR.password,
  };
}

describe('nodes with the certificates and the settings of the composition', function () {
  this.timeout(300_000);
  const one = servicesOf('docker-compose.yml')['elasticsearch'] ?? {};
  const cluster = servicesOf('docker-compose.cluster.yml');
  let folder: string;
  let files: Record<string, string>;
  let port: number;
  const engines = new Map<Name, LocalEngine>();

  before(async () => {
    folder = temporaryFolder('tls');
    const hosts = Object.entries({ ...ADDRESSES, localhost: '127.0.0.1' });
    files = {
      ...certificates(folder),
      hosts: hosts.map(([name, address]) => `${address} ${name}\n`).join(''),
    };
    port = await freePort();
    const user = unprivilegedUser();
    if (user) giveTo(user, folder);
  });
  after(async () => {
    await Promise.all([...engines.values()].map((engine) => engine.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: Name, more: Record<string, string> = {}): Promise<void> {
    const environment = { ...one.environment, ...cluster[name]?.environment };
    const taken = Object.entries(environment).filter(([setting]) =>
      /^(xpack\.security|cluster|discovery|node|network)\./.test(setting),
    );
    const seeds = environment['discovery.seed_hosts'] ?? '';
    const dataDir = join(folder, name);
    const engine = await startLocalElasticsearch({
      log: console.log,
      heap: '256m',
      dataDir,
      superuser: OPERATOR,
      files,
      transportPort: port,
      jvm: [`-Djdk.net.hosts.file=${join(dataDir, 'config', 'hosts')}`],
      settings: {
        ...Object.fromEntries(taken),
        'discovery.seed_hosts': seeds.split(',').map((seed) => `${seed}:${port}`),
        'network.bind_host': ADDRESSES[name],
        'http.host': '127.0.0.1',
        ...more,
      },
      ready: answers,
    });
    engines.set(name, engine);
  }

  const answers = (address: string) =>
    new Promise<boolean>((resolve) => {
      const ca = files['certificates/ca.crt'];
      const request = get(`https://${address}/`, { ca, agent: false }, (response) => {
        response.resume();
        resolve(true);
      });
      request.on('error', () => resolve(false));
    });

  /** Runs the health check of the Compose file, as the container would. */
  const isHealthy = async (name: Name): Promise<boolean> => {
    const test = (one.healthcheck?.test ?? '')
      .replaceAll('$$', '$')
      .replace('elastic:', `${OPERATOR.username}:`)
      .replace('localhost:9200', new URL(engines.get(name)?.url ?? '').host);
    return promisify(execFile)('sh', ['-c', test], { cwd: join(folder, name) }).then(
      () => true,
      () => false,
    );
  };

  it('form a cluster, while one that publishes an address stays out, and is not healthy', async () => {
    await Promise.all([
      start('elasticsearch'),
      start('elasticsearch-2'),
      start('elasticsearch-3', { 'network.publish_host': ADDRESSES['elasticsearch-3'] }),
    ]);
    const refused = () =>
      /No subject alternative names matching IP address/.test(
        readFileSync(join(folder, 'elasticsearch-3', 'output.log'), 'utf8'),
      );
    await until(async () => (await isHealthy('elasticsearch')) && (await isHealthy('elasticsearch-2')));
    await until(refused);
    const es = createElasticsearch(
      {
        nodes: [engines.get('elasticsearch')?.url ?? ''],
        auth: OPERATOR,
        caFile: join(folder, 'node-ca.crt'),
      },
      { requestTimeout: 30_000, maxRetries: 0 },
    );
    try {
      const { nodes } = await es.nodes.info({ filter_path: ['nodes.*.name', 'nodes.*.transport_address'] });
      assert.sameMembers(
        Object.values(nodes).map(({ name }) => name),
        ['elasticsearch', 'elasticsearch-2'],
      );
    } finally {
      await es.close();
    }
    assert.isFalse(await isHealthy('elasticsearch-3'), 'it knows of no master');
  });
});
