import { savedDashboard } from './dashboard.js';
import { catalogue } from './dashboards/catalogue.js';
import { keys } from './dashboards/keys.js';
import { pricesAndDeals } from './dashboards/prices-and-deals.js';
import { quality } from './dashboards/quality.js';
import { traffic } from './dashboards/traffic.js';
import { dataViewAttributes, dataViews } from './data-views.js';

/** One line of what Kibana imports. */
export interface SavedObject {
  id: string;
  type: 'index-pattern' | 'dashboard';
  attributes: Record<string, unknown>;
  references: { id: string; name: string; type: string }[];
  coreMigrationVersion: string;
  typeMigrationVersion: string;
  managed: false;
}

export const DASHBOARDS = [catalogue, traffic, pricesAndDeals, quality, keys];

/** The versions that this state is written for. What a newer Kibana imports, it brings to its own. */
const CORE_VERSION = '8.8.0';
const TYPE_VERSIONS = { 'index-pattern': '7.11.0', dashboard: '10.2.0' };

/** Data views and dashboards for the indices of `indexPrefix`; the same prefix gives the same objects. */
export function savedObjects(indexPrefix: string): SavedObject[] {
  const views = dataViews(indexPrefix);
  return [
    ...Object.values(views).map((view) =>
      versioned('index-pattern', view.id, { attributes: dataViewAttributes(view), references: [] }),
    ),
    ...DASHBOARDS.map((dashboard) =>
      versioned(
        'dashboard',
        `${indexPrefix}-${dashboard.name}`,
        savedDashboard(dashboard, indexPrefix, views),
      ),
    ),
  ];
}

/** NDJSON, as Kibana's import takes it. */
export const toNdjson = (objects: readonly SavedObject[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('');

function versioned(
  type: SavedObject['type'],
  id: string,
  content: Pick<SavedObject, 'attributes' | 'references'>,
): SavedObject {
  return {
    id,
    type,
    ...content,
    coreMigrationVersion: CORE_VERSION,
    typeMigrationVersion: TYPE_VERSIONS[type],
    managed: false,
  };
}
