// Chaos only (commands, sampled): it runs the query of every panel.
import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { type ColumnSpec, lensColumns } from '../../../scripts/dashboards/lens-columns.js';
import { dataViews } from '../../../scripts/dashboards/saved-objects.js';
import { createElasticsearch } from '../../../src/engine/client.js';
import { readConfig } from '../../../src/platform/config/config.js';
import { elasticsearchUrl, indexPrefix as testPrefix } from '../../support/services.js';
import { fillIndices } from './data.js';
import { parseKql } from './kql.js';
import { type Layer, type PanelSearch, rowsOf, searchOf } from './lens-search.js';
import { savedPanels } from './panels.js';

const indexPrefix = `${testPrefix}-${randomBytes(3).toString('hex')}`;
const views = dataViews(indexPrefix);

/** The field types that each operation of Kibana's Lens requires. */
const NUMBERS = ['long', 'short', 'integer', 'double'];
const TYPES_FOR: Record<string, string[]> = {
  terms: ['keyword'],
  range: NUMBERS,
  date_histogram: ['date'],
  unique_count: ['keyword', ...NUMBERS],
  sum: NUMBERS,
  min: NUMBERS,
  max: [...NUMBERS, 'date'],
  median: NUMBERS,
  percentile: NUMBERS,
  last_value: ['keyword'],
};

type Capabilities = Record<string, Record<string, { searchable: boolean; aggregatable: boolean }>>;

/**
 * Returns a description of each field that a panel uses wrongly, based on the field capabilities API, which
 * Kibana uses as well.
 */
function misuses(uses: PanelSearch['uses'], fields: Capabilities): string[] {
  return uses.flatMap(({ field, as, value }) => {
    const types = Object.entries(fields[field] ?? {});
    const [type, can] = types[0] ?? [];
    if (type === undefined || can === undefined || types.length > 1)
      return [`${field} is ${types.length} types`];
    const allowed = TYPES_FOR[as];
    if (allowed !== undefined) {
      return can.aggregatable && allowed.includes(type)
        ? []
        : [`${field} (${type}) cannot be used for ${as}`];
    }
    const fits =
      as === 'exists' ||
      (as === 'comparison'
        ? type === 'date' || NUMBERS.includes(type)
        : type === 'keyword' || NUMBERS.includes(type)) ||
      (type === 'boolean' && /^(true|false)$/.test(value ?? ''));
    return can.searchable && fits ? [] : [`${field} (${type}) cannot be asked for ${value}`];
  });
}

describe('the panels of the dashboards', function () {
  let es: Client;

  before(async () => {
    const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
    es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
    await fillIndices(es, indexPrefix, new Date());
  });
  after(async () => {
    const names = Object.keys(await es.indices.get({ index: `${indexPrefix}-*` }));
    await es.indices.delete({ index: names });
    await es.close();
  });

  const fieldsOf = async (index: string): Promise<Capabilities> =>
    (await es.fieldCaps({ index, fields: '*' })).fields as Capabilities;

  for (const panel of savedPanels(indexPrefix)) {
    const name = `${panel.dashboard.id.slice(indexPrefix.length + 1)}: ${panel.title}`;
    const view = Object.values(views).find(({ id }) => id === panel.reference.id);
    const index = view?.title ?? '';
    const time = { field: view?.timeFieldName ?? null, from: panel.dashboard.attributes.timeFrom as string };

    it(`${name} has a value for every slice and number`, async () => {
      const { search, uses } = searchOf(panel.layer, panel.query, time);
      assert.deepEqual(misuses(uses, await fieldsOf(index)), []);

      const answer = await es.search({ index, track_total_hits: true, ...search });
      const rows = rowsOf(panel.layer, answer as Parameters<typeof rowsOf>[1]);
      assert.isNotEmpty(rows);
      for (const [id, column] of Object.entries(panel.layer.columns)) {
        if (column.operationType === 'last_value') {
          assert.isTrue(
            rows.some(({ last }) => (last[id] ?? '') !== ''),
            `${column.label} has a value`,
          );
        } else if (!column.isBucketed) {
          assert.isTrue(
            rows.some(({ values }) => (values[id] ?? 0) > 0 && Number.isFinite(values[id])),
            `${column.label} has a number`,
          );
        }
        const { filters = [], ranges = [] } = column.params as Record<string, { label: string }[]>;
        for (const { label } of [...filters, ...ranges]) {
          assert.isTrue(
            rows.some(({ keys }) => keys[id] === label),
            `${column.label} has "${label}"`,
          );
        }
      }
    });
  }

  it('are checked for fields that do not exist or do not fit', async () => {
    const layer = (specs: Record<string, ColumnSpec>): Layer => {
      const columns = Object.assign(
        {},
        ...Object.entries(specs).map(([id, spec]) => lensColumns(id, spec)),
      ) as Layer['columns'];
      return { columns, columnOrder: Object.keys(columns) };
    };
    const listings = { label: 'Listings', metric: 'count', where: 'price >= 5' } as const;
    const fields = await fieldsOf(views.products.title);
    const wrong = (field: string) =>
      misuses(
        searchOf(
          layer({ x: { label: 'x', terms: field, size: 5, by: 'n' }, n: { label: 'n', metric: 'count' } }),
          parse(''),
          NOW,
        ).uses,
        fields,
      );
    const parse = (query: string) => ({ query, language: 'kuery' }) as const;
    const NOW = { field: null, from: 'now-1d' };
    assert.deepEqual(wrong('source'), []);
    assert.deepEqual(wrong('sauce'), ['sauce is 0 types']);
    assert.deepEqual(wrong('name'), ['name (text) cannot be used for terms']);
    assert.deepEqual(wrong('image_url'), ['image_url (keyword) cannot be used for terms']);
    assert.deepEqual(misuses(searchOf(layer({ n: listings }), parse('image_url: *'), NOW).uses, fields), [
      'image_url (keyword) cannot be asked for *',
      'price (keyword) cannot be asked for 5',
    ]);
    assert.deepEqual(
      misuses(
        searchOf(layer({ f: { label: 'f', filters: { a: 'is_available: yes' } } }), parse(''), NOW).uses,
        fields,
      ),
      ['is_available (boolean) cannot be asked for yes'],
    );
  });
});

describe('the KQL parser of the tests', () => {
  it('translates queries as Kibana does', () => {
    assert.deepEqual(parseKql('a: 1 and not b: * or (c >= 2 and d < now-1d)').query, {
      bool: {
        should: [
          { bool: { filter: [{ match: { a: '1' } }, { bool: { must_not: [{ exists: { field: 'b' } }] } }] } },
          { bool: { filter: [{ range: { c: { gte: '2' } } }, { range: { d: { lt: 'now-1d' } } }] } },
        ],
        minimum_should_match: 1,
      },
    });
    assert.deepEqual(parseKql(' ').query, { match_all: {} });
  });

  it('rejects all other syntax', () => {
    for (const text of [
      'a',
      'a: b*',
      'a b',
      'a:',
      'a: 1 b: 2',
      '(a: 1',
      'a: 1)',
      'and a: 1',
      'a = 1',
      'a: (1 or 2)',
    ]) {
      assert.throws(() => parseKql(text), /not understood/, text);
    }
  });
});
