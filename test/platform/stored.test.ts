import { assert } from 'chai';
import { main } from '../../scripts/backup.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import {
  FOLDERS,
  INDICES,
  kindOfIndex,
  kindOfRecord,
  redisName,
  SPACES,
  storedIndex,
  storedIndices,
} from '../../src/platform/stored.js';
import { run } from '../support/command.js';

describe('the table of what is stored', () => {
  it('recognizes the names of indices, and no others', () => {
    const names = {
      'p-products': 'products',
      'p-products-v12': 'products',
      'p-suggestions-1795957869956-a1b2': 'suggestions',
      'p-alerts': 'alerts',
      'p-alert-events': 'alert-events',
      'p-audit-2026.11.29': 'audit',
      '.ds-p-audit-2026.11.29-000001': 'audit',
      'p-alerts-v1': null,
      'p-audit-restored': null,
      'p-products-v': null,
      'q-alerts': null,
      'p-restoring-1-p-alerts': null,
    };
    for (const [name, kind] of Object.entries(names)) assert.equal(kindOfIndex('p', name), kind, name);
    for (const [kind] of storedIndices) assert.equal(kindOfIndex('a-b', storedIndex('a-b', kind)), kind);
    assert.equal(kindOfRecord('p', redisName('p', 'key-id', '7')), 'keys');
    assert.equal(kindOfRecord('p', redisName('p', 'keys')), 'keys');
    for (const name of ['p:other:1', 'q:keys', 'p-x:keys']) assert.equal(kindOfRecord('p', name), null, name);
  });

  it('has the schema version of the listings', () => {
    assert.equal(INDICES.products.schema, CURRENT_SCHEMA);
  });

  it('is in the help of npm run backup', async () => {
    const { out } = await run(main, ['--help']);
    const names = [...storedIndices.map(([kind]) => kind), ...Object.keys(FOLDERS)];
    for (const name of [...names, ...Object.values(SPACES).flatMap(({ spaces }) => spaces)])
      assert.match(out, new RegExp(`^  (.*, )?${name}[*]?[:,]`, 'm'), name);
    assert.include(out, 'products*: listings with their price histories\n    Loss: the price history');
  });
});
