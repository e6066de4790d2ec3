import type { Kql } from '../../../scripts/dashboards/lens-columns.js';
import { type SavedObject, savedObjects } from '../../../scripts/dashboards/saved-objects.js';
import type { Layer } from './lens-search.js';

/** A dashboard panel in the imported saved objects. */
export interface SavedPanel {
  dashboard: SavedObject;
  panelIndex: string;
  title: string;
  gridData: { x: number; y: number; w: number; h: number; i: string };
  reference: { type: string; id: string; name: string };
  layerId: string;
  layer: Layer;
  query: Kql;
  visualizationType: string;
  visualization: any;
}

export function savedPanels(indexPrefix: string): SavedPanel[] {
  return savedObjects(indexPrefix)
    .filter(({ type }) => type === 'dashboard')
    .flatMap((dashboard) =>
      (JSON.parse(dashboard.attributes.panelsJSON as string) as any[]).map((panel): SavedPanel => {
        const { attributes, title } = panel.embeddableConfig;
        const { state, references, visualizationType } = attributes;
        const layers = Object.entries(state.datasourceStates.formBased.layers) as [string, Layer][];
        const [only] = layers;
        if (layers.length !== 1 || only === undefined)
          throw new Error(`${title} has ${layers.length} layers`);
        if (state.filters.length > 0) throw new Error(`${title} has filters beside its query`);
        return {
          dashboard,
          panelIndex: panel.panelIndex,
          gridData: panel.gridData,
          title,
          visualizationType,
          reference: references[0],
          layerId: only[0],
          layer: only[1],
          query: state.query,
          visualization: state.visualization,
        };
      }),
    );
}
