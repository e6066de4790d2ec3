import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { parseInstant } from '../../listing/instant.js';
import { ENVIRONMENTS, SCOPE_PATTERN, type StoredKey } from '../../platform/access/key.js';
import { TIER_NAMES } from '../../platform/access/tiers.js';

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
  // A user may have entered a raw key as the name of a key.
  return line.replaceAll(RAW_KEY, '[redacted]');
}

/** Parses a line of a key file. Error messages do not quote the line, which may contain a secret. */
export function fromLine(line: string): { key: StoredKey } | { wrong: string[] } {
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
