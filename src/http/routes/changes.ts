import { Type } from 'typebox';
import { valueIssue } from '../../platform/errors.js';
import { endpoint } from '../endpoint.js';
import { filterParameters } from '../../engine/queries/filters.js';
import { ChangePageSchema, changeKind, CHANGE_KINDS } from '../../schemas/changes.js';
import { countParameter, optional } from '../../schemas/types.js';
import { listChanges } from '../../usecases/changes.js';

export const changes = endpoint({
  tag: 'Listings',
  summary: 'Follow what changes in the catalogue',
  description:
    'Returns the listings that have changed since a cursor, each in its current state. A client that requests page after page with ' +
    'the returned cursor receives every listing that an acknowledged write has changed, as of that write or later, at least once; a ' +
    'write that changed only the time of the last check is not reported. A listing that has changed several times may be returned ' +
    'once, and listings are in no particular order. Apply items in the order of the pages. ' +
    'Without a cursor, changes are reported from now on; with `from=start`, all listings come first, as `new`. A cursor is valid for ' +
    '30 days by default (`CHANGES_RETENTION`), and with other filters as well. It stays valid when the catalogue is reindexed or rolled back; ' +
    'some changes are then repeated (`resync`).',
  query: Type.Object({
    cursor: optional.text(
      'The `cursor` of the previous page. Without it, the response has no items, and a cursor for all later changes',
    ),
    from: optional.Enum(['start'], {
      description:
        '`start`: returns all listings first, then their changes. It cannot be combined with `cursor`',
    }),
    limit: countParameter(1_000, 200, 'The maximum number of items. Pages of long listings have fewer'),
    wait: optional.Integer({
      minimum: 0,
      maximum: 25,
      default: 0,
      description:
        'The maximum time in seconds to wait for changes if there are none (long polling). 5 requests of a key may wait at once ' +
        '(`basic`: 10, `standard`: 50, `premium`: 250)',
    }),
    source: filterParameters.source,
    category: filterParameters.category,
    kinds: optional.List(',', changeKind, {
      maxItems: CHANGE_KINDS.length,
      description:
        'Only listings with a change of one of these kinds; all kinds by default. With `from=start`, all listings still come first',
    }),
    view: optional.Enum(['ids', 'full'], {
      default: 'full',
      description: '`full`: items have the member `product`. `ids`: items have it only if it is null',
    }),
  }),
  check: ({ cursor = '', from }) =>
    cursor !== '' && from !== undefined
      ? [valueIssue(['query', 'from'], 'cannot be combined with cursor')]
      : [],
  responses: {
    200: { description: 'The changes after the cursor', schema: ChangePageSchema },
    410: {
      description: 'The cursor is older than the retention, or the catalogue was restored from a snapshot',
      example: {
        detail:
          'The cursor is older than 30 days: start again with from=start and without a cursor, and replace what was stored',
      },
    },
    429: { description: 'The rate limit is exceeded, or too many requests of this key wait for changes' },
    503: { description: 'A service that is needed is unavailable, or too many requests wait for changes' },
  },
  handle: (context, { query }, caller) => listChanges(context, query, caller),
});
