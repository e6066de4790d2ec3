import type { Client } from '@elastic/elasticsearch';
import { INDICES, type IndexKind, storedIndex } from '../../platform/stored.js';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import { type Figures, figuresOf, figuresText, shortfall } from './figures.js';
import { deleteIndices, type RestoreContext, restoreIndices } from './restore-indices.js';
import type { SnapshotContent } from './snapshot.js';

/** A merge of a large index takes as long as its reindex. */
const MERGE_DEADLINES = { requestTimeout: 6 * 3_600_000, maxRetries: 0 };

/**
 * Restores the indices of a kind other than the listings. Indices that are missing get their names back. An index that was
 * created after the snapshot, for example by a service that was started on the empty cluster, gets the documents that it
 * lacks. An index that has every write of the snapshot stays as it is.
 * @returns what became of the kind, for the operator.
 * @throws OperationError if the snapshot lacks what it should contain.
 */
export async function restoreKind(
  context: RestoreContext,
  source: SnapshotContent,
  kind: IndexKind,
): Promise<string> {
  const { es, indexPrefix } = context;
  const name = storedIndex(indexPrefix, kind);
  const { [kind]: indices = [] } = source.indices;
  const recorded = source.contents?.kinds[kind];
  if (indices.length === 0) {
    if (recorded !== undefined)
      throw new OperationError(`missing in the snapshot, which states ${figuresText(recorded)}`);
    return source.contents === null ? 'not in the snapshot' : 'did not exist when the snapshot was taken';
  }
  const exists = await es.indices.exists({ index: name });
  if (INDICES[kind].form === 'generations' && exists) return 'kept: newer ones exist';
  const created = await creationTimes(es, indices);
  const isStream = source.dataStreams.includes(name) && exists;
  const absent = indices.filter((index) => !created.has(index));
  const isNewer = async (index: string) => {
    if ((created.get(index) ?? 0) > Date.parse(source.startedAt)) return true;
    const [only, ...others] = indices;
    if (recorded === undefined || only === undefined || others.length > 0) return false;
    return (await figuresOf(es, kind, only)).writes < recorded.writes;
  };
  const merged = isStream ? absent : [];
  for (const index of created.keys()) if (await isNewer(index)) merged.push(index);
  const restored = isStream ? [] : absent;
  if (restored.length + merged.length === 0) return 'kept: has every write of the snapshot';

  const found: Figures[] = [];
  if (restored.length > 0) {
    const whole = source.dataStreams.includes(name) ? { stream: name } : {};
    await discardingOnFailure(es, restored, () => restoreIndices(context, source, restored, whole));
    found.push(await figuresOf(es, kind, restored));
  }
  const added = await mergeIndices(context, source, { kind, indices: merged, isStream, found });
  const total = sumOf(found);
  const lacking =
    recorded === undefined || restored.length + merged.length < indices.length
      ? null
      : shortfall(recorded, total);
  if (lacking !== null) throw new OperationError(`restored, but ${lacking}`);
  const newer = merged.length > 0 ? `, ${formatCount(added)} of them added to a newer index` : '';
  return `restored: ${figuresText(total)}${newer}`;
}

/** Restores indices under temporary names, and adds the documents whose ids the existing ones lack. */
async function mergeIndices(
  context: RestoreContext,
  source: SnapshotContent,
  {
    kind,
    indices,
    isStream,
    found,
  }: { kind: IndexKind; indices: string[]; isStream: boolean; found: Figures[] },
): Promise<number> {
  if (indices.length === 0) return 0;
  const { es, indexPrefix } = context;
  const renaming = temporaryNames(indexPrefix);
  const temporary = indices.map((index) => renaming.replacement.replace('$1', index));
  let added = 0;
  try {
    await restoreIndices(context, source, indices, { renaming });
    found.push(await figuresOf(es, kind, temporary));
    for (const [nth, from] of temporary.entries()) {
      const target = isStream ? storedIndex(indexPrefix, kind) : (indices[nth] ?? '');
      const answer = await es.reindex(
        {
          source: { index: from },
          dest: { index: target, op_type: 'create' },
          conflicts: 'proceed',
          refresh: true,
        },
        MERGE_DEADLINES,
      );
      const [failure] = answer.failures ?? [];
      if (failure !== undefined)
        throw new OperationError(`${target} rejects a document: ${JSON.stringify(failure)}`);
      added += answer.created ?? 0;
    }
  } finally {
    await deleteIndices(es, temporary);
  }
  return added;
}

/** New names for indices that are deleted again. They lead to the privileges that the data team has on all but the audit. */
export const temporaryNames = (indexPrefix: string) => ({
  pattern: '(.+)',
  replacement: `${indexPrefix}-restoring-${Date.now()}-$1`,
});

/** Deletes the indices that a failed step leaves, because the next restore would take them for existing ones. */
async function discardingOnFailure<T>(
  es: Client,
  indices: readonly string[],
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await deleteIndices(es, indices).catch(() => undefined);
    throw error;
  }
}

/** When the existing ones among these indices were created, in milliseconds since 1970. A restore preserves these times. */
async function creationTimes(es: Client, indices: readonly string[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const index of indices) {
    const settings = await es.indices.getSettings({ index, name: 'index.creation_date' }, { ignore: [404] });
    const date = (settings as Partial<typeof settings>)[index]?.settings?.index?.creation_date;
    if (date !== undefined) times.set(index, Number(date));
  }
  return times;
}

function sumOf(figures: readonly Figures[]): Figures {
  return figures.reduce((sum, one) => ({
    count: sum.count === null || one.count === null ? null : sum.count + one.count,
    writes: sum.writes + one.writes,
    newest:
      sum.newest === null || one.newest === null
        ? (sum.newest ?? one.newest)
        : Math.max(sum.newest, one.newest),
  }));
}
