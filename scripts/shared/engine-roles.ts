import type { estypes } from '@elastic/elasticsearch';
import type { Storage } from '../../src/telemetry/events/streams.js';

export type Privileges = Pick<estypes.SecurityPutRoleRequest, 'cluster' | 'indices'>;

const READ = [
  'products',
  'suggestions',
  'decisions',
  'models',
  'brands',
  'rules',
  'trends',
  // GET /v1/sources reads the schedules and the last runs of sources.
  'sources',
  // The change feed reads which listings were withdrawn and where the alias was before.
  'withdrawn',
  'reindex',
  // The metrics tell how far npm run alerts is.
  'leases',
];

/** The indices that the change feed refreshes before it reads them. */
const REFRESHED = ['products', 'withdrawn'];

const EVENTS_OF_API = ['requests', 'audit'];

/**
 * Returns the privileges of the API, whose clients are not trusted: it may read what it serves and add
 * events. With `partners`, it may also write listings; with `reviewers`, decisions and the groups that follow from them. `storage` is null if no events are recorded.
 */
export function apiRole(
  indexPrefix: string,
  storage: Storage | null,
  { partners, reviewers }: { partners: boolean; reviewers: boolean },
): Privileges {
  return {
    cluster: ['monitor'],
    indices: [
      {
        names: READ.map((name) => `${indexPrefix}-${name}*`),
        privileges: ['read', 'view_index_metadata', 'monitor'],
      },
      { names: REFRESHED.map((name) => `${indexPrefix}-${name}*`), privileges: ['maintenance'] },
      // The API stores alerts; the data team's user checks them.
      {
        names: [`${indexPrefix}-alerts`, `${indexPrefix}-alert-events`],
        privileges: ['read', 'write', 'create_index', 'view_index_metadata', 'maintenance'],
      },
      ...(partners
        ? [{ names: [`${indexPrefix}-products*`, `${indexPrefix}-suggestions*`], privileges: ['write'] }]
        : []),
      ...(reviewers
        ? [
            {
              names: ['decisions', 'links', 'review'].map((name) => `${indexPrefix}-${name}`),
              privileges: [
                'read' as const,
                'write' as const,
                'create_index' as const,
                'view_index_metadata' as const,
                'maintenance' as const,
              ],
            },
            { names: [`${indexPrefix}-products*`], privileges: ['write' as const] },
          ]
        : []),
      // The API may read the index of load records, because its metrics contain the time and the result of
      // the last load of each source.
      { names: [`${indexPrefix}-loads`, `${indexPrefix}-loads-*`], privileges: ['read'] },
      ...(storage === 'data stream'
        ? [{ names: EVENTS_OF_API.map((kind) => `${indexPrefix}-${kind}`), privileges: ['create_doc'] }]
        : []),
      // The first event of a day creates the index of the day, as the index template defines.
      ...(storage === 'daily indices'
        ? [
            {
              names: EVENTS_OF_API.map((kind) => `${indexPrefix}-${kind}-*`),
              privileges: ['create_doc', 'auto_configure'],
            },
          ]
        : []),
    ],
  };
}

/**
 * Returns the privileges of the data team: all on the indices of this service, except that the audit of keys
 * may only be read and added to.
 */
export function dataRole(indexPrefix: string): Privileges {
  const prefix = indexPrefix.replaceAll(/[.-]/g, '\\$&');
  const audit = `${indexPrefix}-audit`;
  return {
    cluster: ['monitor'],
    indices: [
      // A regular expression of Lucene, in which ~ matches everything except the following expression.
      { names: [`/${prefix}-~(audit|audit-.*)/`], privileges: ['all'] },
      {
        names: [audit, `${audit}-*`],
        privileges: ['read', 'view_index_metadata', 'create_doc', 'auto_configure'],
      },
    ],
  };
}

/** Adds the privilege to restore snapshots, with which a user can create an index of any name. */
export function restoreRole(indexPrefix: string): Privileges {
  const { cluster = [], indices = [] } = dataRole(indexPrefix);
  const snapshots = [
    'cluster:admin/repository/get',
    'cluster:admin/snapshot/get',
    'cluster:admin/snapshot/restore',
  ];
  return { cluster: [...cluster, ...snapshots] as NonNullable<Privileges['cluster']>, indices };
}

/**
 * The role of the Prometheus exporter, which reads no documents. Without `view_index_metadata` it exports no
 * index metrics.
 */
export const monitoringRole: Privileges = {
  cluster: ['monitor', 'monitor_snapshot'],
  indices: [{ names: ['*'], privileges: ['monitor', 'view_index_metadata'] }],
};
