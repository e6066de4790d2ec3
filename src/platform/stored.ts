import { shippedJson } from './shipped-files.js';

/** What happens to data after a loss: a restore needs them, they are computed again, or they are of no use after a while. */
export type Fate = 'backed up' | 'rebuilt' | 'expires';

/** The privileges of the service's Elasticsearch user for an index, in addition to those that `READERS` states. */
export interface ApiPrivileges {
  /** Reads documents, and whether the index exists. */
  read?: true;
  /** Refreshes the index before it reads it. */
  refresh?: true;
  /** Writes documents of an existing index: with `PARTNERS=on`, or with `REVIEWERS=on`. */
  write?: readonly ('partners' | 'reviewers')[];
  /** Creates the index, and reads and writes documents: always, or with `REVIEWERS=on`. */
  own?: 'always' | 'reviewers';
  /** Adds events, and cannot read or change them. */
  append?: true;
}

interface StoredBase {
  /** What the index contains, as the help of `npm run backup` describes it. */
  holds: string;
  fate: Fate;
  /** The consequence of a loss, how the data are rebuilt, or when they expire, for the help of `npm run backup`. */
  loss: string;
}

export interface StoredIndex extends StoredBase {
  /** The form of storage: one index by default; `generations` behind an alias; or a `stream` (data stream or daily indices). */
  form?: 'generations' | 'stream';
  /** The version of the mapping, 1 by default. A restore refuses an index with a higher one. */
  schema?: number;
  /** The field with the time of the last change of a document, if it has one. */
  changed?: string;
  api?: ApiPrivileges;
  /** How long the documents of a stream are kept: a number of days, or the setting that states it. */
  keep?: 'EVENTS_RETENTION' | number;
  /** The fields with the ids of the listings that a document is about. `npm run withdraw` deletes such documents with a listing. */
  listingIds?: readonly string[];
  /** Whether the data team may only read the documents and add others. */
  appendOnly?: true;
}

export interface StoredSpace extends StoredBase {
  /** The first parts of the names in Redis, which follow `<prefix>:`. */
  spaces: readonly string[];
}

const PRODUCTS_SCHEMA = (
  shippedJson('mappings/products.json') as { mappings: { _meta: { schema_version: number } } }
).mappings._meta.schema_version;

/** Every index, by its name after `<prefix>-`: backups, restores, roles, retention and the help of npm run backup follow from it. */
export const INDICES = {
  products: {
    form: 'generations',
    schema: PRODUCTS_SCHEMA,
    fate: 'backed up',
    holds: 'listings with their price histories',
    loss: 'the price history: feeds bring back listings, but not their old prices',
    changed: 'internal.observed_at',
    api: { read: true, refresh: true, write: ['partners', 'reviewers'] },
  },
  withdrawn: {
    fate: 'backed up',
    holds: 'which listings were withdrawn',
    loss: 'feeds bring withdrawn listings back',
    changed: 'withdrawn_at',
    api: { read: true, refresh: true },
  },
  decisions: {
    fate: 'backed up',
    holds: 'human decisions about matches',
    loss: 'nothing restores them',
    changed: 'decided_at',
    api: { read: true, own: 'reviewers' },
  },
  review: {
    fate: 'backed up',
    holds: 'the pairs that people should judge, and who answered or skipped them',
    loss: '`npm run link -- --all` fills the queue again, without what was skipped',
    listingIds: ['a', 'b'],
    api: { own: 'reviewers' },
  },
  links: {
    fate: 'backed up',
    holds: 'compared pairs and their groups',
    loss: '`npm run link -- --all` recomputes them, which takes long',
    listingIds: ['id'],
    api: { own: 'reviewers' },
  },
  models: {
    fate: 'backed up',
    holds: 'matching models, and which one is active',
    loss: '`npm run learn` learns another version',
    api: { read: true },
  },
  brands: {
    fate: 'backed up',
    holds: 'brand dictionaries, and what operators added and removed',
    loss: 'nothing restores what operators changed',
    api: { read: true },
  },
  rules: {
    fate: 'backed up',
    holds: 'merchandising rules, and which version is active',
    loss: 'searches have no rules until their file is published again',
    api: { read: true },
  },
  alerts: {
    fate: 'backed up',
    holds: 'alerts of developers, with their encrypted webhook secrets',
    loss: 'developers create them again',
    changed: 'created_at',
    api: { own: 'always' },
  },
  'alert-events': {
    fate: 'backed up',
    holds: 'events of alerts, and how far they were delivered',
    loss: 'undelivered events are never sent',
    changed: 'timestamp',
    api: { own: 'always' },
  },
  sources: {
    fate: 'backed up',
    holds: 'the state of each configured source',
    loss: 'every source is loaded at once, without the guards that compare with its last load',
    api: { read: true },
  },
  runs: {
    fate: 'backed up',
    holds: 'the last 1,000 loads of each source',
    loss: 'nobody knows what was loaded when',
    changed: 'started_at',
  },
  trends: {
    fate: 'backed up',
    holds: 'which listings attract interest',
    loss: '`npm run follow-up` computes them from `requests`',
    api: { read: true },
  },
  suggestions: {
    form: 'generations',
    fate: 'backed up',
    holds: 'suggestions of the search box',
    loss: '`npm run suggest` builds them again',
    api: { read: true, write: ['partners'] },
  },
  audit: {
    form: 'stream',
    fate: 'backed up',
    holds: 'who created, rotated and revoked keys; kept for a year',
    loss: 'only the log has it, and a restore of keys cannot see later revocations',
    changed: '@timestamp',
    api: { append: true },
    keep: 365,
    appendOnly: true,
  },
  requests: {
    form: 'stream',
    fate: 'backed up',
    holds: 'usage: one event for each request',
    loss: 'dashboards of traffic and trends begin again',
    changed: '@timestamp',
    api: { append: true },
    keep: 'EVENTS_RETENTION',
  },
  loads: {
    form: 'stream',
    fate: 'backed up',
    holds: 'one event for each load',
    loss: 'dashboards of loads begin again',
    changed: '@timestamp',
    api: { read: true },
    keep: 'EVENTS_RETENTION',
  },
  revocations: {
    fate: 'expires',
    holds: 'ids of keys, and from when they are refused; the API reads it while Redis is away',
    loss: 'after 13 hours; before, an instance may serve a revoked key while Redis is away',
    api: { own: 'always' },
  },
  leases: {
    fate: 'rebuilt',
    holds: 'how far alerts are checked, and full passes are',
    loss: 'after a restore, alerts are checked on the next changes, and a full pass follows',
    api: { read: true },
  },
  'follow-up': {
    fate: 'rebuilt',
    holds: 'written listings on which flags and suggestions depend, until these are updated',
    loss: 'the next full pass of `npm run follow-up` does what waited',
    api: { read: true },
  },
  reindex: {
    fate: 'rebuilt',
    holds: 'which reindex or restore runs, and where the alias was before',
    loss: 'a reindex that was under way is begun again, and none can be rolled back',
    api: { read: true },
  },
} as const satisfies Record<string, StoredIndex>;

/** Everything of the service in Redis, whose names begin with `<prefix>:`. */
export const SPACES = {
  keys: {
    spaces: ['keys', 'key-id', 'key'],
    fate: 'backed up',
    holds: 'API keys (hashes) with their tiers, scopes and expiry',
    loss: 'every client needs a new key',
  },
  quotas: {
    spaces: ['quota'],
    fate: 'backed up',
    holds: 'what each source has written today',
    loss: 'daily quotas begin again',
  },
  'previous secrets': {
    spaces: ['jwt-previous'],
    fate: 'backed up',
    holds: 'since when a JWT secret is the previous one',
    loss: 'its tokens are accepted for another 30 minutes',
  },
  limits: {
    spaces: ['limit', 'limit-suggestions', 'limit-writes'],
    fate: 'expires',
    holds: 'requests of the current minute',
    loss: 'after one minute',
  },
  grants: {
    spaces: ['oauth'],
    fate: 'expires',
    holds: 'clients, codes and tokens of OAuth',
    loss: 'after 30 days at most; a copy would revive revoked consents',
  },
  idempotency: {
    spaces: ['idempotency', 'idempotency-bytes', 'running'],
    fate: 'expires',
    holds: 'outcomes by Idempotency-Key, and locks',
    loss: 'after one day',
  },
} as const satisfies Record<string, StoredSpace>;

/** The folders in which the service stores files, by their path or the setting that names them. */
export const FOLDERS = {
  PICTURES_FOLDER: {
    fate: 'rebuilt',
    holds: 'small pictures of listings, deleted with them; `npm run images` writes them',
    loss: '`npm run images -- --again` fetches them again; until then the explorer shows letters',
  },
  '/var/tmp': { fate: 'expires', holds: 'streams of feeds while they are read twice', loss: 'with the load' },
} as const satisfies Record<string, StoredBase>;

export type IndexKind = keyof typeof INDICES;
type RedisSpace = (typeof SPACES)[keyof typeof SPACES]['spaces'][number];

export const storedIndices = Object.entries(INDICES) as [IndexKind, StoredIndex][];

export function schemaOf(kind: IndexKind): number {
  const { schema = 1 }: StoredIndex = INDICES[kind];
  return schema;
}

/** The name of an index, or of the alias or data stream that stands for several. */
export const storedIndex = (indexPrefix: string, kind: IndexKind): string => `${indexPrefix}-${kind}`;

/** The name of a record in Redis, or with an empty last part the beginning of such names. */
export const redisName = (prefix: string, space: RedisSpace, ...parts: string[]): string =>
  [prefix, space, ...parts].join(':');

/** How the names of the indices behind an alias or data stream continue. */
const CONTINUATIONS = {
  generations: /^(-v\d+|-\d+-[0-9a-f]+)$/,
  stream: /^(-\d{4}\.\d\d\.\d\d(-\d{6,})?)?$/,
};

/** The kind of an index, by its own name or that of its alias or data stream; null: it is not one of this service. */
export function kindOfIndex(indexPrefix: string, name: string): IndexKind | null {
  const given = name.startsWith('.ds-') ? name.slice('.ds-'.length) : name;
  for (const [kind, { form }] of storedIndices) {
    const begin = storedIndex(indexPrefix, kind);
    if (given === begin) return kind;
    if (form === undefined || !given.startsWith(begin)) continue;
    if (CONTINUATIONS[form].test(given.slice(begin.length))) return kind;
  }
  return null;
}

/** The kind of a record in Redis; null: it is not one of this service. */
export function kindOfRecord(prefix: string, name: string): keyof typeof SPACES | null {
  if (!name.startsWith(`${prefix}:`)) return null;
  const [space = ''] = name.slice(prefix.length + 1).split(':', 1);
  const kinds = Object.keys(SPACES) as (keyof typeof SPACES)[];
  return kinds.find((kind) => (SPACES[kind].spaces as readonly string[]).includes(space)) ?? null;
}
