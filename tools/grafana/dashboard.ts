import type { Panel, Row } from './panels.js';

/** Where docker-compose.monitoring.yml takes it from. */
export const DASHBOARD_FILE = 'docker/monitoring/grafana/dashboards/catalogue.json';

const WIDTH = 24;
const DATASOURCE = { type: 'prometheus', uid: 'prometheus' };

/** Of a kind: how many stand in a line, and how high they are. */
const SHAPES: Record<Panel['kind'], { width: number; height: number; type: string }> = {
  stat: { width: 4, height: 4, type: 'stat' },
  lines: { width: 8, height: 8, type: 'timeseries' },
};

/** The dashboard as Grafana provisions it; the same rows give the same object. */
export function grafanaDashboard(rows: readonly Row[]): Record<string, unknown> {
  const panels: Record<string, unknown>[] = [];
  let y = 0;
  const nextId = () => panels.length + 1;
  for (const { title, panels: own } of rows) {
    panels.push({ id: nextId(), type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: WIDTH, h: 1 } });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of own) {
      const { width, height: h } = SHAPES[panel.kind];
      if (x + width > WIDTH) {
        y += height;
        [x, height] = [0, 0];
      }
      panels.push(grafanaPanel(panel, { id: nextId(), gridPos: { x, y, w: width, h } }));
      x += width;
      height = Math.max(height, h);
    }
    y += height;
  }
  return {
    uid: 'product-catalogue',
    title: 'Product catalogue',
    tags: ['catalogue'],
    schemaVersion: 41,
    editable: false,
    refresh: '30s',
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    panels,
  };
}

function grafanaPanel(
  { title, description, kind, unit, queries }: Panel,
  place: { id: number; gridPos: Record<string, number> },
): Record<string, unknown> {
  return {
    ...place,
    type: SHAPES[kind].type,
    title,
    datasource: DATASOURCE,
    ...(description === undefined ? {} : { description }),
    fieldConfig: { defaults: { unit, ...(unit === 'percentunit' ? { min: 0 } : {}) }, overrides: [] },
    options:
      kind === 'stat'
        ? {
            reduceOptions: { calcs: ['lastNotNull'] },
            textMode: 'auto',
            colorMode: 'none',
            graphMode: 'none',
          }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: Object.entries(queries).map(([name, expr], i) => ({
      refId: String.fromCharCode(65 + i),
      datasource: DATASOURCE,
      expr,
      legendFormat: name || '__auto',
      ...(kind === 'stat' ? { instant: true, range: false } : { range: true }),
    })),
  };
}
