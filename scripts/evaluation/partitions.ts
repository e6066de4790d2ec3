/** A listing, and how its computed group compares with its true group. */
export interface Placed {
  /** The number of other listings that are in both the computed and the true group of the listing. */
  right: number;
  /** The number of other listings in the computed group of the listing. */
  grouped: number;
  /** The number of other listings in the true group of the listing. */
  gold: number;
}

/**
 * Compares the computed group of each item with its true group.
 * @param found the computed group of each item.
 * @param gold the true group of each item. Items that are missing from one of the maps are ignored.
 */
export function placed<T>(found: ReadonlyMap<T, unknown>, gold: ReadonlyMap<T, unknown>): Placed[] {
  const items = [...found.keys()].filter((item) => gold.has(item));
  const sizes = { found: new Map<unknown, number>(), gold: new Map<unknown, number>() };
  const both = new Map<unknown, Map<unknown, number>>();
  const count = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const item of items) {
    const [group, truth] = [found.get(item), gold.get(item)];
    count(sizes.found, group);
    count(sizes.gold, truth);
    const within = both.get(group) ?? new Map<unknown, number>();
    both.set(group, count(within, truth));
  }
  return items.map((item) => {
    const [group, truth] = [found.get(item), gold.get(item)];
    return {
      right: (both.get(group)?.get(truth) ?? 1) - 1,
      grouped: (sizes.found.get(group) ?? 1) - 1,
      gold: (sizes.gold.get(truth) ?? 1) - 1,
    };
  });
}

const total = (cases: readonly Placed[], of: keyof Placed): number =>
  cases.reduce((sum, one) => sum + one[of], 0);

/**
 * Returns the share of pairs with the same computed group that have the same true group; NaN if there are
 * no such pairs.
 */
export const pairPrecision = (cases: readonly Placed[]): number =>
  total(cases, 'right') / total(cases, 'grouped');
/**
 * Returns the share of pairs with the same true group that have the same computed group; NaN if there are
 * no such pairs.
 */
export const pairRecall = (cases: readonly Placed[]): number => total(cases, 'right') / total(cases, 'gold');
export const pairF1 = (cases: readonly Placed[]): number =>
  (2 * total(cases, 'right')) / (total(cases, 'grouped') + total(cases, 'gold'));

const average = (cases: readonly Placed[], of: (one: Placed) => number): number =>
  cases.reduce((sum, one) => sum + of(one), 0) / cases.length;

/**
 * B-cubed precision (Bagga and Baldwin, 1998). Each item has the same weight, regardless of the size of its
 * group, and counts as a correct member of its own group.
 */
export const bCubedPrecision = (cases: readonly Placed[]): number =>
  average(cases, ({ right, grouped }) => (right + 1) / (grouped + 1));
export const bCubedRecall = (cases: readonly Placed[]): number =>
  average(cases, ({ right, gold }) => (right + 1) / (gold + 1));
export function bCubedF1(cases: readonly Placed[]): number {
  const [precision, recall] = [bCubedPrecision(cases), bCubedRecall(cases)];
  return (2 * precision * recall) / (precision + recall);
}
