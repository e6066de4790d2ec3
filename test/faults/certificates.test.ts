// Chaos only (engines, 2 min): it starts an engine of its own.
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { assert } from 'chai';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import {
  issueCertificates,
  type LocalEngine,
  presentedAuthority,
  startLocalElasticsearch,
} from '../../tools/local-services/index.js';
import { elasticsearchHome } from '../../tools/local-services/elasticsearch-home.js';
import { findJdk } from '../../tools/local-services/jdk.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import * as drill from './redis-drill.js';
import { keepReading, type Reads } from './traffic.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };

/**
 * These tests were seen to fail when the service read the CA file only once, because the new certificates
 * were then rejected until a restart.
 */
describe('the certificates of Elasticsearch', function () {
  this.timeout(300_000);
  const prefix = drill.drillPrefix();
  let folder: string;
  let engine: LocalEngine;
  let proxy: Proxy;
  let api: drill.Instance;
  let key: string;
  const user = unprivilegedUser();

  const pem = (file: string) => readFileSync(join(folder, file), 'utf8');
  const trust = (...names: string[]) => {
    writeFileSync(join(folder, 'trusted.crt'), names.map((name) => pem(`${name}-ca.crt`)).join(''));
  };

  /** Gives the node another certificate, which Elasticsearch loads without a restart. */
  async function present(name: string): Promise<void> {
    for (const kind of ['key', 'crt'])
      copyFileSync(
        join(folder, `${name}.${kind}`),
        join(folder, 'node', 'config', 'certificates', `node.${kind}`),
      );
    await until(async () => (await presentedAuthority(engine.url)) === name);
  }

  /** Closes the connections of the service to Elasticsearch, so that it opens new ones. */
  async function cutConnections(): Promise<void> {
    await proxy.set('slow');
    await proxy.set('up');
  }

  before(async () => {
    folder = temporaryFolder('certificates');
    for (const name of ['first', 'second', 'third']) issueCertificates(folder, name);
    trust('first');
    if (user) giveTo(user, folder);
    engine = await startLocalElasticsearch({
      log: () => undefined,
      heap: '512m',
      dataDir: join(folder, 'node'),
      superuser: OPERATOR,
      files: { 'certificates/node.key': pem('first.key'), 'certificates/node.crt': pem('first.crt') },
      settings: {
        'xpack.security.http.ssl.enabled': true,
        'xpack.security.http.ssl.key': 'certificates/node.key',
        'xpack.security.http.ssl.certificate': 'certificates/node.crt',
      },
    });
    proxy = await startProxy(engine.url, { slowMs: 0 });
    const redis = await drill.connect(redisUrl);
    [key = ''] = await drill.issueKeys(redis, prefix, 1);
    redis.disconnect();
    api = await drill.startInstance({
      REDIS_URL: redisUrl,
      INDEX_PREFIX: prefix,
      ELASTICSEARCH_URL: proxy.url,
      ELASTICSEARCH_USERNAME: OPERATOR.username,
      ELASTICSEARCH_PASSWORD: OPERATOR.password,
      ELASTICSEARCH_CA_FILE: join(folder, 'trusted.crt'),
    });
  });
  after(async () => {
    await api.stop();
    await proxy.close();
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const read = (): Reads =>
    keepReading({ readers: 2, urls: [api.url], paths: ['/v1/search?q=a', '/v1/categories'], keys: [key] });
  const goOn = async (reads: Reads, more = 40) => {
    const before = reads.count;
    await until(() => reads.count >= before + more);
  };

  it('are changed, and the authority with them, in three steps in which no request fails', async () => {
    const reads = read();
    try {
      for (const step of [
        () => Promise.resolve(trust('first', 'second')),
        () => present('second'),
        () => Promise.resolve(trust('second')),
      ]) {
        await step();
        await cutConnections();
        await goOn(reads);
      }
    } finally {
      await reads.stop();
    }
    assert.deepEqual(reads.failures, [], api.warnings);
    const ends = await api.metric('catalog_engine_certificate_expiry_seconds');
    assert.approximately(ends ?? 0, Date.now() / 1_000 + 2 * 86_400, 600);
    assert.equal(await api.metric('catalog_engine_tls_failures_total'), 0);
  });

  it('are refused unless the CA file contains their authority, and accepted without a restart once it does', async () => {
    await present('third');
    await cutConnections();
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${api.url}/v1/search?q=a`, { headers })).status;
    };
    await until(async () => (await ask()) === 503);
    await until(() => drill.warnings(api, 'does not vouch for') > 0);
    for (let i = 0; i < 10; i += 1) assert.equal(await ask(), 503);
    assert.equal(drill.warnings(api, 'does not vouch for'), 1, 'it is told once');
    assert.isAbove((await api.metric('catalog_engine_tls_failures_total')) ?? 0, 0);
    trust('third');
    await until(async () => (await ask()) === 200);
  });

  it('are still verified with the last file that could be used when it is replaced by garbage', async () => {
    writeFileSync(join(folder, 'trusted.crt'), pem('third-ca.crt').slice(0, 200));
    await cutConnections();
    const reads = read();
    await goOn(reads);
    await reads.stop();
    assert.deepEqual(reads.failures, [], api.warnings);
    assert.equal(drill.warnings(api, 'the authorities from before stay'), 1, api.warnings);
  });
});

/**
 * This test was seen to fail when the authority was removed although the nodes still used a certificate of
 * it.
 */
describe('docker/prepare.sh', function () {
  let root: string;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    root = temporaryFolder('prepare');
    for (const folder of ['certificates', 'authority', 'snapshots', 'run/secrets'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'run/secrets/elastic_password'), 'a-password');
    writeFileSync(join(root, 'elasticsearch.yml'), '');
    const certutil = join(root, 'certutil');
    // Starts certutil as the launcher of the distribution does, because the packages from Maven have no
    // launcher.
    const home = await elasticsearchHome(() => undefined);
    const properties = {
      'cli.name': '',
      'cli.script': 'bin/elasticsearch-certutil',
      'cli.libs': 'modules/x-pack-core,modules/x-pack-security,lib/tools/security-cli',
      'es.path.home': home,
      'es.path.conf': root,
      'es.distribution.type': 'tar',
    };
    const options = Object.entries(properties).map(([name, value]) => `'-D${name}=${value}'`);
    const java = `'${join(findJdk().home, 'bin', 'java')}' -Xmx64m -XX:+UseSerialGC ${options.join(' ')}`;
    writeFileSync(
      certutil,
      `#!/bin/sh\nexec ${java} -cp '${home}/lib/*:${home}/lib/cli-launcher/*' org.elasticsearch.launcher.CliToolLauncher "$@"\n`,
      { mode: 0o755 },
    );
    environment = { ...process.env, PREPARE_ROOT: root, PREPARE_CERTUTIL: certutil };
  });
  after(() => rm(root, { recursive: true, force: true }));

  const prepare = (...args: string[]) => {
    const { status, stderr } = spawnSync('bash', ['docker/prepare.sh', ...args], {
      env: environment,
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  const certificate = () => new X509Certificate(readFileSync(join(root, 'certificates/node.crt')));
  /** Those that clients trust. */
  const authorities = () =>
    (
      readFileSync(join(root, 'authority/ca.crt'), 'utf8').match(
        /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g,
      ) ?? []
    ).map((pem) => new X509Certificate(pem));
  /** Returns for each trusted authority whether it signed the certificate of the nodes. */
  const vouching = () => authorities().map(({ publicKey }) => certificate().verify(publicKey));

  it('makes the certificates once', () => {
    assert.deepEqual(prepare(), { status: 0, stderr: '' });
    assert.deepEqual(vouching(), [true]);
    const { serialNumber } = certificate();
    assert.deepEqual(prepare(), { status: 0, stderr: '' });
    assert.equal(certificate().serialNumber, serialNumber);
  });

  it('renews the certificate, and changes the authority step by step', () => {
    const { serialNumber } = certificate();
    assert.equal(prepare('renew').status, 0);
    assert.notEqual(certificate().serialNumber, serialNumber);
    assert.deepEqual(vouching(), [true]);

    assert.equal(prepare('add-authority').status, 0);
    assert.deepEqual(vouching(), [true, false]);
    const early = prepare('remove-authority');
    assert.equal(early.status, 1);
    assert.include(early.stderr, 'renew first');
    assert.equal(prepare('renew').status, 0);
    assert.deepEqual(vouching(), [false, true]);
    assert.equal(prepare('remove-authority').status, 0);
    assert.deepEqual(vouching(), [true]);
  });

  it('describes its options', () => {
    const { status, stderr } = prepare('nonsense');
    assert.equal(status, 1);
    assert.include(stderr, 'renew, add-authority or remove-authority');
  });
});
