import type { estypes } from '@elastic/elasticsearch';

/** What a role may do. */
export type Privileges = Pick<estypes.SecurityPutRoleRequest, 'cluster' | 'indices'>;

/** Index templates belong to the cluster: there is no narrower privilege for those of the events. */
const CLUSTER: Privileges['cluster'] = ['monitor', 'manage_index_templates'];

/**
 * The API, which strangers talk to: it reads products and cannot change one, and writes and expires the events of
 * requests.
 */
export function apiRole(indexPrefix: string): Privileges {
  return {
    cluster: CLUSTER,
    indices: [
      { names: [`${indexPrefix}-products*`], privileges: ['read', 'view_index_metadata', 'monitor'] },
      {
        names: [`${indexPrefix}-requests*`, `${indexPrefix}-loads*`],
        privileges: ['create_doc', 'manage', 'view_index_metadata'],
      },
    ],
  };
}

/** Ingest, reindex, images: everything, in this service's indices alone. */
export function dataRole(indexPrefix: string): Privileges {
  return { cluster: CLUSTER, indices: [{ names: [`${indexPrefix}-*`], privileges: ['all'] }] };
}
