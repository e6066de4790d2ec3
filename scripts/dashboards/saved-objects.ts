import { parse } from 'yaml';
import { shippedText } from '../../src/platform/shipped-files.js';
import { productsAlias } from '../../src/engine/indices.js';
import { LENS } from './lens-columns.js';
import { type DataViewName, LAYER, lensAttributes, type PanelSpec, titleOf } from './lens-panels.js';

export interface SavedObject {
  id: string;
  type: 'index-pattern' | 'dashboard';
  attributes: Record<string, unknown>;
  references: { id: string; name: string; type: string }[];
  coreMigrationVersion: string;
  typeMigrationVersion: string;
  managed: false;
}

interface DashboardSpec {
  name: string;
  title: string;
  description: string;
  /** The start of the dashboard's time range, which ends now, such as `now-24h`. */
  from: string;
  rows: RowSpec[];
}

interface RowSpec {
  height: number;
  panels: PanelSpec[];
  /** The widths of a row's panels in columns of the page, which has 48; equal widths by default. */
  widths?: number[];
}

const DASHBOARDS = ['catalogue', 'traffic', 'prices-and-deals', 'quality', 'keys'];
const PAGE_WIDTH = 48;

/** The Kibana versions whose format the saved objects have. A newer Kibana migrates them on import. */
const CORE_VERSION = '8.8.0';
const TYPE_VERSIONS = { 'index-pattern': '7.11.0', dashboard: '10.2.0' };

interface DataView {
  /** The id of the data view. It contains the index prefix, so that several catalogues can share one Kibana. */
  id: string;
  title: string;
  name: string;
  /** The field of the time range; absent for the product index, which has only the present state. */
  timeFieldName?: string;
  /** The fields of a Kibana data view that contain durations in nanoseconds. */
  durations: readonly string[];
}

export function dataViews(indexPrefix: string): Record<DataViewName, DataView> {
  const products = productsAlias(indexPrefix);
  const events = (kind: 'requests' | 'loads' | 'audit', name: string, durations: readonly string[]) => ({
    id: `${indexPrefix}-${kind}`,
    // Matches a data stream and the dated indices that replace it without the privilege for data streams.
    title: `${indexPrefix}-${kind}*`,
    name: `${name} (${indexPrefix})`,
    timeFieldName: '@timestamp',
    durations,
  });
  const waits = ['catalog.engine.duration', 'catalog.redis.duration'];
  return {
    products: { id: products, title: products, name: `Listings (${indexPrefix})`, durations: [] },
    requests: events('requests', 'Requests', ['event.duration', ...waits]),
    loads: events('loads', 'Loads', ['event.duration']),
    audit: events('audit', 'Keys', []),
  };
}

export function savedObjects(indexPrefix: string): SavedObject[] {
  const views = dataViews(indexPrefix);
  const saved = (
    type: SavedObject['type'],
    id: string,
    content: Pick<SavedObject, 'attributes' | 'references'>,
  ): SavedObject => ({
    id,
    type,
    ...content,
    coreMigrationVersion: CORE_VERSION,
    typeMigrationVersion: TYPE_VERSIONS[type],
    managed: false,
  });
  return [
    ...Object.values(views).map((view) =>
      saved('index-pattern', view.id, { attributes: dataViewAttributes(view), references: [] }),
    ),
    ...DASHBOARDS.map((name) => {
      const spec = parse(shippedText(`scripts/dashboards/${name}.yaml`)) as DashboardSpec;
      return saved('dashboard', `${indexPrefix}-${spec.name}`, savedDashboard(spec, indexPrefix, views));
    }),
  ];
}

export const toNdjson = (objects: readonly SavedObject[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('');

const dataViewAttributes = ({ id: _, durations, ...attributes }: DataView) => ({
  ...attributes,
  ...LENS.data_view,
  fieldFormatMap: JSON.stringify(Object.fromEntries(durations.map((field) => [field, LENS.duration]))),
});

function savedDashboard(
  { title, description, from, rows }: DashboardSpec,
  indexPrefix: string,
  views: Record<DataViewName, DataView>,
) {
  const placed = rows.flatMap(placeRow);
  const panels = placed.map(({ panel, gridData }) => ({
    type: 'lens',
    gridData,
    panelIndex: gridData.i,
    embeddableConfig: {
      title: titleOf(panel),
      // The title of a number panel is hidden, because the panel displays it as the label of the number.
      hidePanelTitles: 'number' in panel,
      attributes: lensAttributes(panel, views[panel.data].id),
      enhancements: {},
    },
  }));
  return {
    attributes: {
      title: `${title} (${indexPrefix})`,
      description,
      timeRestore: true,
      timeFrom: from,
      timeTo: 'now',
      refreshInterval: { pause: true, value: 60_000 },
      optionsJSON: JSON.stringify(LENS.dashboard_options),
      panelsJSON: JSON.stringify(panels),
      kibanaSavedObjectMeta: {
        searchSourceJSON: JSON.stringify({ filter: [], query: { language: 'kuery', query: '' } }),
      },
    },
    references: placed.map(({ panel, gridData }) => ({
      id: views[panel.data].id,
      name: `${gridData.i}:indexpattern-datasource-layer-${LAYER}`,
      type: 'index-pattern',
    })),
  };
}

function placeRow({ height, panels, widths }: RowSpec, index: number, rows: RowSpec[]) {
  const y = rows.slice(0, index).reduce((sum, row) => sum + row.height, 0);
  const width = (i: number) => widths?.[i] ?? PAGE_WIDTH / panels.length;
  return panels.map((panel, i) => {
    const x = panels.slice(0, i).reduce((sum, _, before) => sum + width(before), 0);
    return { panel, gridData: { x, y, w: width(i), h: height, i: idOf(titleOf(panel)) } };
  });
}

const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
