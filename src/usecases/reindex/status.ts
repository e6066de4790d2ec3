import type { Client } from '@elastic/elasticsearch';
import { readGenerations } from '../../engine/generations.js';
import { hostOf, readLease } from '../../engine/lease.js';
import { formatCount, formatDuration } from '../../text/quantities.js';
import { type AliasMove, REINDEX } from '../../engine/alias-move.js';
import { copyProgress } from './copy.js';

const WAYS_ON = {
  reindex: 'npm run reindex continues it, --clean gives it up.',
  rollback: 'npm run reindex -- --rollback continues it, --clean gives it up.',
};

/** Describes the indices of the catalogue and an unfinished move of the alias to the operator. It changes nothing. */
export async function describeStatus(es: Client, indexPrefix: string, alias: string): Promise<string> {
  const [{ live, others }, { move, previous, owner }] = await Promise.all([
    readGenerations(es, alias),
    readLease(es, indexPrefix, REINDEX),
  ]);
  const roleOf = (index: string): string => {
    if (index === live.index) return `live: ${alias} points to it`;
    if (index === move?.to) return `unfinished, of a ${move.kind}`;
    return index === previous?.index ? 'kept: --rollback goes back to it' : 'kept';
  };
  const lines = [];
  for (const { index, isOwn, writeBlocked } of [live, ...others]) {
    const { count } = await es.count({ index });
    const notes = [
      isOwn ? roleOf(index) : 'not of this service',
      ...(writeBlocked ? ['takes no writes'] : []),
    ];
    lines.push(`${index}  ${formatCount(count)} listings  ${notes.join('; ')}`);
  }
  if (move !== null) {
    const by = owner === null ? '' : `, last by process ${owner.pid} on ${hostOf(owner)}`;
    lines.push(
      `A ${move.kind} from ${move.from} to ${move.to} has not ended (${move.phase}${by}). ${WAYS_ON[move.kind]}`,
    );
    lines.push(await describeCopy(es, move));
  }
  return lines.join('\n');
}

async function describeCopy(es: Client, { to, running }: AliasMove): Promise<string> {
  const progress = running === null ? null : await copyProgress(es, running.task);
  if (progress === null) return `Elasticsearch copies nothing to ${to} now.`;
  const { done, total, runningMs } = progress;
  const rate = `${formatCount(Math.round((done * 1000) / Math.max(runningMs, 1)))}/s`;
  const share = total === 0 ? '' : `, ${Math.floor((100 * done) / total)} %`;
  const left = done === 0 ? '' : `, ${formatDuration((runningMs * (total - done)) / done)} left`;
  return `Elasticsearch is copying to ${to}: ${formatCount(done)} of ${formatCount(total)} listings${share}, ${rate}${left}.`;
}
