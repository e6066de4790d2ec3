import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, estypes } from '@elastic/elasticsearch';
import { type Backoff, isRefusal } from '../../engine/backoff.js';
import { isNotFound } from '../../engine/errors.js';
import { OperationError } from '../../platform/operation-errors.js';

export interface Copy {
  es: Client;
  from: string;
  to: string;
  backoff: Backoff;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

type TaskResult = Record<'created' | 'updated' | 'version_conflicts', number> & {
  failures: Failure[];
  canceled?: string;
};

type Failure = Partial<estypes.BulkIndexByScrollFailure> & { reason?: estypes.ErrorCause };

const POLL_MS = [100, 200, 400, 800];
const BATCH = 1_000;
const MAX_REPORTED_FAILURES = 5;

/**
 * Starts a copy of the listings that were written after a sequence number, as a task that outlives this process. It skips a
 * listing that exists in the same or a later version, so copies may be repeated and run at once. @returns the id of the task.
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
        // A source filter leaves out unknown fields. A script could do the same, but would change the order of the fields.
        ...(unknown.length === 0 ? {} : { _source: { excludes: unknown } as unknown as string[] }),
      },
      dest: { index: to, version_type: 'external' },
    },
    // The client must not retry the request, because each one starts another copy of the index.
    { maxRetries: 0 },
  );
  return String(task);
}

/** The internal fields that a copy leaves out, because the target of a rollback has an older mapping without them. */
export async function unknownFields(es: Client, from: string, to: string): Promise<string[]> {
  const [fields = [], known = []] = await Promise.all(
    [from, to].map(async (index) => {
      const { [index]: state } = await es.indices.getMapping({ index });
      return Object.keys(
        (state?.mappings.properties?.['internal'] as estypes.MappingObjectProperty)?.properties ?? {},
      );
    }),
  );
  return fields.filter((field) => !known.includes(field)).map((field) => `internal.${field}`);
}

export const writtenAfter = (sequenceNumber: number): estypes.QueryDslQueryContainer => ({
  range: { _seq_no: { gt: sequenceNumber } },
});

export interface CopyCounts {
  written: number;
  /** Listings of the source that the target has now. */
  present: number;
}

/** Waits for a task; null if it is lost or ended early. @throws OperationError if the target index rejects a listing. */
export async function awaitCopy(copy: Copy, task: string): Promise<CopyCounts | null> {
  const { es, backoff, signal, onProgress } = copy;
  for (let polls = 0; ; polls++) {
    const answer = await backoff.retry(() => getTask(es, task));
    if (answer === null) return null;
    const status = answer.task.status as estypes.ReindexStatus | undefined;
    if (status !== undefined) onProgress(doneOf(status), status.total);
    if (answer.completed) return resultOf(answer, copy);
    await sleep(POLL_MS[polls] ?? 1_000, undefined, { signal });
  }
}

async function getTask(es: Client, task: string): Promise<estypes.TasksGetResponse | null> {
  try {
    return await es.tasks.get({ task_id: task });
  } catch (error) {
    // The node that ran the copy has left the cluster.
    if (isNotFound(error)) return null;
    throw error;
  }
}

export async function copyProgress(es: Client, task: string) {
  const answer = await getTask(es, task);
  const status = answer?.task.status as estypes.ReindexStatus | undefined;
  if (answer === null || answer.completed || status === undefined) return null;
  const { running_time_in_nanos = 0 } = answer.task;
  return { done: doneOf(status), total: status.total, runningMs: Number(running_time_in_nanos) / 1e6 };
}

const doneOf = ({ created = 0, updated = 0, version_conflicts = 0 }: Partial<TaskResult>): number =>
  created + updated + version_conflicts;

async function resultOf(answer: estypes.TasksGetResponse, { to, backoff }: Copy): Promise<CopyCounts | null> {
  const result = answer.response as unknown as TaskResult | undefined;
  if (result === undefined || result.canceled !== undefined) {
    await backoff.wait(result?.canceled ?? answer.error?.type ?? 'the copy ended early');
    return null;
  }
  const { failures } = result;
  if (failures.length === 0) {
    backoff.reset();
    return { written: result.created + result.updated, present: doneOf(result) };
  }
  const permanent = failures.filter(
    ({ status = 500 }) => status >= 400 && status < 500 && !isRefusal(status),
  );
  if (permanent.length === 0) {
    await backoff.wait(failureText(failures[0] ?? {}));
    return null;
  }
  const lines = permanent
    .slice(0, MAX_REPORTED_FAILURES)
    .map((failure) => `  ${failure.id}: ${failureText(failure)}`);
  throw new OperationError(
    `${to} does not take some of the listings, so the alias stays where it is:\n${lines.join('\n')}`,
  );
}

function failureText({ cause, reason, status }: Failure): string {
  const error = cause ?? reason;
  return error === undefined ? `status ${status}` : `${error.type} ${error.reason ?? ''}`;
}

/** Ends every running copy into an index, because one that outlives the deletion of the index would create it again. */
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
