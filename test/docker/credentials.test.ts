import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { parse } from 'yaml';
import { SECRETS } from '../../src/platform/config/secret-files.js';

/** The secrets of each process in every deployment. Others serve single choices, such as Redis Sentinel. */
const CREDENTIALS = {
  api: ['ADMIN_SECRET', 'ELASTICSEARCH_PASSWORD', 'JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'REDIS_PASSWORD'],
  alerts: ['ELASTICSEARCH_PASSWORD', 'JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'REDIS_PASSWORD'],
};
const BY_CHOICE = [
  'ELASTICSEARCH_API_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_URL',
];

const read = (path: string) => readFileSync(path, 'utf8');

/** The secrets whose file a text names. */
const namedIn = (text: string): string[] =>
  SECRETS.filter((name) => new RegExp(`\\b${name}_FILE\\b`).test(text)).toSorted();

describe('the credentials of a deployment', () => {
  const { services } = parse(read('docker-compose.yml')) as {
    services: Record<keyof typeof CREDENTIALS, { environment: object }>;
  };
  const chart = 'charts/product-catalogue/templates';
  const shared = /define "catalogue\.env".*?\{\{- end \}\}/s.exec(read(`${chart}/_helpers.tpl`))?.[0] ?? '';
  const deployments = {
    'the units': (name: string) =>
      read(`docker/systemd/catalogue${name === 'api' ? '@' : `-${name}`}.service`),
    'the compose file': (name: keyof typeof CREDENTIALS) => JSON.stringify(services[name].environment),
    'the chart': (name: string) => shared + read(`${chart}/${name === 'api' ? 'api' : 'workers'}.yaml`),
  };

  it('are all secrets of the configuration', () => {
    assert.sameMembers([...CREDENTIALS.api, ...BY_CHOICE], [...SECRETS]);
    const documented = read('docs/configuration.md');
    for (const name of SECRETS) assert.include(documented, `\`${name}_FILE\``);
  });

  for (const [deployment, textOf] of Object.entries(deployments))
    it(`are passed as files by ${deployment}`, () => {
      for (const name of ['api', 'alerts'] as const) {
        const named = namedIn(textOf(name)).filter((secret) => !BY_CHOICE.includes(secret));
        assert.deepEqual(named, CREDENTIALS[name], name);
      }
    });

  it('exist before the units start', () => {
    const documented = read('docs/operations.md');
    for (const unit of ['catalogue@', 'catalogue-alerts'])
      for (const [, file = ''] of read(`docker/systemd/${unit}.service`).matchAll(
        /^LoadCredential=\w+:.*\/(.*)$/gm,
      ))
        assert.include(documented, `\`${file}\``);
  });
});
