import TinyQueue from 'tinyqueue';

/** Two listings that were compared, by their ids. */
export interface ScoredPair {
  a: number;
  b: number;
  /** The probability that the two listings are the same product, 0 to 1. */
  probability: number;
  /** Whether a difference, such as another size, rules out that the two listings are one product. */
  contradicted: boolean;
}

/** What people decided about two listings. It overrides the computed probability. */
export interface PairDecision {
  a: number;
  b: number;
  same: boolean;
}

/** The maximum number of owners with listings in a group. */
export const MAX_GROUP = 200;
/** Two groups are merged if the mean probability of the pairs of listings between them is at least this value. */
const MIN_MEAN = 0.5;
/**
 * The probability and weight of a pair of listings of which neither was a candidate of the other. On public data sets, these
 * values gain 3 to 8 points of precision and cost 1 to 2 points of recall. With a higher weight, equal offers of two hundred
 * shops would not be merged, because a search for candidates does not return all of them.
 */
const NOT_FOUND = { probability: 0.3, weight: 0.2 };

/** The number of listings of one owner that match one listing of another from which on they wait until others are grouped. */
const MIN_RIVALS = 2;

/** A summary of the compared pairs with one listing in each of two groups. */
interface Linkage {
  sum: number;
  compared: number;
  contradicted: boolean;
  /** Whether people decided that a listing of one group and a listing of the other are different products. */
  forbidden: boolean;
}

interface Group {
  members: number[];
  lowest: number;
  /** The number of the group's listings for which no matching candidates were searched. */
  notSearched: number;
  linkages: Map<Group, Linkage>;
  owners: ReadonlySet<string | number>;
  /** Whether it is a listing that waits until the others are grouped (`rivalsAmong`). */
  waits: boolean;
  /** Whether the group has been merged into another one and is obsolete. */
  merged: boolean;
}

/** Two groups that may be merged, with the mean probability of the pairs between them. */
interface MergeCandidate {
  groups: [Group, Group];
  mean: number;
}

export interface ClusterInput {
  /** The pairs of listings that were compared, each once. Pairs with an unknown listing are ignored. */
  pairs: readonly ScoredPair[];
  decisions?: readonly PairDecision[];
  /** Listings whose candidates were not searched. That two of them were not compared is no evidence against them. */
  notSearched?: ReadonlySet<number>;
  /** Whether two listings that were not compared are certainly different products. It must be symmetric. */
  areDifferent?: (a: number, b: number) => boolean;
  /** Returns the owner of a listing; by default each listing has an owner of its own. */
  ownerOf?: (id: number) => string | undefined;
}

/**
 * Groups listings into products by average linkage: the two groups with the highest mean probability are merged while it is at
 * least one half and no compared pair nor `areDifferent` contradicts. Listings of an owner who has several for one product are
 * merged after all others. A decision "different" is always obeyed, and "same" unless it joins listings that were decided to
 * be different, or exceeds `MAX_GROUP`.
 * @returns groups of ids, ascending, ordered by their lowest id, whatever the order of the input.
 */
export function cluster(
  ids: Iterable<number>,
  { pairs, decisions = [], notSearched, areDifferent, ownerOf }: ClusterInput,
): number[][] {
  const groups = new Map<number, Group>();
  const rivals = ownerOf === undefined ? new Set() : rivalsAmong(pairs, ownerOf);
  for (const id of ids)
    groups.set(id, {
      members: [id],
      lowest: id,
      notSearched: notSearched?.has(id) === true ? 1 : 0,
      owners: new Set([ownerOf?.(id) ?? id]),
      waits: rivals.has(id),
      linkages: new Map(),
      merged: false,
    });
  const isKnown = ({ a, b }: { a: number; b: number }) => a !== b && groups.has(a) && groups.has(b);
  const groupOf = (id: number) => groups.get(id) as Group;
  // Pairs are sorted, because the sum of floating-point numbers depends on their order.
  for (const { a, b, probability, contradicted } of pairs.filter(isKnown).sort(byProbability)) {
    const linkage = linkageOf(groupOf(a), groupOf(b));
    linkage.sum += probability;
    linkage.compared += 1;
    linkage.contradicted ||= contradicted;
  }
  const known = decisions.filter(isKnown).sort(byIds);
  for (const { a, b, same } of known) if (!same) linkageOf(groupOf(a), groupOf(b)).forbidden = true;
  const mergeAndRegister = (one: Group, other: Group): Group => {
    const merged = mergeGroups(one, other);
    for (const id of merged.members) groups.set(id, merged);
    return merged;
  };
  for (const { a, b } of known.filter(({ same }) => same)) {
    const [one, other] = [groupOf(a), groupOf(b)];
    if (one === other || isTooLarge(one, other)) continue;
    if (!linkageOf(one, other).forbidden) mergeAndRegister(one, other);
  }
  const mergeLikely = (isReady: (group: Group) => boolean) => {
    const queue = new TinyQueue<MergeCandidate>([], byMean);
    for (const group of new Set(groups.values()))
      if (isReady(group))
        enqueueMerges(queue, group, (other) => other.lowest > group.lowest && isReady(other));
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [one, other] = next.groups;
      if (one.merged || other.merged || isTooLarge(one, other)) continue;
      const linkage = linkageOf(one, other);
      if (areDifferent !== undefined && isSeparated(one, other, linkage, areDifferent)) {
        // The two groups stay marked as contradicted, even after one of them is merged with a third group.
        linkage.contradicted = true;
        continue;
      }
      enqueueMerges(queue, mergeAndRegister(one, other), isReady);
    }
  };
  if (rivals.size > 0) mergeLikely(({ waits }) => !waits);
  mergeLikely(() => true);
  return [...new Set(groups.values())]
    .map(({ members }) => members.sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b);
}

/**
 * Returns the listings of which at most one can be a product, because their owner has several that match one listing of somebody
 * else. Two of them, each nearly identical to one of two honest listings, would otherwise keep these out of one group, because
 * listings of one owner with different names contradict each other.
 */
function rivalsAmong(
  pairs: readonly ScoredPair[],
  ownerOf: (id: number) => string | undefined,
): ReadonlySet<number> {
  const matching = new Map<string, number[]>();
  for (const { a, b, probability, contradicted } of pairs) {
    const [ownerOfA, ownerOfB] = [ownerOf(a), ownerOf(b)];
    if (contradicted || probability < MIN_MEAN || ownerOfA === ownerOfB) continue;
    for (const [id, other, owner] of [
      [a, b, ownerOfA],
      [b, a, ownerOfB],
    ] as const) {
      const key = `${other} ${owner}`;
      const some = matching.get(key);
      if (some === undefined) matching.set(key, [id]);
      else some.push(id);
    }
  }
  return new Set([...matching.values()].flatMap((some) => (some.length < MIN_RIVALS ? [] : some)));
}

/** Whether `areDifferent` separates two groups. If every pair between them was compared, the comparisons have decided. */
const isSeparated = (
  one: Group,
  other: Group,
  { compared }: Linkage,
  areDifferent: (a: number, b: number) => boolean,
): boolean =>
  compared < one.members.length * other.members.length &&
  one.members.some((a) => other.members.some((b) => areDifferent(a, b)));

const isTooLarge = (one: Group, other: Group): boolean =>
  one.owners.size + other.owners.size > MAX_GROUP &&
  new Set([...one.owners, ...other.owners]).size > MAX_GROUP;

/** Adds to the queue each merge of this group with another one that is likely enough and not ruled out. */
function enqueueMerges(
  queue: TinyQueue<MergeCandidate>,
  group: Group,
  isWanted: (other: Group) => boolean,
): void {
  for (const [other, linkage] of group.linkages) {
    const { compared, contradicted, forbidden } = linkage;
    if (compared === 0 || contradicted || forbidden || !isWanted(other)) continue;
    const mean = meanOf(group, other, linkage);
    if (mean >= MIN_MEAN) queue.push({ groups: [group, other], mean });
  }
}

/** The mean probability of the pairs between two groups, including those that no search for candidates found. */
function meanOf(one: Group, other: Group, { sum, compared }: Linkage): number {
  const searched = one.members.length * other.members.length - one.notSearched * other.notSearched;
  const missing = NOT_FOUND.weight * Math.max(0, searched - compared);
  return (sum + NOT_FOUND.probability * missing) / (compared + missing);
}

const byMean = (one: MergeCandidate, other: MergeCandidate): number =>
  other.mean - one.mean || byIds(lowestIds(one), lowestIds(other));

const lowestIds = ({ groups: [one, other] }: MergeCandidate) => ({ a: one.lowest, b: other.lowest });

const byIds = (one: Pick<ScoredPair, 'a' | 'b'>, other: Pick<ScoredPair, 'a' | 'b'>): number =>
  Math.min(one.a, one.b) - Math.min(other.a, other.b) || Math.max(one.a, one.b) - Math.max(other.a, other.b);
const byProbability = (one: ScoredPair, other: ScoredPair): number =>
  other.probability - one.probability || byIds(one, other);

/** Returns the linkage of two groups, and creates it if there is none. */
function linkageOf(one: Group, other: Group): Linkage {
  const empty = { sum: 0, compared: 0, contradicted: false, forbidden: false };
  const linkage = one.linkages.get(other) ?? empty;
  one.linkages.set(other, linkage);
  other.linkages.set(one, linkage);
  return linkage;
}

function mergeGroups(one: Group, other: Group): Group {
  const result: Group = {
    members: [...one.members, ...other.members],
    lowest: Math.min(one.lowest, other.lowest),
    notSearched: one.notSearched + other.notSearched,
    owners: new Set([...one.owners, ...other.owners]),
    waits: one.waits && other.waits,
    linkages: new Map(),
    merged: false,
  };
  for (const part of [one, other]) {
    part.merged = true;
    for (const [third, { sum, compared, contradicted, forbidden }] of part.linkages) {
      third.linkages.delete(part);
      if (third === one || third === other) continue;
      const linkage = linkageOf(result, third);
      linkage.sum += sum;
      linkage.compared += compared;
      linkage.contradicted ||= contradicted;
      linkage.forbidden ||= forbidden;
    }
  }
  return result;
}
