import type { estypes } from '@elastic/elasticsearch';
import type { Storage } from '../../src/telemetry/events/streams.js';

/** What a role may do. */
export type Privileges = Pick<estypes.SecurityPutRoleRequest, 'cluster' | 'indices'>;

/** What answers are made of. */
const READ = ['products', 'suggestions', 'decisions', 'trends'];

/** Of what the API adds documents to. */
const EVENTS_OF_API = ['requests', 'audit'];

/**
 * The API, which strangers talk to: it reads products, what was made of them and what people decided of them, and cannot
 * change one, and adds documents to the events of requests and to the audit of keys. It cannot read, change or delete
 * those, nor say what their indices look like or which alias leads to them.
 * Those of loads it may read, for its metrics.
 * @param storage null: no events are written.
 * @param options.partners whether partners load listings over HTTP: then it may write them and add suggestions, but not
 * manage their indices.
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
      // When each source was last loaded, and what became of it, for the metrics.
      { names: [`${indexPrefix}-loads`, `${indexPrefix}-loads-*`], privileges: ['read'] },
      ...(storage === 'data stream'
        ? [{ names: EVENTS_OF_API.map((kind) => `${indexPrefix}-${kind}`), privileges: ['create_doc'] }]
        : []),
      // The first document of a day makes its index, as the template says.
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
 * Ingest, reindex, images, retention of events: everything, in this service's indices alone. What was done with keys it
 * may read and add to (`npm run keys`), but neither change nor delete.
 */
export function dataRole(indexPrefix: string): Privileges {
  const prefix = indexPrefix.replaceAll(/[.-]/g, '\\$&');
  const audit = `${indexPrefix}-audit`;
  return {
    cluster: ['monitor'],
    indices: [
      // A pattern of Lucene's, in which ~ is all that is not this.
      { names: [`/${prefix}-~(audit|audit-.*)/`], privileges: ['all'] },
      {
        names: [audit, `${audit}-*`],
        privileges: ['read', 'view_index_metadata', 'create_doc', 'auto_configure'],
      },
    ],
  };
}

/**
 * `npm run restore` and `npm run restore-drill`: what the data team may do, and to restore from snapshots. Whoever may restore
 * can make an index of any name, so nobody else has this.
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
 * The role of the Prometheus exporter for Elasticsearch. It may read the state of nodes, indices and snapshots, but no
 * documents. The exporter also reads index aliases, which `monitor` does not allow; without them it exports no index metrics.
 */
export const monitoringRole: Privileges = {
  cluster: ['monitor', 'monitor_snapshot'],
  indices: [{ names: ['*'], privileges: ['monitor', 'view_index_metadata'] }],
};
