import { createHmac } from 'node:crypto';
import type { Actor, Audit, AuditEvent } from '../platform/access/audit.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';
import { Allowance } from './events/allowance.js';
import { ECS_VERSION } from './request-event.js';
import type { Logger } from './logger.js';
import { redactForms, redactText, type Redact } from './redact.js';

const TYPES = {
  'key-created': 'creation',
  'key-imported': 'creation',
  'key-revoked': 'deletion',
  'key-rotated': 'change',
  'admin-refused': 'admin',
} as const;

/** Refusals a minute that become documents: anybody can cause them, and documents stay for a year. The log has all. */
const REFUSALS = 10;

/** Where audit events go, besides the log. */
export interface AuditOptions {
  /** Makes the hashes of addresses: there are so few addresses that any other hash could be turned back. Commands have none. */
  secret?: string;
  environment: string;
  redact?: Redact;
  now: () => Date;
  /** Takes each as a document of `<prefix>-audit`; absent: the log is all there is. */
  write?: ((at: Date, document: Record<string, unknown>) => void) | undefined;
}

/**
 * ECS events of the category `iam`, in the log and as documents. Of a client's address there is a hash, the same for
 * the same address.
 */
export function auditLog(logger: Logger, options: AuditOptions): Audit {
  const { secret = '', environment, redact = redactForms, now, write } = options;
  const allowance = new Allowance();
  const document = (at: Date, fields: Fields, omitted: number) => ({
    '@timestamp': at.toISOString(),
    ecs: { version: ECS_VERSION },
    service: { name: SERVICE_NAME, version: SERVICE_VERSION, environment },
    ...fields,
    catalog: { ...fields.catalog, ...(omitted === 0 ? {} : { omitted }) },
  });
  return (event, by) => {
    const refused = event.action === 'admin-refused';
    const fields = fieldsOf(event, by, { secret, redact });
    logger.log(
      refused ? 'warn' : 'info',
      refused ? `${event.action} ${event.status}` : `${event.action} ${event.key.id}`,
      fields,
    );
    if (write === undefined) return;
    const at = now();
    const omitted = refused ? allowance.take(event.action, REFUSALS, at) : 0;
    if (omitted !== null) write(at, document(at, fields, omitted));
  };
}

type Fields = Record<string, unknown> & { catalog: Record<string, unknown> };

/** What the log line and the document have in common. */
function fieldsOf(event: AuditEvent, by: Actor, how: { secret: string; redact: Redact }): Fields {
  const { action } = event;
  const refused = action === 'admin-refused';
  return {
    event: {
      kind: 'event',
      category: ['iam'],
      type: [TYPES[action]],
      dataset: 'catalog.audit',
      action,
      outcome: refused ? 'failure' : 'success',
    },
    ...(by === 'command'
      ? {}
      : {
          http: {
            request: { id: redactText(by.requestId, how.redact) },
            ...(refused ? { response: { status_code: event.status } } : {}),
          },
        }),
    catalog: {
      by: by === 'command' ? 'command' : 'api',
      ...(by === 'command' ? {} : { address_hash: hashed(by.address, how.secret) }),
      ...(refused ? {} : keyOf(event, how.redact)),
    },
  };
}

function keyOf(event: Exclude<AuditEvent, { action: 'admin-refused' }>, redact: Redact) {
  const { id, tier, developerId } = event.key;
  const replaces = event.action === 'key-rotated' ? { replaces: event.replaces } : {};
  return { key: { id, tier, ...replaces }, developer: redactText(developerId, redact) };
}

const hashed = (address: string, secret: string): string =>
  createHmac('sha256', secret).update(`address ${address}`).digest('base64url').slice(0, 22);
