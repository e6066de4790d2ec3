import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { parseInstant } from '../../src/listing/instant.js';
import { type Audit, ENVIRONMENTS, SCOPE_PATTERN, type StoredKey } from '../../src/platform/access/key.js';
import type { KeyStore } from '../../src/platform/access/key-store.js';
import { TIER_NAMES } from '../../src/platform/access/tiers.js';
import { formatCount } from '../../src/text/quantities.js';
import { CommandError } from './exit.js';
import { fromCaller, linesOf } from './terminal.js';

/** A raw API key anywhere in a text. Key files and messages must never contain one. */
const RAW_KEY = /svc_(?:live|test)_[A-Za-z0-9_-]{48,128}/g;

const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$' });
const Label = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

const LineSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    developerId: Label,
    name: Label,
    tier: Type.Enum([...TIER_NAMES]),
    environment: Type.Enum([...ENVIRONMENTS]),
    scopes: Type.Array(Type.String({ pattern: SCOPE_PATTERN, maxLength: 70 }), { maxItems: 20 }),
    createdAt: Instant,
    expiresAt: Type.Union([Instant, Type.Null()]),
    revokedAt: Type.Union([Instant, Type.Null()]),
  },
  { additionalProperties: false },
);

const WANTED: Record<string, string> = {
  id: 'must be a UUID',
  hash: 'must be a SHA-256 in 64 hex digits',
  createdAt: 'must be a time in UTC',
  expiresAt: 'must be a time in UTC, or null',
  revokedAt: 'must be a time in UTC, or null',
};

const validate = new Ajv2020({ allErrors: true, strict: false }).compile<StoredKey>(LineSchema);

/** Formats a key as a line of a key file, with its hash instead of the raw key. */
export function toLine(key: StoredKey): string {
  const { id, hash, developerId, name, tier, environment, scopes = [], createdAt } = key;
  const { expiresAt = null, revokedAt } = key;
  const fields = { id, hash, developerId, name, tier, environment, scopes, createdAt };
  const line = JSON.stringify({ ...fields, expiresAt, revokedAt });
  // Raw keys are replaced in the whole line, because a user may have entered a raw key as the name of a key.
  return line.replaceAll(RAW_KEY, '[redacted]');
}

/** Parses a line of a key file. Error messages do not quote the line, which may contain a secret. */
function fromLine(line: string): { key: StoredKey } | { wrong: string[] } {
  if (line.search(RAW_KEY) >= 0) return { wrong: ['contains a raw key, which no key file may contain'] };
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return { wrong: ['is not JSON'] };
  }
  if (!validate(record)) return { wrong: [...new Set((validate.errors ?? []).map(inWords))] };
  const times = (['createdAt', 'expiresAt', 'revokedAt'] as const).filter((field) => {
    const time = record[field];
    return typeof time === 'string' && parseInstant(time) === null;
  });
  return times.length > 0 ? { wrong: times.map((field) => `${field} ${WANTED[field]}`) } : { key: record };
}

function inWords({ instancePath, keyword, message = '', params }: ErrorObject): string {
  const [, field = '', ...within] = instancePath.split('/');
  if (keyword === 'required') return `${params['missingProperty']} is missing`;
  if (keyword === 'additionalProperties') return 'has an unknown property';
  if (field === '') return 'is not a JSON object';
  if (keyword === 'enum') return `${field} must be one of ${params['allowedValues'].join(', ')}`;
  if (within.length > 0) return `${field} must be review or aggregator, or have the form write:SOURCE`;
  return `${field} ${WANTED[field] ?? message}`;
}

export interface KeyImport {
  added: number;
  /** The number of existing keys that were revoked, or got an earlier expiry, because the file says so. */
  ended: number;
  unchanged: number;
  /** Lines of the key file that were refused or only partly applied, with the reasons. */
  notes: { line: number; text: string; refused: boolean }[];
}

/** Imports the keys of a file that `keys export` wrote. Invalid lines are reported and skipped. */
export async function importKeys(
  keys: KeyStore,
  { file, stdin, now, write }: { file: string; stdin: Readable; now: Date; write: boolean },
  audit: Audit,
): Promise<KeyImport> {
  const { good, notes } = await readKeys(file, stdin);
  const result: KeyImport = { added: 0, ended: 0, unchanged: 0, notes };
  const lines = good.map(({ line }) => line).values();
  const found = good.map(({ key }) => key);
  for await (const restored of keys.import(found, now, write)) {
    const line = lines.next().value ?? 0;
    if (restored.outcome === 'taken') {
      const text = `another key (${restored.by}) already has its id or its hash`;
      notes.push({ line, text, refused: true });
    } else if (restored.outcome === 'differs') {
      result.unchanged += 1;
      const text = `already exists with another ${restored.fields.join(', ')}, which is kept`;
      notes.push({ line, text, refused: false });
    } else result[restored.outcome] += 1;
    if (write && restored.outcome === 'added')
      audit({ action: 'key-imported', key: restored.key }, 'command');
    if (write && restored.outcome === 'ended') audit({ action: 'key-revoked', key: restored.key }, 'command');
  }
  notes.sort((a, b) => a.line - b.line);
  return result;
}

async function readKeys(
  file: string,
  stdin: Readable,
): Promise<{ good: { line: number; key: StoredKey }[]; notes: KeyImport['notes'] }> {
  const good: { line: number; key: StoredKey }[] = [];
  const notes: KeyImport['notes'] = [];
  const lineOf = new Map<string, number>();
  let line = 0;
  const input = file === '-' ? stdin : createReadStream(fromCaller(file));
  for await (const content of linesOf(file, input)) {
    line += 1;
    if (content.trim() === '') continue;
    const read = fromLine(content);
    const earlier = 'key' in read ? (lineOf.get(read.key.id) ?? lineOf.get(read.key.hash)) : undefined;
    if ('wrong' in read) notes.push({ line, text: read.wrong.join('; '), refused: true });
    else if (earlier !== undefined)
      notes.push({ line, text: `line ${earlier} already has its id or its hash`, refused: true });
    else {
      for (const name of [read.key.id, read.key.hash]) lineOf.set(name, line);
      good.push({ line, key: read.key });
    }
  }
  if (good.length === 0 && notes.length === 0) throw new CommandError(`${file} contains no key.`);
  return { good, notes };
}

export function describeImport({ added, ended, unchanged, notes }: KeyImport, write: boolean): string {
  const refused = notes.filter((note) => note.refused).length;
  return [
    `${write ? '' : 'Would be '}${formatCount(added)} added, ${formatCount(ended)} ended as in the file`,
    `${formatCount(unchanged)} unchanged, ${formatCount(refused)} lines refused.`,
  ].join(', ');
}
