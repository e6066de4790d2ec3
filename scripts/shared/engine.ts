import { type Client, errors } from '@elastic/elasticsearch';
import { EngineUnavailableError } from '../../src/engine/errors.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { type Config, ConfigError, readConfig } from '../../src/platform/config/config.js';
import { fileVariable } from '../../src/platform/config/secret-files.js';
import { type DemoState, readDemoState } from './demo-state.js';
import { CommandError } from './exit.js';

/** The Elasticsearch that a command uses, and settings that belong to it. */
export interface CommandEngine {
  es: Client;
  indexPrefix: string;
  url: string;
  imageAllowedHosts: string[];
  /** The templates of AFFILIATE_URLS, by which loads recognize links of an export. */
  affiliateTemplates: Config['affiliateTemplates'];
  /** The path of the exchange rates, with which prices in different currencies are compared. */
  exchangeRatesFile: Config['exchangeRatesFile'];
  events: Config['events'];
  demo: DemoState | null;
}

/** The environment variables that commands read. They need no secrets of the service. */
const VARIABLES = [
  'ELASTICSEARCH_API_KEY',
  fileVariable('ELASTICSEARCH_API_KEY'),
  'ELASTICSEARCH_USERNAME',
  'ELASTICSEARCH_PASSWORD',
  fileVariable('ELASTICSEARCH_PASSWORD'),
  'ELASTICSEARCH_CA_FILE',
  'INDEX_PREFIX',
  'AFFILIATE_URLS',
  'EXCHANGE_RATES_FILE',
  'IMAGE_ALLOWED_HOSTS',
  'EVENTS_RETENTION',
  'EVENTS_MAX_SIZE',
];

/** Creates a client of the Elasticsearch of the environment, or of the running demo, or the default. */
export function connectEngine(env: NodeJS.ProcessEnv = process.env): CommandEngine {
  const demo = readDemoState();
  const config = readVariables({
    ...Object.fromEntries(VARIABLES.map((name) => [name, env[name]])),
    ELASTICSEARCH_URL: env['ELASTICSEARCH_URL'] || demo?.elasticsearchUrl,
    EVENTS: env['EVENTS'] || 'on',
  });
  const { elasticsearch, indexPrefix, imageAllowedHosts, affiliateTemplates, exchangeRatesFile, events } =
    config;
  return {
    es: createElasticsearch(elasticsearch, { requestTimeout: 60_000, maxRetries: 4 }),
    indexPrefix,
    url: elasticsearch.nodes.join(', '),
    imageAllowedHosts,
    affiliateTemplates,
    exchangeRatesFile,
    events,
    demo,
  };
}

function readVariables(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env);
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error;
  }
}

/** Checks that Elasticsearch can be used. @throws CommandError that states what to do if it cannot. */
export async function reachEngine({ es, url }: CommandEngine): Promise<void> {
  try {
    // Each node is tried only once, because a user who may have mistyped an address is waiting.
    await es.info({}, { maxRetries: es.connectionPool.size - 1, requestTimeout: 10_000 });
  } catch (error) {
    if (error instanceof errors.ResponseError && (error.statusCode === 401 || error.statusCode === 403)) {
      throw new CommandError(
        `Elasticsearch at ${url} does not let us in; set ELASTICSEARCH_API_KEY, or ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD.`,
      );
    }
    if (!(error instanceof errors.ElasticsearchClientError) || error instanceof errors.ResponseError)
      throw error;
    throw new CommandError(
      `Elasticsearch does not answer at ${url}. Start one with npm run demo or npm run services, or set ELASTICSEARCH_URL.`,
    );
  }
}

/** Converts an error of missing privileges to a message that names the required `role`, otherwise to null. */
export function explainForbidden(error: unknown, role: string): CommandError | null {
  if (!(error instanceof errors.ResponseError) || error.statusCode !== 403) return null;
  const { error: cause } = (error.body ?? {}) as { error?: { type?: string; reason?: string } };
  if (cause?.type !== 'security_exception') return null;
  return new CommandError(
    `Elasticsearch does not let this user do that: ${cause.reason ?? 'forbidden'}.\nSet ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD of a user with the role ${role}, which npm run engine-users makes, or of the superuser.`,
    { cause: error },
  );
}

/** Converts an error of Elasticsearch to a message without a stack. Other errors are returned unchanged. */
export function explainEngine(error: unknown, { url }: CommandEngine): unknown {
  const engines = error instanceof errors.ElasticsearchClientError || error instanceof EngineUnavailableError;
  if (!engines) return error;
  const message =
    error instanceof errors.ConnectionError ? `it does not answer (${error.message})` : error.message;
  return new CommandError(`Elasticsearch at ${url}: ${message}\nRun this again when it is back.`, {
    cause: error,
  });
}
