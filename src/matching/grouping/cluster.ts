import { Heap } from './heap.js';

/** Two listings that were compared, by their ids. */
export interface Pair {
  a: number;
  b: number;
  /** That they are the same product, 0 to 1. */
  probability: number;
  /** Something rules it out whatever else agrees: another size, colour, model. */
  contradicted: boolean;
}

/** What people decided of two listings: it holds whatever the pairs say. */
export interface Decision {
  a: number;
  b: number;
  same: boolean;
}

/** A group holds no more listings than this. */
export const MAX_GROUP = 200;
/** From this mean on two groups are as likely one product as not. */
const JOIN = 0.5;
/**
 * A pair that was looked for and not found is rarely one product: it counts a little, as so likely. On public sets that
 * is 3 to 8 points of precision for 1 to 2 of recall. More weight, and identical offers of two hundred shops would not
 * come together, each of which finds twenty others.
 */
const NOT_FOUND = { probability: 0.3, weight: 0.2 };

/** What is known between two groups. */
interface Between {
  sum: number;
  compared: number;
  contradicted: boolean;
  /** By a decision. */
  forbidden: boolean;
}

interface Group {
  members: number[];
  /** The least of them. */
  first: number;
  /** How many of them were not looked up. */
  passed: number;
  between: Map<Group, Between>;
  /** It is part of another by now. */
  gone: boolean;
}

/** Two groups that may join. */
interface Joint {
  groups: [Group, Group];
  mean: number;
}

/** What listings are parted by. */
export interface Compared {
  /** One for each two listings that were compared. */
  pairs: readonly Pair[];
  decisions?: readonly Decision[];
  /** Listings that were not looked up themselves, but found by others: what they have no pair with was not looked for. */
  passed?: ReadonlySet<number>;
}

/**
 * Parts listings into products, by average linkage: the two groups with the highest mean probability between them join,
 * and so on. They never do where the mean of the pairs compared between them is below one half, or one of these is
 * contradicted. Of decisions `different` is obeyed always, `same` unless that would bring together what is `different`,
 * or too many.
 * @param ids of the listings; pairs and decisions of others are ignored.
 * @returns the same for the same listings, pairs and decisions, in whatever order: ids ascending, groups by their first.
 */
export function cluster(ids: Iterable<number>, { pairs, decisions = [], passed }: Compared): number[][] {
  const groups = new Map<number, Group>();
  for (const id of ids) {
    const own = { members: [id], first: id, passed: passed?.has(id) === true ? 1 : 0, gone: false };
    groups.set(id, { ...own, between: new Map() });
  }
  const known = ({ a, b }: { a: number; b: number }) => a !== b && groups.has(a) && groups.has(b);
  // Sums of fractions depend on their order.
  for (const { a, b, probability, contradicted } of pairs.filter(known).sort(bySurety)) {
    const between = betweenOf(groups.get(a), groups.get(b));
    between.sum += probability;
    between.compared += 1;
    between.contradicted ||= contradicted;
  }
  const decided = decisions.filter(known).sort(byIds);
  for (const { a, b, same } of decided) if (!same) betweenOf(groups.get(a), groups.get(b)).forbidden = true;
  const join = (one: Group, other: Group): Group => {
    const joined = merge(one, other);
    for (const id of joined.members) groups.set(id, joined);
    return joined;
  };
  for (const { a, b } of decided.filter(({ same }) => same)) {
    const [one, other] = [groups.get(a), groups.get(b)];
    if (one === undefined || other === undefined || one === other || isTooMany(one, other)) continue;
    if (!betweenOf(one, other).forbidden) join(one, other);
  }
  const joints = new Heap<Joint>(comesBefore);
  for (const group of new Set(groups.values())) offer(joints, group, (other) => other.first > group.first);
  for (let next = joints.take(); next !== undefined; next = joints.take()) {
    const [one, other] = next.groups;
    if (one.gone || other.gone || isTooMany(one, other)) continue;
    offer(joints, join(one, other), () => true);
  }
  return [...new Set(groups.values())]
    .map(({ members }) => members.sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b);
}

const isTooMany = (one: Group, other: Group): boolean =>
  one.members.length + other.members.length > MAX_GROUP;

/** Adds what a group may join with. */
function offer(joints: Heap<Joint>, group: Group, wanted: (other: Group) => boolean): void {
  for (const [other, between] of group.between) {
    const { compared, contradicted, forbidden } = between;
    if (compared === 0 || contradicted || forbidden || !wanted(other)) continue;
    const mean = meanOf(group, other, between);
    if (mean >= JOIN) joints.push({ groups: [group, other], mean });
  }
}

/** Never above the mean of the compared pairs alone, where that is one half or more. */
function meanOf(one: Group, other: Group, { sum, compared }: Between): number {
  const sought = one.members.length * other.members.length - one.passed * other.passed;
  const missing = NOT_FOUND.weight * Math.max(0, sought - compared);
  return (sum + NOT_FOUND.probability * missing) / (compared + missing);
}

function comesBefore(one: Joint, other: Joint): boolean {
  if (one.mean !== other.mean) return one.mean > other.mean;
  const [a, b] = [firstsOf(one), firstsOf(other)];
  return byIds(a, b) < 0;
}

const firstsOf = ({ groups: [one, other] }: Joint) => ({ a: one.first, b: other.first });

const lowest = ({ a, b }: { a: number; b: number }): number => Math.min(a, b);
const highest = ({ a, b }: { a: number; b: number }): number => Math.max(a, b);
const byIds = (one: Pick<Pair, 'a' | 'b'>, other: Pick<Pair, 'a' | 'b'>): number =>
  lowest(one) - lowest(other) || highest(one) - highest(other);
const bySurety = (one: Pair, other: Pair): number => other.probability - one.probability || byIds(one, other);

/** Adds it where there is none yet. */
function betweenOf(one: Group | undefined, other: Group | undefined): Between {
  const nothing = { sum: 0, compared: 0, contradicted: false, forbidden: false };
  if (one === undefined || other === undefined) return nothing;
  const between = one.between.get(other) ?? nothing;
  one.between.set(other, between);
  other.between.set(one, between);
  return between;
}

function merge(one: Group, other: Group): Group {
  const joined: Group = {
    members: [...one.members, ...other.members],
    first: Math.min(one.first, other.first),
    passed: one.passed + other.passed,
    between: new Map(),
    gone: false,
  };
  for (const part of [one, other]) {
    part.gone = true;
    for (const [third, { sum, compared, contradicted, forbidden }] of part.between) {
      third.between.delete(part);
      if (third === one || third === other) continue;
      const between = betweenOf(joined, third);
      between.sum += sum;
      between.compared += compared;
      between.contradicted ||= contradicted;
      between.forbidden ||= forbidden;
    }
  }
  return joined;
}
