import type { estypes } from '@elastic/elasticsearch';
import { type IndexKind, type StoredIndex, storedIndex, storedIndices } from '../../src/platform/stored.js';
import type { Storage } from '../../src/telemetry/events/streams.js';

export type Privileges = Pick<estypes.SecurityPutRoleRequest, 'cluster' | 'indices'>;

type Flags = { partners: boolean; reviewers: boolean };

/** The privileges of the API on an index, by what `INDICES` says that it does with it. */
function apiPrivileges(
  { form, api }: StoredIndex,
  storage: Storage | null,
  flags: Flags,
): NonNullable<estypes.SecurityIndicesPrivileges['privileges']> {
  const { read, refresh, write = [], own, append } = api ?? {};
  const owns = own === 'always' || (own === 'reviewers' && flags.reviewers);
  return [
    ...(read || owns ? ['read', 'view_index_metadata', 'monitor'] : []),
    ...(refresh || owns ? ['maintenance'] : []),
    ...(owns || write.some((flag) => flags[flag]) ? ['write'] : []),
    ...(owns ? ['create_index'] : []),
    ...(append && storage !== null ? ['create_doc'] : []),
    // The first event of a day creates the index of the day, as the index template defines.
    ...(append && form === 'stream' && storage === 'daily indices' ? ['auto_configure'] : []),
  ] as NonNullable<estypes.SecurityIndicesPrivileges['privileges']>;
}

/** The patterns of the names of an index, and of the indices behind an alias. */
const namesOf = (indexPrefix: string, kind: IndexKind, { form }: StoredIndex): string[] => {
  const name = storedIndex(indexPrefix, kind);
  return form === undefined ? [name] : [name, `${name}-*`];
};

/**
 * The privileges of the API, whose clients are not trusted: it reads what it serves and adds events. With `partners`, it also
 * writes listings; with `reviewers`, decisions and the groups that follow from them. `storage` is null if events are off.
 */
export function apiRole(indexPrefix: string, storage: Storage | null, flags: Flags): Privileges {
  const indices = storedIndices.flatMap(([kind, described]) => {
    const privileges = apiPrivileges(described, storage, flags);
    return privileges.length === 0 ? [] : [{ names: namesOf(indexPrefix, kind, described), privileges }];
  });
  return { cluster: ['monitor'], indices };
}

/** The privileges of the data team: everything on the indices of the service, except that audit events cannot be changed. */
export function dataRole(indexPrefix: string): Privileges {
  const prefix = indexPrefix.replaceAll(/[.-]/g, '\\$&');
  const appendOnly = storedIndices.filter(([, { appendOnly }]) => appendOnly === true);
  const excluded = appendOnly.flatMap(([kind]) => [kind, `${kind}-.*`]);
  return {
    cluster: ['monitor'],
    indices: [
      // In regular expressions of Lucene, `~` matches everything except the expression after it.
      { names: [`/${prefix}-~(${excluded.join('|')})/`], privileges: ['all'] },
      {
        names: appendOnly.flatMap(([kind, described]) => namesOf(indexPrefix, kind, described)),
        privileges: ['read', 'view_index_metadata', 'create_doc', 'auto_configure'],
      },
    ],
  };
}

/** The privileges of the data team and those for snapshots. Whoever may restore a snapshot may create indices of any name. */
export function restoreRole(indexPrefix: string): Privileges {
  const { cluster = [], indices = [] } = dataRole(indexPrefix);
  const snapshots = [
    'create_snapshot',
    'cluster:admin/repository/put',
    'cluster:admin/repository/verify',
    'cluster:admin/snapshot/delete',
    'cluster:admin/snapshot/restore',
  ];
  const counted = storedIndices
    .filter(([, { appendOnly }]) => appendOnly === true)
    .flatMap(([kind, described]) => namesOf(indexPrefix, kind, described));
  return {
    cluster: [...cluster, ...snapshots] as NonNullable<Privileges['cluster']>,
    indices: [...indices, { names: counted, privileges: ['monitor', 'maintenance'] }],
  };
}

/** The role of the Prometheus exporter, which reads no documents, but needs `view_index_metadata` for index metrics. */
export const monitoringRole: Privileges = {
  cluster: ['monitor'],
  indices: [{ names: ['*'], privileges: ['monitor', 'view_index_metadata'] }],
};
