import { createHmac } from 'node:crypto';
import type { KeyHolder } from '../platform/access/key.js';
import { ECS_VERSION, SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';
import { RateBudget } from './events/rate-budget.js';
import type { Logger } from './logger.js';
import { redactForms, redactText, type Redact } from './redact.js';

type Actor = { requestId: string; address(): string } | 'command';

/** A change of an API key, a decision about matches, or a refused admin request. `replaces` is the id of the old key. */
type AuditEvent =
  | { action: 'key-created' | 'key-imported' | 'key-revoked'; key: KeyHolder }
  | { action: 'key-rotated'; key: KeyHolder; replaces: string }
  /** Decisions of a reviewer on whether pairs of listings are the same product, or their withdrawal. */
  | { action: 'match-decided' | 'match-undone'; key: KeyHolder; pairs: readonly string[] }
  | { action: 'admin-refused'; status: number };

export type Audit = (event: AuditEvent, by: Actor) => void;

const TYPES = {
  'key-created': 'creation',
  'key-imported': 'creation',
  'key-revoked': 'deletion',
  'key-rotated': 'change',
  'match-decided': 'change',
  'match-undone': 'change',
  'admin-refused': 'admin',
} as const;

/** The maximum number of refused requests per minute that are stored as events; every refused request is logged. */
const REFUSALS_PER_MINUTE = 10;

interface AuditOptions {
  /** The secret of the hash (HMAC) of client addresses. Commands do not need it. */
  secret?: string;
  environment: string;
  redact?: Redact;
  now: () => Date;
  /** Stores an event as a document of `<prefix>-audit`. Without it, events are only logged. */
  write?: ((at: Date, document: Record<string, unknown>) => void) | undefined;
}

/** Records audit events as ECS events of the category `iam`, in the log and as documents. */
export function auditLog(logger: Logger, options: AuditOptions): Audit {
  const { secret = '', environment, redact = redactForms, now, write } = options;
  const budget = new RateBudget();
  return (event, by) => {
    const { action } = event;
    const refused = action === 'admin-refused';
    const response = refused ? { response: { status_code: event.status } } : {};
    const fields = {
      event: {
        kind: 'event',
        category: ['iam'],
        type: [TYPES[action]],
        dataset: 'catalog.audit',
        action,
        outcome: refused ? 'failure' : 'success',
      },
      ...(by !== 'command' && { http: { request: { id: redactText(by.requestId, redact) }, ...response } }),
      catalog: {
        by: by === 'command' ? 'command' : 'api',
        ...(by !== 'command' && { address_hash: hashed(by.address(), secret) }),
        ...(refused ? {} : keyOf(event, redact)),
      },
    };
    logger.log(refused ? 'warn' : 'info', `${event.action} ${refused ? event.status : event.key.id}`, fields);
    if (write === undefined) return;
    const at = now();
    const omitted = refused ? budget.take(action, REFUSALS_PER_MINUTE, at) : 0;
    if (omitted === null) return;
    write(at, {
      '@timestamp': at.toISOString(),
      ecs: { version: ECS_VERSION },
      service: { name: SERVICE_NAME, version: SERVICE_VERSION, environment },
      ...fields,
      catalog: { ...fields.catalog, ...(omitted === 0 ? {} : { omitted }) },
    });
  };
}

function keyOf(event: Exclude<AuditEvent, { action: 'admin-refused' }>, redact: Redact) {
  const { id, tier, developerId } = event.key;
  const replaces = event.action === 'key-rotated' ? { replaces: event.replaces } : {};
  const pairs = 'pairs' in event ? { pairs: event.pairs } : {};
  return { key: { id, tier, ...replaces }, developer: redactText(developerId, redact), ...pairs };
}

const hashed = (address: string, secret: string): string =>
  createHmac('sha256', secret).update(`address ${address}`).digest('base64url').slice(0, 22);
