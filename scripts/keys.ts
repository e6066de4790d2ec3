/** npm run keys -- create | list | revoke: the operator's keys, straight in Redis; see --help. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { KeyStore } from '../src/access/keys.js';
import { ENVIRONMENTS } from '../src/access/raw-key.js';
import { RedisBreaker } from '../src/access/redis-breaker.js';
import { TIER_NAMES } from '../src/access/tiers.js';
import type { Audit } from '../src/access/audit.js';
import { createRedis } from '../src/access/redis.js';
import { auditLog } from '../src/observability/audit.js';
import { ConfigError, readConfig } from '../src/config.js';
import { ApiError } from '../src/errors.js';
import { createLogger } from '../src/observability/logger.js';
import { readDemoState } from './shared/demo-state.js';

const HELP = `npm run keys -- COMMAND

  create --developer ID --name NAME --tier TIER [--environment live|test]
                    make a key and print it, once; tiers: ${TIER_NAMES.join(', ')}
  list [--json]     all keys, newest first, without their secrets
  revoke KEY_ID     refuse a key from its next request on

Redis is the one of REDIS_URL, else that of a running demo, else redis://localhost:6379.
INDEX_PREFIX (catalog) must be that of the service. What is done is written to standard error as a line of the log,
as JSON with NODE_ENV=production.
Exit code: 0 done, 1 failed, 2 wrong use.
`;

/** The command line makes no sense; the message says what would. */
class UsageError extends Error {}

/** Parsed before Redis is asked: what to do with the keys, and what to print. */
type Command = (keys: KeyStore, now: Date, audit: Audit) => Promise<string>;

const OPTIONS: Record<string, string[]> = {
  create: ['developer', 'name', 'tier', 'environment'],
  list: ['json'],
  revoke: [],
};

function parse(args: string[]): Command | 'help' {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      developer: { type: 'string' },
      name: { type: 'string' },
      tier: { type: 'string' },
      environment: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  const [command, ...rest] = positionals;
  const allowed = OPTIONS[command ?? ''];
  if (allowed === undefined)
    throw new UsageError(`say what to do: create, list or revoke${command ? `, not "${command}"` : ''}`);
  const stray = Object.keys(values).find((option) => !allowed.includes(option));
  if (stray !== undefined) throw new UsageError(`${command} has no option --${stray}`);
  const [id, ...more] = command === 'revoke' ? rest : [undefined, ...rest];
  if (more[0] !== undefined) throw new UsageError(`${command} does not know what to do with "${more[0]}"`);

  switch (command) {
    case 'create':
      return create({
        developerId: required('developer', values.developer),
        name: required('name', values.name),
        tier: oneOf('tier', required('tier', values.tier), TIER_NAMES),
        environment: oneOf('environment', values.environment ?? 'live', ENVIRONMENTS),
      });
    case 'list':
      return list(values.json ?? false);
    default:
      if (id === undefined)
        throw new UsageError('revoke needs the id of a key: npm run keys -- list shows them');
      return revoke(id);
  }
}

function required(option: string, value: string | undefined): string {
  const text = value?.trim();
  if (!text) throw new UsageError(`create needs --${option}`);
  return text;
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new UsageError(`--${option} must be one of ${allowed.join(', ')}, not "${value}"`);
  return found;
}

function create(key: Parameters<KeyStore['create']>[0]): Command {
  return async (keys, now, audit) => {
    const { record, rawKey } = await keys.create(key, now);
    audit({ action: 'key-created', key: record }, 'command');
    return [
      `key id   ${record.id}`,
      `tier     ${record.tier}`,
      `raw key  ${rawKey}`,
      'Store the raw key securely now: it is not kept and cannot be shown again.',
    ].join('\n');
  };
}

function list(json: boolean): Command {
  return async (keys) => {
    const records = await keys.list();
    if (json) return JSON.stringify(records, null, 2);
    if (records.length === 0) return 'No keys yet.';
    const rows = records.map((record) => [
      record.id,
      record.tier,
      record.environment,
      record.createdAt,
      record.revokedAt === null ? 'usable' : `revoked ${record.revokedAt}`,
      printable(`${record.developerId}: ${record.name}`),
    ]);
    return table([['key id', 'tier', 'environment', 'created', 'state', 'developer: name'], ...rows]);
  };
}

/** Names come from clients: what they hold must not move the cursor. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\ufffd');

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function revoke(id: string): Command {
  return async (keys, now, audit) => {
    const key = await keys.revoke(id, now);
    if (key === null) throw new Error(`there is no key ${id}: npm run keys -- list shows them`);
    audit({ action: 'key-revoked', key }, 'command');
    return `Revoked ${id}.`;
  };
}

/** A command needs no secrets of the API. */
const VARIABLES = ['INDEX_PREFIX', 'REDIS_PASSWORD', 'REDIS_PASSWORD_FILE', 'REDIS_URL_FILE'];

async function run(command: Command): Promise<string> {
  const { redisUrl, indexPrefix } = readConfig({
    ...Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]])),
    REDIS_URL:
      process.env['REDIS_URL'] || (process.env['REDIS_URL_FILE'] ? undefined : readDemoState()?.redisUrl),
  });
  const environment = process.env['NODE_ENV'] ?? 'development';
  const audit = auditLog(createLogger({ environment, logLevel: 'info' }, undefined, 'stderr'));
  const redis = createRedis(redisUrl);
  try {
    // Rejects with the first error of the connection.
    await once(redis, 'ready');
    redis.on('error', () => undefined);
    return await command(new KeyStore(new RedisBreaker(redis), indexPrefix), new Date(), audit);
  } catch (error) {
    const reason = error instanceof ApiError ? error.cause : redis.status === 'ready' ? null : error;
    if (reason === null) throw error;
    const { host } = new URL(redisUrl);
    throw new Error(
      `cannot use Redis at ${host} (${(reason as Error).message}): start it, or set REDIS_URL`,
      {
        cause: error,
      },
    );
  } finally {
    redis.disconnect();
  }
}

try {
  const command = parse(process.argv.slice(2));
  console.log(command === 'help' ? HELP.trimEnd() : await run(command));
} catch (error) {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const misused =
    error instanceof UsageError || error instanceof ConfigError || code.startsWith('ERR_PARSE_ARGS');
  console.error(`keys: ${message}${misused ? '\nnpm run keys -- --help says more.' : ''}`);
  process.exitCode = misused ? 2 : 1;
}
