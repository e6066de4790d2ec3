import { cluster, type Decision, type Pair } from '../../src/matching/grouping/cluster.js';
import { Components } from '../../src/matching/grouping/components.js';
import { groupIds } from '../../src/matching/grouping/group-ids.js';
import type { Decided } from './decisions.js';
import { groupsOf, idsInGroups, isInGroups } from './products.js';
import type { LinkRecord } from './records.js';
import type { Work } from './work.js';

/** What a run found. */
export interface Plan {
  /** The group of each listing that was compared by the run, or that changes its group. */
  groups: Map<number, number>;
  /** How many listings go into another group than they were in. */
  moved: number;
  /** How many groups there are of the listings that were looked at, and how many of those have more than one listing. */
  found: number;
  shared: number;
}

/** Parts everything that the run may have changed into groups, by all that was ever compared of it. */
export async function regroup(work: Work, decided: Decided): Promise<Plan> {
  const { run } = work;
  const { records, compared, passed } = await (run.scope.kind === 'all' || run.first === true
    ? everything(work, decided.decisions)
    : around(work, decided));
  const before = await groupsOf(work, [...records.keys()]);
  const pairs = pairsAmong(records);
  const groups = cluster(before.keys(), { pairs, decisions: decided.decisions, passed });
  const ids = await distinctIds(work, groups, before);
  const plan: Plan = { groups: new Map(), moved: 0, found: groups.length, shared: 0 };
  groups.forEach((members, at) => {
    const group = ids[at] ?? 0;
    if (members.length > 1) plan.shared += 1;
    for (const id of members) {
      const moves = before.get(id) !== group;
      if (moves) plan.moved += 1;
      if (moves || compared.has(id)) plan.groups.set(id, group);
    }
  });
  return plan;
}

type Records = Map<number, Pick<LinkRecord, 'compared_by' | 'changed_by' | 'pairs'>>;

interface Gathered {
  records: Records;
  /** Those of them that the run compared. */
  compared: Set<number>;
  /** Those that others found, and that were not looked up themselves. */
  passed: Set<number>;
}

/** All there is, in two passes, so that of the pairs only those are held that can matter. */
async function everything({ records, run }: Work, decisions: readonly Decision[]): Promise<Gathered> {
  const components = new Components();
  for (const { a, b, same } of decisions) if (same) components.join(a, b);
  for await (const page of records.all()) {
    for (const { id, near } of page) for (const other of near) components.join(id, other);
  }
  const gathered: Gathered = { records: new Map(), compared: new Set(), passed: new Set() };
  for await (const page of records.all()) {
    for (const { id, compared_by, changed_by, pairs } of page) {
      const set = components.find(id);
      const within = pairs.filter(([other]) => components.find(other) === set);
      gathered.records.set(id, { compared_by, changed_by, pairs: within });
      if (pairs.length === 0) gathered.passed.add(id);
      if (compared_by === run.id) gathered.compared.add(id);
    }
  }
  return gathered;
}

/**
 * What the run compared or people decided of it, whatever that is likely the same as, and so on; with all of the
 * groups that any of it was in. Nothing beyond is touched by it.
 */
async function around(work: Work, { decisions, fresh }: Decided): Promise<Gathered> {
  const { records, run, signal } = work;
  const gathered: Gathered = { records: new Map(), compared: new Set(), passed: new Set() };
  const same = decisions.filter((decision) => decision.same);
  const seen = new Set<number>(fresh);
  for await (const page of records.of(run.id, 'compared_by', ['id'])) for (const { id } of page) seen.add(id);
  for (let edge = [...seen]; edge.length > 0;) {
    signal.throwIfAborted();
    const next = new Set<number>();
    const known = await records.get(edge);
    for (const [id, record] of known) {
      const { compared_by, changed_by, pairs } = record;
      gathered.records.set(id, { compared_by, changed_by, pairs });
      if (record.pairs.length === 0) gathered.passed.add(id);
      if (record.compared_by === run.id) gathered.compared.add(id);
      for (const other of record.near) next.add(other);
    }
    const at = new Set(edge);
    for (const { a, b } of same) {
      if (at.has(a)) next.add(b);
      if (at.has(b)) next.add(a);
    }
    for (const id of await records.near(edge)) next.add(id);
    const groups = new Set((await groupsOf(work, edge)).values());
    for (const id of await idsInGroups(work, [...groups])) next.add(id);
    edge = [...next].filter((id) => !seen.has(id));
    for (const id of edge) seen.add(id);
  }
  return gathered;
}

/**
 * The pairs, with the mean of what was found from either side. What was found of a listing that says something else
 * since then, counts no more.
 */
function pairsAmong(records: Records): Pair[] {
  const pairs = new Map<string, Pair & { times: number }>();
  for (const [id, { compared_by, pairs: found }] of records) {
    for (const [other, probability, contradicted] of found) {
      const otherRecord = records.get(other);
      if (otherRecord === undefined || compared_by < otherRecord.changed_by) continue;
      const [a, b] = id < other ? [id, other] : [other, id];
      const pair = pairs.get(`${a} ${b}`);
      if (pair === undefined) {
        pairs.set(`${a} ${b}`, { a, b, probability, contradicted: contradicted === 1, times: 1 });
        continue;
      }
      pair.probability = (pair.probability * pair.times + probability) / (pair.times + 1);
      pair.times += 1;
      pair.contradicted ||= contradicted === 1;
    }
  }
  return [...pairs.values()];
}

/** Ids that no group beyond these has. */
async function distinctIds(
  work: Work,
  groups: readonly (readonly number[])[],
  before: ReadonlyMap<number, number>,
): Promise<number[]> {
  const mine = new Set(before.values());
  const taken = new Set<number>();
  for (;;) {
    const ids = groupIds(groups, before, (id) => taken.has(id));
    const made = ids.filter((id) => !mine.has(id) && !taken.has(id));
    const used = await isInGroups(work, made);
    if (used.length === 0) return ids;
    for (const id of used) taken.add(id);
  }
}
