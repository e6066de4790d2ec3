import { count, distinct, filters, metric, overTime, terms } from '../columns.js';
import type { Dashboard } from '../dashboard.js';
import { chart, number, table } from '../panels.js';

const audit = { dataView: 'audit' } as const;

const CREATED = 'event.action: key-created';
const ROTATED = 'event.action: key-rotated';
const REVOKED = 'event.action: key-revoked';
const REFUSED = 'event.action: admin-refused';

/** Of a refusal there may be a document for many: the next that is written says how many are not. */
const OF_REFUSALS = 'At most ten a minute have a document; the log has all of them.';

export const keys: Dashboard = {
  name: 'keys',
  title: 'Keys',
  description:
    'Who made, rotated and revoked keys, by the API or by npm run keys, and who was refused as an operator. Kept for a ' +
    'year.',
  from: 'now-90d',
  rows: [
    {
      height: 6,
      panels: [
        number('Keys made', audit, (label) => metric(label, count(CREATED), 'whole')),
        number('Keys rotated', audit, (label) => metric(label, count(ROTATED), 'whole')),
        number('Keys revoked', audit, (label) => metric(label, count(REVOKED), 'whole')),
        number('Operators refused', { ...audit, description: OF_REFUSALS }, (label) =>
          metric(label, count(REFUSED), 'whole'),
        ),
      ],
    },
    {
      height: 12,
      panels: [
        chart('What was done over time', 'bar_stacked', audit, {
          x: overTime('Time', '@timestamp'),
          split: terms('Done', 'event.action', { size: 10, by: 'events' }),
          events: metric('Events', count(), 'whole'),
        }),
        chart(
          'Refusals over time',
          'bar_stacked',
          { ...audit, where: REFUSED, description: OF_REFUSALS },
          {
            x: overTime('Time', '@timestamp'),
            split: filters('Answer', {
              'wrong secret': 'http.response.status_code: 403',
              'too many of them': 'http.response.status_code: 429',
            }),
            refusals: metric('Refusals', count(), 'whole'),
          },
        ),
      ],
    },
    {
      height: 14,
      panels: [
        table(
          'By developer',
          { ...audit, where: `not ${REFUSED}` },
          {
            developer: terms('Developer', 'catalog.developer', { size: 50, by: 'events' }),
            events: metric('Events', count(), 'whole'),
            created: metric('Made', count(CREATED), 'whole'),
            rotated: metric('Rotated', count(ROTATED), 'whole'),
            revoked: metric('Revoked', count(REVOKED), 'whole'),
            keys: metric('Keys', distinct('catalog.key.id'), 'whole'),
          },
        ),
        table(
          'By way and tier',
          { ...audit, where: `not ${REFUSED}` },
          {
            by: terms('By', 'catalog.by', { size: 5, by: 'events' }),
            tier: terms('Tier', 'catalog.key.tier', { size: 10, by: 'events' }),
            events: metric('Events', count(), 'whole'),
          },
        ),
      ],
    },
    {
      height: 14,
      panels: [
        table(
          'Addresses, as hashes',
          { ...audit, where: 'catalog.by: api', description: 'The same address is always the same hash.' },
          {
            address: terms('Hash of the address', 'catalog.address_hash', { size: 50, by: 'events' }),
            events: metric('Events', count(), 'whole'),
            refused: metric('Refused', count(REFUSED), 'whole'),
            keys: metric('Keys', distinct('catalog.key.id'), 'whole'),
          },
        ),
        table(
          'Keys',
          { ...audit, where: `not ${REFUSED}` },
          {
            key: terms('Key id', 'catalog.key.id', { size: 100, by: 'events' }),
            action: terms('Done', 'event.action', { size: 5, by: 'events' }),
            events: metric('Events', count(), 'whole'),
          },
        ),
      ],
    },
  ],
};
