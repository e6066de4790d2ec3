import type { estypes } from '@elastic/elasticsearch';
import type { Storage } from '../../src/observability/events/streams.js';

/** What a role may do. */
export type Privileges = Pick<estypes.SecurityPutRoleRequest, 'cluster' | 'indices'>;

/**
 * The API, which strangers talk to: it reads products and cannot change one, and adds documents to the events of
 * requests. It cannot read, change or delete those, nor say what their indices look like or which alias leads to them.
 * @param storage null: no events are written.
 */
export function apiRole(indexPrefix: string, storage: Storage | null): Privileges {
  return {
    cluster: ['monitor'],
    indices: [
      { names: [`${indexPrefix}-products*`], privileges: ['read', 'view_index_metadata', 'monitor'] },
      ...(storage === 'data stream'
        ? [{ names: [`${indexPrefix}-requests`], privileges: ['create_doc'] }]
        : []),
      // The first document of a day makes its index, as the template says.
      ...(storage === 'daily indices'
        ? [{ names: [`${indexPrefix}-requests-*`], privileges: ['create_doc', 'auto_configure'] }]
        : []),
    ],
  };
}

/** Ingest, reindex, images, retention of events: everything, in this service's indices alone. */
export function dataRole(indexPrefix: string): Privileges {
  return { cluster: ['monitor'], indices: [{ names: [`${indexPrefix}-*`], privileges: ['all'] }] };
}
