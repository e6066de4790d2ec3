import { type Client, errors } from '@elastic/elasticsearch';
import { EngineUnavailableError } from '../../src/engine/errors.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { schemaVersionOf } from '../../src/engine/index-versions.js';
import { productsAlias } from '../../src/engine/indices.js';
import { PICTURES_SCHEMA } from '../../src/listing/schema-versions.js';
import { type Config, ConfigError, readConfig } from '../../src/platform/config/config.js';
import { fileVariable } from '../../src/platform/config/secret-files.js';
import { PictureFolder } from '../../src/platform/pictures.js';
import { type Io, notice } from './command.js';
import { type DemoState, readDemoState } from './demo-state.js';
import { CommandError } from './exit.js';

/** The part of `--help` that states which Elasticsearch and which catalogue a command uses. */
export const ENGINE_HELP = `Elasticsearch is the one at ELASTICSEARCH_URL, otherwise that of a running demo, otherwise
http://localhost:9200. INDEX_PREFIX (catalog) must be that of the service`;

export interface CommandEngine extends Pick<
  Config,
  | 'indexPrefix'
  | 'indexLayout'
  | 'publicUrl'
  | 'webhookAllowedHosts'
  | 'changesRetentionDays'
  | 'webhookSecretKeys'
  | 'imageAllowedHosts'
  | 'pictures'
  | 'affiliateTemplates'
  | 'exchangeRatesFile'
  | 'events'
> {
  es: Client;
  url: string;
  demo: DemoState | null;
}

/** The environment variables that commands read. Only `npm run alerts` needs a secret of the service. */
const VARIABLES = [
  'ELASTICSEARCH_API_KEY',
  fileVariable('ELASTICSEARCH_API_KEY'),
  'ELASTICSEARCH_USERNAME',
  'ELASTICSEARCH_PASSWORD',
  fileVariable('ELASTICSEARCH_PASSWORD'),
  'ELASTICSEARCH_CA_FILE',
  'INDEX_PREFIX',
  'INDEX_SHARDS',
  'INDEX_REPLICAS',
  'AFFILIATE_URLS',
  'PUBLIC_URL',
  'EXCHANGE_RATES_FILE',
  'IMAGE_ALLOWED_HOSTS',
  'PICTURES_FOLDER',
  'PICTURES_MAX_SIZE',
  'WEBHOOK_ALLOWED_HOSTS',
  'CHANGES_RETENTION',
  'MARKETS',
  'JWT_SECRET',
  fileVariable('JWT_SECRET'),
  'JWT_SECRET_PREVIOUS',
  fileVariable('JWT_SECRET_PREVIOUS'),
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
  return {
    ...config,
    es: createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 4 }),
    url: config.elasticsearch.nodes.join(', '),
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

export async function reachEngine({ es, url }: CommandEngine): Promise<void> {
  try {
    // Each node is tried only once, because a user who may have mistyped an address is waiting.
    await es.info({}, { maxRetries: es.connectionPool.size - 1, requestTimeout: 10_000 });
  } catch (error) {
    if (error instanceof errors.ResponseError && (error.statusCode === 401 || error.statusCode === 403)) {
      throw new CommandError(
        `Elasticsearch at ${url} rejects the credentials; set ELASTICSEARCH_API_KEY, or ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD.`,
      );
    }
    if (!(error instanceof errors.ElasticsearchClientError) || error instanceof errors.ResponseError)
      throw error;
    throw new CommandError(
      `Elasticsearch does not respond at ${url}. Start one with npm run demo or npm run services, or set ELASTICSEARCH_URL.`,
    );
  }
}

/** Converts an error of missing privileges to a message that names the required `role`, otherwise to null. */
export function explainForbidden(error: unknown, role: string): CommandError | null {
  if (!(error instanceof errors.ResponseError) || error.statusCode !== 403) return null;
  const { error: cause } = (error.body ?? {}) as { error?: { type?: string; reason?: string } };
  if (cause?.type !== 'security_exception') return null;
  return new CommandError(
    `This Elasticsearch user lacks a privilege: ${cause.reason ?? 'forbidden'}.\nSet ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD of a user with the role ${role}, which npm run engine-users creates, or of the superuser.`,
    { cause: error },
  );
}

export const isEngineError = (error: unknown): error is Error =>
  error instanceof errors.ElasticsearchClientError || error instanceof EngineUnavailableError;

/** Converts an error of Elasticsearch to a message without a stack. Other errors are returned unchanged. */
export function explainEngine(error: unknown, { url }: CommandEngine): unknown {
  if (!isEngineError(error)) return error;
  const message =
    error instanceof errors.ConnectionError ? `it does not respond (${error.message})` : error.message;
  const text = `Elasticsearch at ${url}: ${message}\nRun this again when it is back.`;
  return new CommandError(text, { cause: error });
}

/** Runs work with an Elasticsearch client. `explain` turns an error into one that states what to do. */
export async function withEngine<Result>(
  env: NodeJS.ProcessEnv,
  work: (engine: CommandEngine) => Promise<Result>,
  explain: (error: unknown, engine: CommandEngine) => unknown = explainEngine,
): Promise<Result> {
  const engine = connectEngine(env);
  try {
    await reachEngine(engine);
    return await work(engine);
  } catch (error) {
    throw explain(error, engine);
  } finally {
    await engine.es.close();
  }
}

/** Runs work that follows a load. If it fails, a warning is printed and the load still succeeds. */
export async function afterLoad(
  env: NodeJS.ProcessEnv,
  io: Io,
  work: (engine: CommandEngine) => Promise<void>,
  describeFailure: (reason: string) => string,
): Promise<void> {
  const engine = connectEngine(env);
  try {
    await work(engine);
  } catch (error) {
    if (!io.signal.aborted) notice(io, describeFailure((error as Error).message));
  } finally {
    await engine.es.close();
  }
}

/** Opens the folder of stored pictures; null if the operator names none, or if the index cannot have them yet. */
export async function openPictures(
  { es, pictures }: Pick<CommandEngine, 'es' | 'pictures'>,
  index: string,
): Promise<PictureFolder | null> {
  if (pictures === null || (await schemaVersionOf(es, index)) < PICTURES_SCHEMA) return null;
  return PictureFolder.open(pictures, new Date());
}

/** Returns the alias of the product index. @throws CommandError if the alias does not exist. */
export async function catalogueOf({
  es,
  indexPrefix,
}: Pick<CommandEngine, 'es' | 'indexPrefix'>): Promise<string> {
  const products = productsAlias(indexPrefix);
  if (!(await es.indices.existsAlias({ name: products })))
    throw new CommandError(`There is no catalogue ${products}; load one first.`);
  return products;
}
