import type { estypes } from '@elastic/elasticsearch';
import type { Storage } from '../../src/telemetry/events/streams.js';

/** The privileges of an Elasticsearch role. */
export type Privileges = Pick<estypes.SecurityPutRoleRequest, 'cluster' | 'indices'>;

/** The names of the indices from which the API computes its responses. */
const READ = ['products', 'suggestions', 'decisions', 'trends'];

/** The kinds of events that the API records. */
const EVENTS_OF_API = ['requests', 'audit'];

/**
 * Returns the privileges of the API, whose clients are not trusted. It may read products, suggestions,
 * decisions and trends, but not change them. It may add events of requests and the audit of keys, but may
 * not read, change or delete these, nor change their mappings or aliases. It may also read the events of
 * loads for its metrics.
 * @param storage how events are stored; null: no events are recorded.
 * @param options.partners whether partners may load listings over HTTP. If so, the API may also write
 *   products and suggestions, but not manage their indices.
 */
export function apiRole(
  indexPrefix: string,
  storage: Storage | null,
  { partners }: { partners: boolean },
): Privileges {
  return {
    cluster: ['monitor'],
    indices: [
      {
        names: READ.map((name) => `${indexPrefix}-${name}*`),
        privileges: ['read', 'view_index_metadata', 'monitor'],
      },
      ...(partners
        ? [
            { names: [`${indexPrefix}-products*`, `${indexPrefix}-suggestions*`], privileges: ['write'] },
            { names: [`${indexPrefix}-withdrawn*`], privileges: ['read'] },
          ]
        : []),
      // The metrics contain the time and the result of the last load of each source.
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
 * Returns the privileges for ingest, reindex, images and the retention of events: all privileges on the
 * indices of this service, and none on others. The audit of keys may be read and added to (`npm run keys`),
 * but not changed or deleted.
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

/**
 * Returns the privileges of `npm run restore` and `npm run restore-drill`: those of the data role, and the
 * privilege to restore snapshots. A user who may restore snapshots can create an index of any name, so no
 * other role has this privilege.
 */
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
 * The role of the Prometheus exporter for Elasticsearch. It may read the state of nodes, indices and
 * snapshots, but no documents. The exporter also reads index aliases, for which `monitor` is not
 * sufficient; without them it exports no index metrics.
 */
export const monitoringRole: Privileges = {
  cluster: ['monitor', 'monitor_snapshot'],
  indices: [{ names: ['*'], privileges: ['monitor', 'view_index_metadata'] }],
};
