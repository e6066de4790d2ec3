import type { Client } from '@elastic/elasticsearch';
import { formatCount, formatDuration } from '../shared/terminal.js';
import { copyProgress } from './copy.js';
import { readGenerations } from './generations.js';
import { readState } from '../shared/lease.js';
import { type Move, REINDEX } from './lease.js';

/** Which indices there are and what may be done with them, for people. Changes nothing. */
export async function describeStatus(es: Client, indexPrefix: string, alias: string): Promise<string> {
  const [{ live, others }, { move, previous, owner }] = await Promise.all([
    readGenerations(es, alias),
    readState(es, indexPrefix, REINDEX),
  ]);
  const roleOf = (index: string): string => {
    if (index === live.index) return `live: ${alias} leads to it`;
    if (index === move?.to) return `unfinished, of a ${move.kind}`;
    return index === previous?.index ? 'kept: --rollback goes back to it' : 'kept';
  };
  const lines = [];
  for (const { index, ours, writeBlocked } of [live, ...others]) {
    const { count } = await es.count({ index });
    const notes = [
      ours ? roleOf(index) : 'not of this service',
      ...(writeBlocked ? ['takes no writes'] : []),
    ];
    lines.push(`${index}  ${formatCount(count)} listings  ${notes.join('; ')}`);
  }
  if (move !== null) {
    const by = owner === null ? '' : `, last by process ${owner.pid} on ${owner.machine.split(' ')[0]}`;
    lines.push(`A ${move.kind} from ${move.from} to ${move.to} has not ended (${move.phase}${by}).`);
    lines.push(await describeCopy(es, move));
  }
  return lines.join('\n');
}

async function describeCopy(es: Client, { to, running }: Move): Promise<string> {
  const progress = running === null ? null : await copyProgress(es, running.task);
  if (progress === null) return `Elasticsearch copies nothing to ${to} now.`;
  const { done, total, runningMs } = progress;
  const rate = `${formatCount(Math.round((done * 1000) / Math.max(runningMs, 1)))}/s`;
  const share = total === 0 ? '' : `, ${Math.floor((100 * done) / total)} %`;
  const left = done === 0 ? '' : `, ${formatDuration((runningMs * (total - done)) / done)} left`;
  return `Elasticsearch is copying to ${to}: ${formatCount(done)} of ${formatCount(total)} listings${share}, ${rate}${left}.`;
}
