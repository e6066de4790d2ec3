import { type ColumnMaker, kql, type LensColumn } from './columns.js';
import type { DataViewName } from './data-views.js';

/** A chart over one data view. */
export interface Panel {
  title: string;
  /** What to know before believing it, shown at the title; absent where the title says it all. */
  description?: string;
  dataView: DataViewName;
  /** KQL: the documents that it is about; all where empty. */
  where: string;
  columns: Record<string, LensColumn>;
  visualizationType: 'lnsMetric' | 'lnsXY' | 'lnsDatatable';
  /** Lens's state of the chart itself. */
  visualization: Record<string, unknown>;
}

interface About {
  description?: string;
  dataView: DataViewName;
  where?: string;
}

/** There is one layer to a panel. */
export const LAYER = 'layer';

const panel = (
  title: string,
  { where = '', ...about }: About,
  makers: Record<string, ColumnMaker>,
  visualizationType: Panel['visualizationType'],
  visualization: Record<string, unknown>,
): Panel => ({
  title,
  ...about,
  where,
  columns: Object.assign({}, ...Object.entries(makers).map(([id, make]) => make(id))) as Panel['columns'],
  visualizationType,
  visualization,
});

/** One number, large, with the title for its label. */
export function number(title: string, about: About, make: (label: string) => ColumnMaker): Panel {
  return panel(title, about, { value: make(title) }, 'lnsMetric', {
    layerId: LAYER,
    layerType: 'data',
    metricAccessor: 'value',
  });
}

/** Rows and columns; buckets first. */
export function table(
  title: string,
  about: About & { sortBy?: string },
  makers: Record<string, ColumnMaker>,
): Panel {
  const { sortBy, ...rest } = about;
  return panel(title, rest, makers, 'lnsDatatable', {
    layerId: LAYER,
    layerType: 'data',
    columns: Object.keys(makers).map((columnId) => ({ columnId, isTransposed: false })),
    ...(sortBy === undefined ? {} : { sorting: { columnId: sortBy, direction: 'desc' } }),
    rowHeight: 'single',
    rowHeightLines: 1,
  });
}

type Series = 'line' | 'bar_stacked' | 'bar_percentage_stacked' | 'bar_horizontal' | 'area_stacked';

/**
 * Bars or lines.
 * @param axes.x along the axis; `axes.split`: a colour for each of its values; every other column is a series.
 */
export function chart(
  title: string,
  series: Series,
  about: About,
  { x, split, ...values }: Record<string, ColumnMaker> & { x: ColumnMaker; split?: ColumnMaker },
): Panel {
  const accessors = Object.keys(values);
  const visible = { x: false, yLeft: false, yRight: false };
  const shown = { x: true, yLeft: true, yRight: true };
  // Of a split in time, the largest values of the whole time are wanted, not those of each step: so it comes first.
  const makers = split === undefined ? { x, ...values } : { split, x, ...values };
  return panel(title, about, makers, 'lnsXY', {
    legend: { isVisible: split !== undefined || accessors.length > 1, position: 'right' },
    valueLabels: 'hide',
    fittingFunction: series === 'line' ? 'Linear' : 'None',
    axisTitlesVisibilitySettings: visible,
    tickLabelsVisibilitySettings: shown,
    gridlinesVisibilitySettings: shown,
    labelsOrientation: { x: 0, yLeft: 0, yRight: 0 },
    preferredSeriesType: series,
    layers: [
      {
        layerId: LAYER,
        layerType: 'data',
        seriesType: series,
        xAccessor: 'x',
        ...(split === undefined ? {} : { splitAccessor: 'split' }),
        accessors,
      },
    ],
  });
}

/** The panel's `attributes` as a dashboard keeps it by value. */
export function lensAttributes(
  { title, description = '', where, columns, visualizationType, visualization }: Panel,
  dataViewId: string,
) {
  return {
    title,
    description,
    type: 'lens',
    visualizationType,
    references: [{ type: 'index-pattern', id: dataViewId, name: `indexpattern-datasource-layer-${LAYER}` }],
    state: {
      visualization,
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

/** Buckets, outermost first, then what is counted in them. */
function columnOrder(columns: Record<string, LensColumn>): string[] {
  const isBucketed = (id: string) => columns[id]?.isBucketed === true;
  const ids = Object.keys(columns);
  return [...ids.filter(isBucketed), ...ids.filter((id) => !isBucketed(id))];
}
