import {
  type ColumnSpec,
  kql,
  LENS,
  type LensColumn,
  lensColumns,
  type NumberSpec,
  type ShareSpec,
} from './lens-columns.js';

export type DataViewName = 'products' | 'requests' | 'loads' | 'audit';

type PanelSeries = 'line' | 'bar_stacked' | 'bar_percentage_stacked' | 'bar_horizontal' | 'area_stacked';

interface CommonPanelSpec {
  data: DataViewName;
  /** What a reader must know to interpret the panel. Kibana displays it as a hint next to the title. */
  description?: string;
  where?: string;
}

interface NumberPanelSpec extends CommonPanelSpec {
  number: string;
  value: Omit<NumberSpec, 'label'> | Omit<ShareSpec, 'label'>;
}

interface TablePanelSpec extends CommonPanelSpec {
  table: string;
  sort?: string;
  columns: Record<string, ColumnSpec>;
}

interface ChartPanelSpec extends CommonPanelSpec {
  chart: string;
  series: PanelSeries;
  x: ColumnSpec;
  split?: ColumnSpec;
  values: Record<string, ColumnSpec>;
}

/** A panel in a dashboard file. Its key `number`, `table` or `chart` holds the title and selects the type. */
export type PanelSpec = NumberPanelSpec | TablePanelSpec | ChartPanelSpec;

export const LAYER = 'layer';

export const titleOf = (spec: PanelSpec): string =>
  'number' in spec ? spec.number : 'table' in spec ? spec.table : spec.chart;

export function lensAttributes(spec: PanelSpec, dataViewId: string) {
  const { description = '', where = '' } = spec;
  const { columns: specs, ...chart } = visualizationOf(spec);
  const columns = Object.fromEntries(
    Object.entries(specs).flatMap(([id, column]) => Object.entries(lensColumns(id, column))),
  );
  return {
    title: titleOf(spec),
    description,
    type: 'lens',
    visualizationType: chart.visualizationType,
    references: [{ type: 'index-pattern', id: dataViewId, name: `indexpattern-datasource-layer-${LAYER}` }],
    state: {
      visualization: chart.visualization,
      query: kql(where),
      filters: [],
      datasourceStates: {
        formBased: {
          layers: { [LAYER]: { columns, columnOrder: columnOrder(columns), incompleteColumns: {} } },
        },
      },
      internalReferences: [],
      adHocDataViews: {},
    },
  };
}

interface Visualization {
  columns: Record<string, ColumnSpec>;
  visualizationType: 'lnsMetric' | 'lnsXY' | 'lnsDatatable';
  visualization: Record<string, unknown>;
}

function visualizationOf(spec: PanelSpec): Visualization {
  const { number, table, chart } = LENS.visualizations;
  if ('number' in spec)
    return {
      columns: { value: { ...spec.value, label: spec.number } },
      visualizationType: 'lnsMetric',
      visualization: number,
    };
  if ('table' in spec) {
    const columns = Object.keys(spec.columns).map((columnId) => ({ columnId, isTransposed: false }));
    const sorting = spec.sort && { columnId: spec.sort, direction: 'desc' };
    return {
      columns: spec.columns,
      visualizationType: 'lnsDatatable',
      visualization: { ...table, columns, sorting },
    };
  }
  const { series, x, split, values } = spec;
  const accessors = Object.keys(values);
  const splitAccessor = split && 'split';
  const layer = {
    layerId: LAYER,
    layerType: 'data',
    seriesType: series,
    xAccessor: 'x',
    splitAccessor,
    accessors,
  };
  return {
    // A split comes first, so that its largest values are selected for the whole time range, not for each interval.
    columns: split === undefined ? { x, ...values } : { split, x, ...values },
    visualizationType: 'lnsXY',
    visualization: {
      ...chart,
      legend: { isVisible: split !== undefined || accessors.length > 1, position: 'right' },
      fittingFunction: series === 'line' ? 'Linear' : 'None',
      preferredSeriesType: series,
      layers: [layer],
    },
  };
}

/** Sorts the ids of columns as Lens requires: buckets first, the outermost one first, then metrics. */
function columnOrder(columns: Record<string, LensColumn>): string[] {
  const isBucketed = (id: string) => columns[id]?.isBucketed === true;
  const ids = Object.keys(columns);
  return [...ids.filter(isBucketed), ...ids.filter((id) => !isBucketed(id))];
}
