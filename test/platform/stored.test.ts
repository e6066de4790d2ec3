import { assert } from 'chai';
import { CURRENT_SCHEMA } from '../../src/listing/derived.js';
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
import { checkTable } from '../support/document-table.js';

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

  it('is the table of docs/operations.md (UPDATE_SNAPSHOTS=1 rewrites it)', async () => {
    const rows = [
      ...storedIndices.map(([kind, { form, schema, ...entry }]) => ({
        ...entry,
        name: `\`catalog-${kind}${form === 'index' ? '' : '*'}\``,
        schema: String(schema),
      })),
      ...Object.entries(SPACES).map(([, { spaces, ...entry }]) => ({
        ...entry,
        name: `Redis: ${spaces.map((space) => `\`${space}\``).join(', ')}`,
        schema: '',
      })),
      ...Object.entries(FOLDERS).map(([name, entry]) => ({ ...entry, name: `\`${name}\``, schema: '' })),
    ].map(
      ({ name, holds, owner, schema, fate, loss }) =>
        `| ${name} | ${holds} | ${owner} | ${schema} | ${fate} | ${loss} |`,
    );
    await checkTable('src/platform/stored.ts', [
      '| Data | Contains | Written by | Schema | Backup | If it is lost |',
      '|---|---|---|---|---|---|',
      ...rows,
    ]);
  });
});
