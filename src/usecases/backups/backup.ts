import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { isDiskFullError } from '../../engine/disk-full.js';
import { readGenerations } from '../../engine/generations.js';
import { Lease } from '../../engine/lease.js';
import { DAY_MS } from '../../listing/instant.js';
import { OperationError } from '../../platform/operation-errors.js';
import { storedIndex, storedIndices } from '../../platform/stored.js';
import { formatCount } from '../../text/quantities.js';
import { figuresOf, figuresText } from './figures.js';
import { BACKUP } from './progress.js';
import { type CopyFolder, copyRedis, hashOfCopy, readCopy, type RedisStore } from './redis-copy.js';
import { verifyRepository } from './repository.js';
import { type Contents, fromMetadata, readSnapshots, toMetadata } from './snapshot.js';

interface BackupOptions {
  es: Client;
  indexPrefix: string;
  alias: string;
  repository: string;
  redis: { store: RedisStore; folder: CopyFolder } | null;
  keep: Kept;
  now: () => Date;
  signal: AbortSignal;
  report: (line: string) => void;
}

/** Which backups are kept: those of the last `days`, and at least `count`. */
export interface Kept {
  days: number;
  count: number;
}

const POLL_MS = 200;

/**
 * Takes a backup: copies Redis, takes a snapshot of everything that is backed up, checks both, and deletes backups that are no
 * longer kept. Its outcome is recorded.
 * @throws OperationError if anything is missing in the backup, which is deleted then; LeaseHeldError while another one is taken.
 */
export async function backUp(options: BackupOptions): Promise<void> {
  const { es, indexPrefix, report, now } = options;
  const lease = await Lease.acquire(es, indexPrefix, BACKUP, report).catch((error: unknown) => {
    // The outcome of a backup cannot be recorded on a full disk, but the backup itself can be taken.
    if (!isDiskFullError(error)) throw error;
    return null;
  });
  const at = now();
  const take = async (signal: AbortSignal) => {
    try {
      const snapshot = await takeBackup({ ...options, signal }, at);
      await lease?.save({ verified_at: at.toISOString(), failed: null });
      await rotate(options, snapshot);
    } catch (error) {
      lease?.note({ failed: { at: now().toISOString(), reason: (error as Error).message } });
      throw error;
    }
  };
  await (lease === null ? take(options.signal) : lease.hold(options.signal, take));
}

async function takeBackup(options: BackupOptions, at: Date): Promise<string> {
  const { es, indexPrefix, alias, repository, redis, report } = options;
  await verifyRepository(es, repository);
  const { live } = await readGenerations(es, alias);
  const snapshot = `${indexPrefix}-${at.toISOString().replaceAll(/[-:.]/g, '').toLowerCase()}`;
  try {
    const copy = redis === null ? null : await copyRedis(redis.store, { indexPrefix, now: at });
    if (redis !== null && copy !== null) await redis.folder.write(snapshot, copy);
    const contents: Contents = {
      products: live.index,
      kinds: {},
      redis: copy === null ? null : { at: at.toISOString(), sha256: hashOfCopy(copy) },
    };
    const names: string[] = [];
    for (const [kind, { fate }] of storedIndices) {
      const name = kind === 'products' ? live.index : storedIndex(indexPrefix, kind);
      if (fate !== 'backed up' || !(await es.indices.exists({ index: name }))) continue;
      const figures = await figuresOf(es, kind, name);
      contents.kinds[kind] = figures;
      names.push(name);
      report(`${kind}: ${figuresText(figures)}`);
    }
    await takeSnapshot(options, snapshot, names, contents);
    if (redis !== null && contents.redis !== null) {
      // The copy is read back, because a full disk may have cut it off.
      const file = `The copy of Redis in ${redis.folder.path}`;
      const text = (await redis.folder.read(snapshot)) ?? '';
      const { keys, records } = readCopy(text, { file, indexPrefix, sha256: contents.redis.sha256 });
      report(`redis: ${formatCount(keys.length)} keys, ${formatCount(records.length)} other records`);
    } else report('redis: not copied');
  } catch (error) {
    await redis?.folder.remove(snapshot).catch(() => undefined);
    await es.snapshot.delete({ repository, snapshot }, { ignore: [404] }).catch(() => undefined);
    throw error;
  }
  report(`${snapshot}: complete in ${repository}${redis === null ? '' : ` and ${redis.folder.path}`}`);
  return snapshot;
}

async function takeSnapshot(
  { es, indexPrefix, repository, signal }: BackupOptions,
  snapshot: string,
  indices: string[],
  contents: Contents,
): Promise<void> {
  await es.snapshot.create(
    {
      repository,
      snapshot,
      indices,
      include_global_state: false,
      wait_for_completion: false,
      metadata: toMetadata(indexPrefix, contents),
    },
    // The request is not retried, because Elasticsearch refuses a second one after it has begun the snapshot.
    { maxRetries: 0 },
  );
  for (;;) {
    const [taken] = await readSnapshots(es, repository, snapshot);
    if (taken?.state === 'SUCCESS') {
      const kinds = fromMetadata(indexPrefix, taken)?.kinds ?? {};
      const missing = Object.keys(contents.kinds).filter((kind) => !(kind in kinds));
      if (missing.length === 0) return;
      throw new OperationError(`The snapshot ${snapshot} does not state ${missing.join(', ')}.`);
    }
    if (taken?.state !== 'IN_PROGRESS') {
      const why = (taken?.failures ?? []).map(({ index, reason }) => `${index}: ${reason}`).join('; ');
      throw new OperationError(
        `The snapshot ${snapshot} is ${taken?.state ?? 'gone'}${why === '' ? '' : ` (${why})`}; it is deleted.`,
      );
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Deletes backups that are no longer kept, and copies of Redis whose snapshot is gone. */
async function rotate(
  { es, indexPrefix, repository, redis, keep, now, report }: BackupOptions,
  newest: string,
): Promise<void> {
  const all = await readSnapshots(es, repository, '*');
  const own = all.filter((one) => fromMetadata(indexPrefix, one) !== null && one.state === 'SUCCESS');
  const oldest = now().getTime() - keep.days * DAY_MS;
  const gone = own
    .slice(keep.count)
    .filter((one) => one.snapshot !== newest && Date.parse(String(one.start_time)) < oldest)
    .map((one) => one.snapshot);
  for (const snapshot of gone) {
    await es.snapshot.delete({ repository, snapshot }, { ignore: [404] });
    report(`${snapshot}: deleted, because it is older than ${keep.days} days`);
  }
  const left = new Set(all.map((one) => one.snapshot).filter((snapshot) => !gone.includes(snapshot)));
  for (const { snapshot, writtenAt } of (await redis?.folder.list()) ?? [])
    // A copy without a snapshot that is less than a day old may belong to a backup that is being taken.
    if (gone.includes(snapshot) || (!left.has(snapshot) && now().getTime() - writtenAt > DAY_MS))
      await redis?.folder.remove(snapshot);
}
