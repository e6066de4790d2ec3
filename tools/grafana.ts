/** npm run grafana: generates Grafana's dashboard from docker/monitoring/grafana/panels.yaml; see --help. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { command } from '../scripts/shared/command.js';
import { start } from '../scripts/shared/start.js';

export const DASHBOARD_FILE = 'docker/monitoring/grafana/dashboards/catalogue.json';
const PANELS_FILE = 'docker/monitoring/grafana/panels.yaml';

/** A Grafana panel. The key `stat` or `lines` determines its type, and the value of the key is the title. */
export interface GrafanaPanel {
  stat?: string;
  lines?: string;
  unit: string;
  /** What a reader must know to interpret the panel; Grafana displays it next to the title. */
  description?: string;
  /** PromQL queries by series name. `{{label}}` in a name is replaced by the value of that label. */
  queries: Record<string, string>;
}

export interface GrafanaRow {
  title: string;
  panels: GrafanaPanel[];
}

/** Reads the rows: `service`, and `engines`, whose metrics require exporters of Elasticsearch and Redis. */
export const readPanels = () =>
  parse(readFileSync(PANELS_FILE, 'utf8')) as { service: GrafanaRow[]; engines: GrafanaRow[] };

const PAGE_WIDTH = 24;
const DATASOURCE = { type: 'prometheus', uid: 'prometheus' };

const STAT = {
  type: 'stat',
  width: 4,
  height: 4,
  options: {
    reduceOptions: { calcs: ['lastNotNull'] },
    textMode: 'auto',
    colorMode: 'none',
    graphMode: 'none',
  },
  target: { instant: true, range: false },
};
const LINES = {
  type: 'timeseries',
  width: 8,
  height: 8,
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  target: { range: true },
};

export function grafanaDashboard(rows: readonly GrafanaRow[]): Record<string, unknown> {
  const panels: Record<string, unknown>[] = [];
  let y = 0;
  const nextId = () => panels.length + 1;
  for (const row of rows) {
    panels.push({
      id: nextId(),
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: PAGE_WIDTH, h: 1 },
    });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const panel of row.panels) {
      const { width, height } = panel.stat === undefined ? LINES : STAT;
      if (x + width > PAGE_WIDTH) {
        y += lineHeight;
        [x, lineHeight] = [0, 0];
      }
      panels.push({ id: nextId(), gridPos: { x, y, w: width, h: height }, ...grafanaPanel(panel) });
      x += width;
      lineHeight = Math.max(lineHeight, height);
    }
    y += lineHeight;
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

function grafanaPanel({ stat, lines, description, unit, queries }: GrafanaPanel): Record<string, unknown> {
  const { type, options, target } = stat === undefined ? LINES : STAT;
  return {
    type,
    title: stat ?? lines,
    datasource: DATASOURCE,
    ...(description === undefined ? {} : { description }),
    fieldConfig: { defaults: { unit, ...(unit === 'percentunit' ? { min: 0 } : {}) }, overrides: [] },
    options,
    targets: Object.entries(queries).map(([name, expr], i) => ({
      refId: String.fromCharCode(65 + i),
      datasource: DATASOURCE,
      expr,
      legendFormat: name || '__auto',
      ...target,
    })),
  };
}

export const main = command({
  name: 'grafana',
  about: `Generates ${DASHBOARD_FILE} from ${PANELS_FILE}. Both files are in the
repository.`,
  options: {},
  exits: { done: 'the file is written' },
  run(_given, _env, { err }) {
    const { service, engines } = readPanels();
    writeFileSync(DASHBOARD_FILE, `${JSON.stringify(grafanaDashboard([...service, ...engines]), null, 2)}\n`);
    err.write(`Wrote ${DASHBOARD_FILE}\n`);
    return Promise.resolve();
  },
});

await start(import.meta.url, main);
