import type { DataView, DataViewName } from './data-views.js';
import { LAYER, lensAttributes, type Panel } from './panels.js';

/** A page of panels, in rows from the top. */
export interface Dashboard {
  /** Second part of its id. */
  name: string;
  title: string;
  description: string;
  /** Start of its time range, up to now: `now-24h`. */
  from: string;
  rows: Row[];
}

/** Panels side by side, as high as `height` and together as wide as the page. */
export interface Row {
  height: number;
  panels: Panel[];
  /** Of the page's 48 columns; equal shares where absent. */
  widths?: number[];
}

const PAGE_WIDTH = 48;

/** What the dashboard is saved as, and the data views that it refers to, for the indices of `indexPrefix`. */
export function savedDashboard(
  { title, description, from, rows }: Dashboard,
  indexPrefix: string,
  views: Record<DataViewName, DataView>,
) {
  const placed = rows.flatMap(placeRow);
  const panels = placed.map(({ panel, gridData }) => ({
    type: 'lens',
    gridData,
    panelIndex: gridData.i,
    embeddableConfig: {
      title: panel.title,
      // A single number has its title for a label.
      hidePanelTitles: panel.visualizationType === 'lnsMetric',
      attributes: lensAttributes(panel, views[panel.dataView].id),
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
      optionsJSON: JSON.stringify({
        useMargins: true,
        syncColors: false,
        syncCursor: true,
        syncTooltips: false,
        hidePanelTitles: false,
      }),
      panelsJSON: JSON.stringify(panels),
      kibanaSavedObjectMeta: {
        searchSourceJSON: JSON.stringify({ filter: [], query: { language: 'kuery', query: '' } }),
      },
    },
    references: placed.map(({ panel, gridData }) => ({
      id: views[panel.dataView].id,
      name: `${gridData.i}:indexpattern-datasource-layer-${LAYER}`,
      type: 'index-pattern',
    })),
  };
}

function placeRow({ height, panels, widths }: Row, index: number, rows: Row[]) {
  const y = rows.slice(0, index).reduce((sum, row) => sum + row.height, 0);
  const width = (i: number) => widths?.[i] ?? PAGE_WIDTH / panels.length;
  return panels.map((panel, i) => {
    const x = panels.slice(0, i).reduce((sum, _, before) => sum + width(before), 0);
    return { panel, gridData: { x, y, w: width(i), h: height, i: idOf(panel.title) } };
  });
}

const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
