/** npm run keys -- create | list | revoke: the operator's keys, straight in Redis; see --help. */
import { once } from 'node:events';
import { KeyStore } from '../src/access/keys.js';
import { ENVIRONMENTS } from '../src/access/raw-key.js';
import { RedisBreaker } from '../src/access/redis-breaker.js';
import { TIER_NAMES } from '../src/access/tiers.js';
import type { Audit } from '../src/access/audit.js';
import { createRedis } from '../src/access/redis.js';
import { auditLog } from '../src/observability/audit.js';
import { readConfig } from '../src/config.js';
import { ApiError } from '../src/errors.js';
import { createLogger } from '../src/observability/logger.js';
import { commands, type Io, subcommand } from './shared/command.js';
import { readDemoState } from './shared/demo-state.js';
import { CommandError } from './shared/exit.js';
import { flag, needed, oneOf, preset, text } from './shared/options.js';
import { start } from './shared/start.js';

/** @returns what to print. */
type Work = (keys: KeyStore, now: Date, audit: Audit) => Promise<string>;

export const main = commands({
  name: 'keys',
  about: "The operator's keys, straight in Redis.",
  commands: {
    create: subcommand({
      about: 'make a key and print it, once',
      options: {
        developer: needed(text('ID', 'whose it is')),
        name: needed(text('NAME', 'what it is for')),
        tier: needed(oneOf(TIER_NAMES, 'how many requests a minute it may make')),
        environment: preset(oneOf(ENVIRONMENTS, 'which prefix it has; live by default'), 'live'),
      },
      run: ({ options: { developer, name, tier, environment } }, env, io) =>
        withKeys(env, io, create({ developerId: developer.trim(), name: name.trim(), tier, environment })),
    }),
    list: subcommand({
      about: 'all keys, newest first, without their secrets',
      options: { json: flag('as JSON') },
      run: ({ options }, env, io) => withKeys(env, io, list(options.json)),
    }),
    revoke: subcommand({
      about: 'refuse a key from its next request on',
      operands: {
        show: 'KEY_ID',
        max: 1,
        missing: 'revoke needs the id of a key: npm run keys -- list shows them',
      },
      options: {},
      run: ({ operands: [id = ''] }, env, io) => withKeys(env, io, revoke(id)),
    }),
  },
  notes: `Redis is the one of REDIS_URL, else that of a running demo, else redis://localhost:6379.
INDEX_PREFIX (catalog) must be that of the service. What is done is written to standard error as a line of the log,
as JSON with NODE_ENV=production.`,
});

function create(key: Parameters<KeyStore['create']>[0]): Work {
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

function list(json: boolean): Work {
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

function revoke(id: string): Work {
  return async (keys, now, audit) => {
    const key = await keys.revoke(id, now);
    if (key === null) throw new CommandError(`there is no key ${id}: npm run keys -- list shows them`);
    audit({ action: 'key-revoked', key }, 'command');
    return `Revoked ${id}.`;
  };
}

/** A command needs no secrets of the API. */
const VARIABLES = ['INDEX_PREFIX', 'REDIS_PASSWORD', 'REDIS_PASSWORD_FILE', 'REDIS_URL_FILE'];

async function withKeys(env: NodeJS.ProcessEnv, { out, err }: Io, work: Work): Promise<void> {
  const { redisUrl, indexPrefix } = readConfig({
    ...Object.fromEntries(VARIABLES.map((name) => [name, env[name]])),
    REDIS_URL: env['REDIS_URL'] || (env['REDIS_URL_FILE'] ? undefined : readDemoState()?.redisUrl),
  });
  const environment = env['NODE_ENV'] ?? 'development';
  const audit = auditLog(createLogger({ environment, logLevel: 'info' }, undefined, err));
  const redis = createRedis(redisUrl);
  try {
    // Rejects with the first error of the connection.
    await once(redis, 'ready');
    redis.on('error', () => undefined);
    out.write(`${await work(new KeyStore(new RedisBreaker(redis), indexPrefix), new Date(), audit)}\n`);
  } catch (error) {
    const reason = error instanceof ApiError ? error.cause : redis.status === 'ready' ? null : error;
    if (reason === null) throw error;
    const { host } = new URL(redisUrl);
    throw new CommandError(
      `cannot use Redis at ${host} (${(reason as Error).message}): start it, or set REDIS_URL`,
      { cause: error },
    );
  } finally {
    redis.disconnect();
  }
}

await start(import.meta.url, main);
