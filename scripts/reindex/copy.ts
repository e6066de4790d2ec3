import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { isRefusal, type Backoff } from '../../src/engine/backoff.js';
import { CommandError } from '../shared/exit.js';

export interface Copy {
  es: Client;
  from: string;
  to: string;
  backoff: Backoff;
  signal: AbortSignal;
  /** Told how many listings were looked at, of how many. */
  onProgress: (done: number, total: number) => void;
}

/** How far an index has come. */
export interface Writes {
  /** Sequence number up to which every write is on every copy of its shard, the lowest of all shards. */
  covered: number;
  /** Grows with every write. */
  count: number;
}

/** Status of a `_reindex` task as it is stored when the task has ended. */
interface Ended {
  total: number;
  created: number;
  updated: number;
  failures: Failure[];
  canceled?: string;
}
interface Failure {
  id?: string;
  status?: number;
  cause?: { type: string; reason?: string | null };
  reason?: { type: string; reason?: string | null };
}

const POLL_MS = [100, 200, 400, 800];
const BATCH = 1_000;
const SHOWN_FAILURES = 5;

/** @throws CommandError when a shard has no primary that could tell. */
export async function writesOf(es: Client, index: string): Promise<Writes> {
  const [stats, settings] = await Promise.all([
    es.indices.stats({ index, level: 'shards', metric: ['docs'] }),
    es.indices.getSettings({ index, name: 'index.number_of_shards' }),
  ]);
  const shards = Object.values(stats.indices?.[index]?.shards ?? {}).flatMap((copies) =>
    copies.flatMap(({ routing, seq_no }) => (routing?.primary && seq_no !== undefined ? [seq_no] : [])),
  );
  if (shards.length !== Number(settings[index]?.settings?.index?.number_of_shards)) {
    throw new CommandError(`Not every shard of ${index} is there; try again when the cluster has recovered.`);
  }
  return {
    covered: Math.min(...shards.map(({ global_checkpoint }) => global_checkpoint)),
    count: shards.reduce((sum, { max_seq_no }) => sum + max_seq_no, 0),
  };
}

/** Makes every write so far visible, on every copy of every shard. */
export async function refreshFully(es: Client, index: string, backoff: Backoff): Promise<void> {
  for (;;) {
    const { _shards } = await backoff.retry(() => es.indices.refresh({ index }));
    if (_shards !== undefined && _shards.failed === 0) return;
    await backoff.wait('a shard could not be refreshed');
  }
}

/**
 * Has the engine copy what was written after a sequence number, as a task of its own that outlives this process.
 * Versions go along, and a listing that is there in the same version or a later one is left alone: so copying twice,
 * or two copies at once, are the same as one.
 * @returns the task's id.
 */
export async function startCopy({ es, from, to }: Copy, after: number): Promise<string> {
  const unknown = await unknownFields(es, from, to);
  const { task } = await es.reindex(
    {
      wait_for_completion: false,
      slices: 'auto',
      conflicts: 'proceed',
      source: {
        index: from,
        size: BATCH,
        ...(after < 0 ? {} : { query: writtenAfter(after) }),
        // Not by a script: the order of a listing's fields would be lost.
        ...(unknown.length === 0 ? {} : { _source: { excludes: unknown } as unknown as string[] }),
      },
      dest: { index: to, version_type: 'external' },
    },
    // The client's own second try would be a second copy.
    { maxRetries: 0 },
  );
  return String(task);
}

/** What a later version of the mapping added beside a listing: an index of the one before, gone back to, takes none of it. */
async function unknownFields(es: Client, from: string, to: string): Promise<string[]> {
  const [mine = [], known = []] = await Promise.all(
    [from, to].map(async (index) => {
      const { [index]: state } = await es.indices.getMapping({ index });
      return Object.keys(
        (state?.mappings.properties?.['internal'] as estypes.MappingObjectProperty)?.properties ?? {},
      );
    }),
  );
  return mine.filter((field) => !known.includes(field)).map((field) => `internal.${field}`);
}

/** Listings whose last write came after a sequence number. */
export const writtenAfter = (sequenceNumber: number): estypes.QueryDslQueryContainer => ({
  range: { _seq_no: { gt: sequenceNumber } },
});

/**
 * Waits for a copy.
 * @returns how many listings it wrote; null: the engine has no such task any more, or ended it early.
 * @throws CommandError when `to` does not take a listing.
 */
export async function awaitCopy(copy: Copy, task: string): Promise<number | null> {
  const { es, backoff, signal, onProgress } = copy;
  for (let polls = 0; ; polls++) {
    const answer = await backoff.retry(() => getTask(es, task));
    if (answer === null) return null;
    const status = answer.task.status as estypes.ReindexStatus | undefined;
    if (status !== undefined) onProgress(doneOf(status), status.total);
    if (answer.completed) return outcome(answer, copy);
    await sleep(POLL_MS[polls] ?? 1_000, undefined, { signal });
  }
}

async function getTask(es: Client, task: string): Promise<estypes.TasksGetResponse | null> {
  try {
    return await es.tasks.get({ task_id: task });
  } catch (error) {
    // Its node went away and took it along.
    if (error instanceof errors.ResponseError && error.statusCode === 404) return null;
    throw error;
  }
}

/**
 * How far a copy is.
 * @returns null: the engine has no such task, or it has ended.
 */
export async function copyProgress(
  es: Client,
  task: string,
): Promise<{ done: number; total: number; runningMs: number } | null> {
  const answer = await getTask(es, task);
  const status = answer?.task.status as estypes.ReindexStatus | undefined;
  if (answer === null || answer.completed || status === undefined) return null;
  const { running_time_in_nanos = 0 } = answer.task;
  return { done: doneOf(status), total: status.total, runningMs: Number(running_time_in_nanos) / 1e6 };
}

const doneOf = ({ created = 0, updated = 0, version_conflicts = 0 }: estypes.ReindexStatus): number =>
  created + updated + version_conflicts;

async function outcome(answer: estypes.TasksGetResponse, { to, backoff }: Copy): Promise<number | null> {
  const ended = answer.response as unknown as Ended | undefined;
  if (ended === undefined || ended.canceled !== undefined) {
    await backoff.wait(ended?.canceled ?? answer.error?.type ?? 'the copy ended early');
    return null;
  }
  const { failures } = ended;
  if (failures.length === 0) {
    backoff.reset();
    return ended.created + ended.updated;
  }
  const lasting = failures.filter(({ status = 500 }) => status >= 400 && status < 500 && !isRefusal(status));
  if (lasting.length === 0) {
    await backoff.wait(reasonOf(failures[0] ?? {}));
    return null;
  }
  const shown = lasting.slice(0, SHOWN_FAILURES).map((failure) => `  ${failure.id}: ${reasonOf(failure)}`);
  throw new CommandError(
    `${to} does not take some of the listings, so the alias stays where it is:\n${shown.join('\n')}`,
  );
}

function reasonOf({ cause, reason, status }: Failure): string {
  const told = cause ?? reason;
  return told === undefined ? `status ${status}` : `${told.type} ${told.reason ?? ''}`;
}

/** Ends every copy into an index, so that none of them makes the index anew when it is deleted. */
export async function cancelCopies(es: Client, to: string): Promise<void> {
  const { tasks } = await es.tasks.list({ actions: '*reindex', detailed: true, group_by: 'none' });
  for (const { node, id, description, parent_task_id } of Object.values(
    tasks ?? {},
  ) as estypes.TasksTaskInfo[]) {
    if (parent_task_id !== undefined || !description?.endsWith(`to [${to}]`)) continue;
    const task_id = `${node}:${id}`;
    await es.tasks.cancel({ task_id, wait_for_completion: true }, { ignore: [404] });
  }
}
