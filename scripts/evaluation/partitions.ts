/** A listing, and how its group compares with what people say. */
export interface Placed {
  /** Others that are in its group and should be. */
  right: number;
  /** Others that are in its group. */
  grouped: number;
  /** Others that should be. */
  gold: number;
}

/**
 * Sets each item's group beside its true one.
 * @param found the group of each item; `gold` the true one. Only items of both count.
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

/** Of all pairs that are in one group, how many should be; NaN where there is none. */
export const pairPrecision = (cases: readonly Placed[]): number =>
  total(cases, 'right') / total(cases, 'grouped');
/** Of all pairs that should be in one group, how many are; NaN where there is none. */
export const pairRecall = (cases: readonly Placed[]): number => total(cases, 'right') / total(cases, 'gold');
export const pairF1 = (cases: readonly Placed[]): number =>
  (2 * total(cases, 'right')) / (total(cases, 'grouped') + total(cases, 'gold'));

const average = (cases: readonly Placed[], of: (one: Placed) => number): number =>
  cases.reduce((sum, one) => sum + of(one), 0) / cases.length;

/** B-cubed (Bagga and Baldwin, 1998): each item counts once, however large its group; it is itself in both. */
export const bCubedPrecision = (cases: readonly Placed[]): number =>
  average(cases, ({ right, grouped }) => (right + 1) / (grouped + 1));
export const bCubedRecall = (cases: readonly Placed[]): number =>
  average(cases, ({ right, gold }) => (right + 1) / (gold + 1));
export function bCubedF1(cases: readonly Placed[]): number {
  const [precision, recall] = [bCubedPrecision(cases), bCubedRecall(cases)];
  return (2 * precision * recall) / (precision + recall);
}
