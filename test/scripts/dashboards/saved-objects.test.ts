import { assert } from 'chai';
import { type SavedObject, savedObjects, toNdjson } from '../../../scripts/dashboards/saved-objects.js';
import { savedPanels } from './panels.js';

const PAGE_WIDTH = 48;
const objects = savedObjects('shop');
const panels = savedPanels('shop');
const ofType = (type: SavedObject['type']) => objects.filter((object) => object.type === type);
const json = (text: unknown) => JSON.parse(text as string);

function drawn({ visualizationType, visualization }: (typeof panels)[number]): string[] {
  switch (visualizationType) {
    case 'lnsMetric':
      return [visualization.metricAccessor];
    case 'lnsDatatable':
      return visualization.columns.map(({ columnId }: { columnId: string }) => columnId);
    case 'lnsXY':
      return visualization.layers.flatMap(({ xAccessor, splitAccessor, accessors }: any) =>
        [xAccessor, splitAccessor, ...accessors].filter(Boolean),
      );
    default:
      throw new Error(`${visualizationType} is not known`);
  }
}

describe('saved objects for Kibana', () => {
  it('are four data views and five dashboards, named after the index prefix', () => {
    const views = ofType('index-pattern').map(({ id, attributes }) => [
      id,
      attributes.title,
      attributes.timeFieldName,
    ]);
    assert.deepEqual(views, [
      ['shop-products', 'shop-products', undefined],
      ['shop-requests', 'shop-requests*', '@timestamp'],
      ['shop-loads', 'shop-loads*', '@timestamp'],
      ['shop-audit', 'shop-audit*', '@timestamp'],
    ]);
    const dashboards = ofType('dashboard').map(({ id, attributes }) => [id, attributes.title]);
    assert.deepEqual(dashboards, [
      ['shop-catalogue', 'Catalogue (shop)'],
      ['shop-traffic', 'Traffic (shop)'],
      ['shop-prices-and-deals', 'Prices and deals (shop)'],
      ['shop-quality', 'Quality (shop)'],
      ['shop-keys', 'Keys (shop)'],
    ]);
  });

  it('are the same bytes each time, except for the prefix', () => {
    const text = toNdjson(savedObjects('first-one'));
    assert.strictEqual(toNdjson(savedObjects('first-one')), text);
    assert.strictEqual(toNdjson(savedObjects('second')), text.replaceAll('first-one', 'second'));
    assert.match(text, /first-one-requests\*/);
  });

  it('state the versions of Kibana 9.1, so that it and newer versions accept them', () => {
    for (const { type, coreMigrationVersion, typeMigrationVersion } of objects) {
      assert.strictEqual(coreMigrationVersion, '8.8.0');
      assert.strictEqual(typeMigrationVersion, type === 'dashboard' ? '10.2.0' : '7.11.0');
    }
  });

  it('are one line each, with unique ids and valid JSON in their texts', () => {
    const lines = toNdjson(objects).split('\n');
    assert.strictEqual(lines.pop(), '');
    assert.deepEqual(lines.map(json), objects);
    assert.strictEqual(new Set(objects.map(({ type, id }) => `${type} ${id}`)).size, objects.length);
    for (const { attributes } of ofType('dashboard')) {
      assert.isArray(json(attributes.panelsJSON));
      assert.isTrue(json(attributes.optionsJSON).useMargins);
      const { searchSourceJSON } = attributes.kibanaSavedObjectMeta as Record<string, unknown>;
      assert.deepEqual(json(searchSourceJSON), { filter: [], query: { language: 'kuery', query: '' } });
    }
    for (const { attributes } of ofType('index-pattern')) {
      for (const name of ['fields', 'fieldAttrs', 'fieldFormatMap', 'runtimeFieldMap', 'typeMeta'])
        assert.isNotNull(json(attributes[name]), name);
    }
  });

  it('describe every dashboard, and have unique panel titles', () => {
    for (const { attributes } of ofType('dashboard')) {
      assert.isAbove((attributes.description as string).length, 40);
      assert.match(attributes.timeFrom as string, /^now-\d+[hd]$/);
    }
    for (const dashboard of ofType('dashboard')) {
      const own = panels.filter((panel) => panel.dashboard.id === dashboard.id);
      assert.isAtLeast(own.length, 8);
      for (const key of ['title', 'panelIndex'] as const) {
        const names = own.map((panel) => panel[key]);
        assert.notInclude(names, '');
        assert.strictEqual(new Set(names).size, own.length, key);
      }
    }
  });

  it('place panels within the page and without overlap', () => {
    for (const { dashboard, gridData, panelIndex } of panels) {
      const { x, y, w, h, i } = gridData;
      assert.strictEqual(i, panelIndex);
      for (const number of [x, y, w, h]) assert.isTrue(Number.isInteger(number) && number >= 0, panelIndex);
      assert.isAtLeast(w, 6);
      assert.isAtLeast(h, 4);
      assert.isAtMost(x + w, PAGE_WIDTH, panelIndex);
      const over = panels.filter(
        (other) =>
          other.dashboard.id === dashboard.id &&
          other.panelIndex !== panelIndex &&
          other.gridData.x < x + w &&
          other.gridData.x + other.gridData.w > x &&
          other.gridData.y < y + h &&
          other.gridData.y + other.gridData.h > y,
      );
      assert.isEmpty(over, panelIndex);
    }
    for (const { id } of ofType('dashboard')) {
      const area = panels.filter(({ dashboard }) => dashboard.id === id).map(({ gridData }) => gridData);
      const bottom = Math.max(...area.map(({ y, h }) => y + h));
      const covered = area.reduce((sum, { w, h }) => sum + w * h, 0);
      assert.strictEqual(covered, PAGE_WIDTH * bottom, 'no gaps');
    }
  });

  it('refer to existing data views, both in the panel and in its dashboard', () => {
    const viewIds = ofType('index-pattern').map(({ id }) => id);
    const referred = panels.map(({ dashboard, panelIndex, reference, layerId }) => {
      assert.strictEqual(reference.name, `indexpattern-datasource-layer-${layerId}`);
      assert.strictEqual(reference.type, 'index-pattern');
      assert.include(viewIds, reference.id);
      const name = `${panelIndex}:${reference.name}`;
      assert.deepInclude(dashboard.references, { id: reference.id, name, type: 'index-pattern' });
      return `${dashboard.id} ${name}`;
    });
    const named = ofType('dashboard').flatMap(({ id, references }) =>
      references.map(({ name }) => `${id} ${name}`),
    );
    assert.sameMembers(named, referred);
  });

  it('display every column that they request, in an order that Kibana can compute', () => {
    for (const panel of panels) {
      const { columns, columnOrder } = panel.layer;
      assert.sameMembers(columnOrder, Object.keys(columns), panel.title);
      const parts = Object.values(columns).flatMap(({ references = [] }) => references);
      assert.sameMembers([...drawn(panel), ...parts], columnOrder, panel.title);
      for (const [id, { references = [], isBucketed }] of Object.entries(columns)) {
        for (const part of references)
          assert.isBelow(columnOrder.indexOf(part), columnOrder.indexOf(id), `${part} before ${id}`);
        const before = columnOrder.slice(0, columnOrder.indexOf(id)).map((other) => columns[other]);
        if (isBucketed)
          assert.isTrue(
            before.every((other) => other?.isBucketed === true),
            `${id} is first`,
          );
      }
    }
  });

  it('contain the formulas that their parts compute', () => {
    const formulas = panels.flatMap(({ layer }) =>
      Object.entries(layer.columns).filter(([, { operationType }]) => operationType === 'formula'),
    );
    const text = (label: string) => formulas.find(([, column]) => column.label === label)?.[1].params.formula;
    assert.strictEqual(text('Median'), 'median(internal.price_units) / 10000');
    assert.strictEqual(text('In stock'), "count(kql='is_available: true') / count()");
    for (const [id, { references }] of formulas)
      assert.match(references?.join() ?? '', new RegExp(`^${id}X\\d$`));
  });
});
