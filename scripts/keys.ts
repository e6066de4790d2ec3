/** npm run keys: manages API keys directly in Redis; see --help. */
import { storedRevocations } from '../src/engine/revocations.js';
import { type KeyRecord, SCOPE_PATTERN, ENVIRONMENTS } from '../src/platform/access/key.js';
import type { KeyStore } from '../src/platform/access/key-store.js';
import { NO_REVOCATIONS } from '../src/platform/access/known-keys.js';
import { parseInstant } from '../src/listing/instant.js';
import { TIER_NAMES } from '../src/platform/access/tiers.js';
import { toLine } from '../src/usecases/backups/key-lines.js';
import { type Audit, auditLog } from '../src/telemetry/audit.js';
import { createLogger } from '../src/telemetry/logger.js';
import { commands, type Io, subcommand } from './shared/command.js';
import { readDemoState } from './shared/demo-state.js';
import { connectEngine } from './shared/engine.js';
import { describeImport, importKeys } from './shared/key-file.js';
import { CommandError, EXIT, UsageError } from './shared/exit.js';
import { useKeys } from './shared/use-keys.js';
import { flag, needed, oneOf, parsed, preset, several, text, wholeNumber } from './shared/options.js';
import { recordEvents } from './shared/record-events.js';
import { start } from './shared/start.js';
import { textTable } from './shared/terminal.js';

/** The work of a subcommand. Returns the text to print and, if it is not 0, the exit code. */
type KeyCommand = (
  keys: KeyStore,
  now: Date,
  audit: Audit,
) => Promise<string | null | { text: string; code: number }>;

export const main = commands({
  name: 'keys',
  about: 'Manages API keys, directly in Redis.',
  commands: {
    create: subcommand({
      about: 'create a key and print it once',
      options: {
        developer: needed(text('ID', 'the developer who owns the key')),
        name: needed(text('NAME', 'what the key is for')),
        tier: needed(oneOf(TIER_NAMES, 'the rate limit of the key')),
        environment: preset(oneOf(ENVIRONMENTS, 'the environment in the prefix of the key'), 'live'),
        scope: several(
          parsed(
            'SCOPE',
            'write:SOURCE allows the key to load listings of SOURCE, review to decide which listings are the same product, aggregator that the sources belong to different shops (otherwise they are one owner); may be given several times',
            scope,
          ),
        ),
        expires: parsed('TIME', 'when the key expires, in ISO 8601; never by default', expiry),
      },
      run: ({ options: { developer, name, scope: scopes, expires, ...key } }, env, io) =>
        withKeys(env, io, async (keys, now, audit) => {
          const labels = { developerId: developer.trim(), name: name.trim() };
          const issued = await keys.create({ ...key, ...labels, scopes, expiresAt: expires ?? null }, now);
          audit({ action: 'key-created', key: issued.record }, 'command');
          return describeIssued(issued);
        }),
    }),
    list: subcommand({
      about: 'list all keys, newest first, without their secrets',
      options: { json: flag('print JSON') },
      run: ({ options: { json } }, env, io) =>
        withKeys(env, io, async (keys, now) => {
          const records = await keys.list(now);
          return json ? JSON.stringify(records, null, 2) : tableOf(records);
        }),
    }),
    rotate: subcommand({
      about: 'replace a key with a new one; the old key remains valid for a grace period',
      operands: { show: 'KEY_ID', missing: 'rotate needs the id of a key: npm run keys -- list shows them' },
      options: {
        grace: preset(
          wholeNumber('the grace period in seconds', { min: 0, max: 2_592_000 }, 'SECONDS'),
          86_400,
        ),
      },
      run: ({ options: { grace }, operands: [id = ''] }, env, io) =>
        withKeys(env, io, async (keys, now, audit) => {
          const rotated = await keys.rotate(id, grace, now);
          if (rotated === null)
            throw new CommandError(`there is no usable key ${id}: npm run keys -- list shows them`);
          audit({ action: 'key-rotated', key: rotated.record, replaces: id }, 'command');
          return `${describeIssued(rotated)}\nThe old key is refused from ${rotated.oldExpiresAt} on.`;
        }),
    }),
    revoke: subcommand({
      about: 'revoke a key; its next request is refused',
      operands: { show: 'KEY_ID', missing: 'revoke needs the id of a key: npm run keys -- list shows them' },
      options: {},
      run: ({ operands: [id = ''] }, env, io) =>
        withKeys(env, io, async (keys, now, audit) => {
          const key = await keys.revoke(id, now);
          if (key === null) throw new CommandError(`there is no key ${id}: npm run keys -- list shows them`);
          audit({ action: 'key-revoked', key }, 'command');
          return `Revoked ${id}.`;
        }),
    }),
    export: subcommand({
      about: 'write all keys as NDJSON for another Redis; the file contains hashes, no raw keys',
      options: {},
      run: (_given, env, io) =>
        withKeys(env, io, async (keys, now) => {
          const all = await keys.export(now);
          return all.length === 0 ? null : all.map(toLine).join('\n');
        }),
    }),
    import: subcommand({
      about: 'import a file that export wrote (- for standard input); importing it again changes nothing',
      operands: { show: 'FILE', missing: 'import needs the file that export wrote, or -' },
      options: { dryRun: flag('only report what would change') },
      run: ({ options: { dryRun }, operands: [file = '-'] }, env, io) =>
        withKeys(env, io, async (keys, now, audit) => {
          const imported = await importKeys(keys, { file, stdin: io.stdin, now, write: !dryRun }, audit);
          for (const { line, text } of imported.notes) io.err.write(`line ${line}: ${text}\n`);
          const isWhole = imported.notes.every(({ refused }) => !refused);
          return { text: describeImport(imported, !dryRun), code: isWhole ? EXIT.done : EXIT.rejected };
        }),
    }),
  },
  notes: `The tiers are ${TIER_NAMES.join(', ')}.

Redis is the one at REDIS_URL, else that of a running demo, else redis://localhost:6379. INDEX_PREFIX (catalog) must be
that of the service. Each change is logged to standard error (as JSON with NODE_ENV=production), and recorded in
<prefix>-audit in the Elasticsearch at ELASTICSEARCH_URL, else that of a running demo, unless EVENTS is off. If it cannot
be recorded, a warning is printed. Revocations are recorded in <prefix>-revocations first; without Elasticsearch, an
instance that knows a key may serve it for up to 12 hours while Redis is away.

import does not change a key that exists already, except that it revokes the key, or sets an earlier expiry, if the file
says so. Invalid lines are skipped and reported. The rate limit counters of the current minute start again from zero.`,
  exits: { rejected: 'imported, except for the refused lines' },
});

function scope(given: string, option: string): string {
  if (new RegExp(SCOPE_PATTERN).test(given)) return given;
  throw new UsageError(
    `${option} must be review or aggregator, or have the form write:SOURCE, such as write:shop_a, not "${given}"`,
  );
}

function expiry(given: string, option: string): string {
  const ms = parseInstant(given);
  if (ms !== null && ms > Date.now()) return new Date(ms).toISOString();
  throw new UsageError(`${option} must be a future time in ISO 8601, not "${given}"`);
}

const describeIssued = ({ record, rawKey }: { record: KeyRecord; rawKey: string }): string =>
  [
    `key id   ${record.id}`,
    `tier     ${record.tier}`,
    `raw key  ${rawKey}`,
    'Store the raw key securely now: it is not stored here and cannot be displayed again.',
  ].join('\n');

function tableOf(records: readonly KeyRecord[]): string {
  if (records.length === 0) return 'No keys yet.';
  const rows = records.map((record) => [
    record.id,
    record.tier,
    record.environment,
    record.createdAt,
    stateOf(record),
    printable(`${record.developerId}: ${record.name}`),
  ]);
  return textTable([['key id', 'tier', 'environment', 'created', 'state', 'developer: name'], ...rows]);
}

function stateOf({ revokedAt, expiresAt = null, scopes = [] }: KeyRecord): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return ['usable', ...scopes.map(printable), ...(expiresAt === null ? [] : [`until ${expiresAt}`])].join(
    ' ',
  );
}

/** Replaces control characters: names come from clients and must not move the cursor of the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\ufffd');

async function withKeys(env: NodeJS.ProcessEnv, { out, err }: Io, work: KeyCommand): Promise<number> {
  const environment = env['NODE_ENV'] ?? 'development';
  const documents: Record<string, unknown>[] = [];
  const audit = auditLog(createLogger({ environment, logLevel: 'info' }, undefined, err), {
    environment,
    now: () => new Date(),
    write: (_at, document) => documents.push(document),
  });
  const engine = env['ELASTICSEARCH_URL'] || readDemoState() !== null ? connectEngine(env) : null;
  const revocations =
    engine === null
      ? NO_REVOCATIONS
      : storedRevocations(engine.es.child({ requestTimeout: 30_000, maxRetries: 1 }), engine.indexPrefix);
  const run = async (keys: KeyStore): Promise<number> => {
    const done = await work(keys, new Date(), audit);
    const result = typeof done === 'object' && done !== null ? done : { text: done, code: EXIT.done };
    if (result.text !== null) out.write(`${result.text}\n`);
    // A failure is only reported, because the keys are changed already.
    if (engine !== null) await recordEvents('audit', engine, documents, new Date(), err);
    else if (documents.length > 0)
      err.write('This is not recorded in Elasticsearch: ELASTICSEARCH_URL is not set.\n');
    return result.code;
  };
  return useKeys(env, run, revocations).finally(() => engine?.es.close());
}

await start(import.meta.url, main);
