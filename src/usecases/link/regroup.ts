import { LRUCache } from 'lru-cache';
import { gtinKey } from '../../listing/gtin.js';
import { shopOf } from '../../matching/evidence.js';
import type { PairDecision, ScoredPair } from '../../matching/grouping/cluster.js';
import { Components } from '../../matching/grouping/components.js';
import { clusterFamilies, familiesOf, groupedBy } from '../../matching/grouping/families.js';
import { groupIds } from '../../matching/grouping/group-ids.js';
import { byEffect, type Question, reviewQuestions } from '../../matching/grouping/review-questions.js';
import { mayNotBeGrouped } from '../../matching/grouping/name-conflicts.js';
import { type Profile, readProfile } from '../../matching/profile.js';
import type { StoredListing } from '../../listing/listing.js';
import { ownerOf } from '../../listing/owner.js';
import type { EffectiveDecisions } from '../../matcher/decisions.js';
import { groupsOf, idsInGroups, usedGroups } from './listings.js';
import { type LinkRecord, type PlannedGroup, wasSearched } from './records.js';
import type { LinkRun } from './run.js';

/** The ids of the groups that gained or lost a listing; `many` if there are too many to list, or if they are unknown. */
export type ChangedGroups = ReadonlySet<number> | 'many';

const MANY_GROUPS = 10_000;

export const bothChanged = (one: ChangedGroups, other: ChangedGroups): ChangedGroups =>
  one === 'many' || other === 'many' ? 'many' : new Set([...one, ...other]);

/** Divides all listings that the run may affect into groups, using every stored comparison of these listings. */
export async function regroup(linkRun: LinkRun, effective: EffectiveDecisions) {
  const { run } = linkRun;
  const parts =
    run.scope.kind === 'all' || run.first === true
      ? everything(linkRun, effective.decisions)
      : [await around(linkRun, effective)];
  const before = new Map<number, number>();
  const compared = new Set<number>();
  const groups: number[][] = [];
  const questions: Question[] = [];
  for await (const part of parts) {
    const divided = await divide(linkRun, part, effective.decisions);
    for (const [id, group] of divided.before) before.set(id, group);
    for (const [id, { compared_by }] of part) if (compared_by === run.id) compared.add(id);
    for (const group of divided.groups) groups.push(group);
    for (const question of divided.questions) questions.push(question);
  }
  groups.sort(([one = 0], [other = 0]) => one - other);
  questions.sort(byEffect);
  const ids = await distinctIds(linkRun, groups, before);
  const planned = new Map<number, PlannedGroup>();
  const changed = new Set<number>();
  let moved = 0;
  groups.forEach((members, at) => {
    const group_id = ids[at] ?? 0;
    const is_shared = members.length > 1;
    for (const id of members) {
      const groupBefore = before.get(id) ?? group_id;
      const moves = groupBefore !== group_id;
      if (moves) moved += 1;
      if (moves && changed.size < MANY_GROUPS) changed.add(groupBefore).add(group_id);
      if (moves || compared.has(id)) planned.set(id, { group_id, is_shared });
    }
  });
  return {
    /** The group of each listing that the run compared, or that changes its group. */
    groups: planned,
    moved,
    /** The number of groups of the affected listings, and the number of those groups that have more than one listing. */
    found: groups.length,
    shared: groups.filter(({ length }) => length > 1).length,
    changed: (changed.size < MANY_GROUPS ? changed : 'many') as ChangedGroups,
    affected: new Set(before.keys()),
    questions,
  };
}

export type Plan = Awaited<ReturnType<typeof regroup>>;

/** The records of some listings that a linking run may regroup. No group contains listings of two such parts. */
type Part = Map<number, Pick<LinkRecord, 'compared_by' | 'changed_by' | 'pairs'> & { isSearched: boolean }>;

const readPart = (records: ReadonlyMap<number, LinkRecord>): Part =>
  new Map(
    [...records].map(([id, record]) => {
      const { compared_by, changed_by, pairs } = record;
      return [id, { compared_by, changed_by, pairs, isSearched: wasSearched(record) }];
    }),
  );

async function divide(linkRun: LinkRun, records: Part, decisions: readonly PairDecision[]) {
  const pairs = pairsAmong(records);
  const paired = new Set(pairs.flatMap(({ a, b }) => [a, b]));
  const listings = new Map<number, StoredListing>();
  const before = await groupsOf(linkRun, [...records.keys()], (listing) => {
    if (paired.has(listing.id)) listings.set(listing.id, listing);
  });
  const profileOf = profilesOf(listings);
  const areDifferent = differenceAmong(listings, records, profileOf);
  const ownerById = (id: number) => {
    const listing = listings.get(id);
    return listing && ownerOf(listing);
  };
  const notSearched = new Set([...records].flatMap(([id, { isSearched }]) => (isSearched ? [] : id)));
  const evidence = { pairs, decisions, notSearched, areDifferent, ownerOf: ownerById };
  const groups = clusterFamilies([...before.keys()], familiesOf(listings, decisions), evidence);
  const gtinsOf = (id: number) => {
    const { source = '', internal } = listings.get(id) ?? {};
    return (internal?.gtins ?? []).map((gtin) => gtinKey(gtin, source));
  };
  const shareGtin = (a: number, b: number) => gtinsOf(a).some((gtin) => gtinsOf(b).includes(gtin));
  return { before, groups, questions: reviewQuestions({ pairs, groups, decisions, shareGtin, profileOf }) };
}

/** The minimum number of listings in each part but the last, which bounds the memory of a run. */
const PART = 20_000;

/** Reads all link records in parts. Listings that a chain of probable matches connects are in the same part. */
async function* everything({ records }: LinkRun, decisions: readonly PairDecision[]): AsyncGenerator<Part> {
  const components = new Components();
  for (const { a, b, same } of decisions) if (same) components.join(a, b);
  const ids: number[] = [];
  for await (const page of records.all()) {
    for (const { id, near } of page) {
      ids.push(id);
      for (const other of near) components.join(id, other);
    }
  }
  for (const some of partsOf(ids, components)) {
    const part = readPart(await records.get(some));
    for (const [id, record] of part) {
      const lowest = components.find(id);
      record.pairs = record.pairs.filter(([other]) => components.find(other) === lowest);
    }
    yield part;
  }
}

/** Divides ids into parts, each with at least `size` ids except the last. Connected ids are in the same part. */
export function* partsOf(ids: readonly number[], components: Components, size = PART): Generator<number[]> {
  let part: number[] = [];
  for (const some of groupedBy(ids, (id) => components.find(id)).values()) {
    for (const id of some) part.push(id);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** The number of listings from which on decisions take effect only with the next linking run. */
export const MAX_AFFECTED = 5_000;

/** Thrown if a decision affects more listings than can be regrouped during a request. */
export class TooManyAffectedError extends Error {}

/** Reads the part of the catalogue around the listings of a run and of new decisions: all that matches and groups connect. */
async function around(linkRun: LinkRun, { decisions, fresh }: EffectiveDecisions): Promise<Part> {
  const { records, run, signal } = linkRun;
  const affected: Part = new Map();
  const same = decisions.filter((decision) => decision.same);
  const seen = new Set<number>(fresh);
  for await (const page of records.of(run.id, 'compared_by', ['id'])) for (const { id } of page) seen.add(id);
  for (let edge = [...seen]; edge.length > 0;) {
    signal.throwIfAborted();
    if (run.scope.kind === 'decisions' && seen.size > MAX_AFFECTED) throw new TooManyAffectedError();
    const next = new Set<number>();
    const known = await records.get(edge);
    for (const [id, record] of readPart(known)) affected.set(id, record);
    for (const { near } of known.values()) for (const other of near) next.add(other);
    const at = new Set(edge);
    for (const { a, b } of same) {
      if (at.has(a)) next.add(b);
      if (at.has(b)) next.add(a);
    }
    for (const id of await records.near(edge)) next.add(id);
    const groups = new Set((await groupsOf(linkRun, edge)).values());
    for (const id of await idsInGroups(linkRun, [...groups])) next.add(id);
    edge = [...next].filter((id) => !seen.has(id));
    for (const id of edge) seen.add(id);
  }
  return affected;
}

/** Averages pairs that were compared from both sides, and ignores comparisons with a listing that has changed since. */
function pairsAmong(records: Part): ScoredPair[] {
  const pairs = new Map<string, ScoredPair & { times: number }>();
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

const MAX_PROFILES = 10_000;

type ProfileOf = (id: number) => Profile | undefined;

function profilesOf(listings: ReadonlyMap<number, StoredListing>): ProfileOf {
  const profiles = new LRUCache<number, Profile>({ max: MAX_PROFILES });
  return (id) => {
    const listing = listings.get(id);
    const profile = profiles.get(id) ?? (listing && readProfile({ ...listing, comparablePrice: null }));
    if (profile !== undefined) profiles.set(id, profile);
    return profile;
  };
}

/** Whether the names of two listings show that they are different products; false if they were compared, which used more evidence. */
function differenceAmong(
  listings: ReadonlyMap<number, StoredListing>,
  records: Part,
  profileOf: ProfileOf,
): (a: number, b: number) => boolean {
  const wereCompared = (a: number, b: number) =>
    records.get(a)?.pairs.some(([other]) => other === b) === true;
  return (a, b) => {
    if (wereCompared(a, b) || wereCompared(b, a)) return false;
    const [one, other] = [a, b].map((id) => {
      const [listing, profile] = [listings.get(id), profileOf(id)];
      return listing && profile && { shop: shopOf(listing), name: listing.name, profile };
    });
    return one !== undefined && other !== undefined && mayNotBeGrouped(one, other);
  };
}

/** Assigns an id to each group that no group outside of the affected listings has. */
async function distinctIds(
  linkRun: LinkRun,
  groups: readonly (readonly number[])[],
  before: ReadonlyMap<number, number>,
): Promise<number[]> {
  const current = new Set(before.values());
  const taken = new Set<number>();
  for (;;) {
    const ids = groupIds(groups, before, (id) => taken.has(id));
    const newIds = ids.filter((id) => !current.has(id) && !taken.has(id));
    const used = await usedGroups(linkRun, newIds);
    if (used.length === 0) return ids;
    for (const id of used) taken.add(id);
  }
}
