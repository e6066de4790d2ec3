import { createHmac } from 'node:crypto';
import type { Audit } from '../access/audit.js';
import type { Logger } from './logger.js';

const TYPES = { 'key-created': 'creation', 'key-revoked': 'deletion', 'admin-refused': 'admin' } as const;

/**
 * ECS lines of the category `iam` in the log. Of a client's address there is a hash, the same for the same address.
 * @param secret makes the hashes: there are so few addresses that any other hash could be turned back. Commands have
 * no address.
 */
export function auditLog(logger: Logger, secret = ''): Audit {
  return (event, by) => {
    const { action } = event;
    const refused = action === 'admin-refused';
    logger.log(
      refused ? 'warn' : 'info',
      refused ? `${action} ${event.status}` : `${action} ${event.key.id}`,
      {
        event: {
          kind: 'event',
          category: ['iam'],
          type: [TYPES[action]],
          dataset: 'catalog.audit',
          action,
          outcome: refused ? 'failure' : 'success',
        },
        ...(by === 'command' ? {} : { http: { request: { id: by.requestId } } }),
        catalog: {
          by: by === 'command' ? 'command' : 'api',
          ...(by === 'command' ? {} : { source: hashed(by.address, secret) }),
          ...(refused
            ? {}
            : { key: { id: event.key.id, tier: event.key.tier }, developer: event.key.developerId }),
        },
      },
    );
  };
}

const hashed = (address: string, secret: string): string =>
  createHmac('sha256', secret).update(`address ${address}`).digest('base64url').slice(0, 22);
