import { bootstrapByCase, type Contribution, type Figure } from './statistics.js';

/** A listing, and how its computed group compares with its true group. */
interface Placed {
  /** The number of other listings that are in both the computed and the true group of the listing. */
  right: number;
  /** The number of other listings in the computed group of the listing. */
  grouped: number;
  /** The number of other listings in the true group of the listing. */
  gold: number;
}

function placed<T>(found: ReadonlyMap<T, unknown>, gold: ReadonlyMap<T, unknown>): [T, Placed][] {
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
    const counts = {
      right: (both.get(group)?.get(truth) ?? 1) - 1,
      grouped: (sizes.found.get(group) ?? 1) - 1,
      gold: (sizes.gold.get(truth) ?? 1) - 1,
    };
    return [item, counts];
  });
}

const bCubed = ({ right, grouped, gold }: Placed) => [(right + 1) / (grouped + 1), (right + 1) / (gold + 1)];

const FIGURES: readonly [string, (one: Placed) => Contribution, Figure['of']?][] = [
  ['pairwise precision', ({ right, grouped }) => [right, grouped]],
  ['pairwise recall', ({ right, gold }) => [right, gold]],
  ['pairwise F1', ({ right, grouped, gold }) => [2 * right, grouped + gold]],
  ['B-cubed precision', (one) => bCubed(one)[0] ?? NaN],
  ['B-cubed recall', (one) => bCubed(one)[1] ?? NaN],
  ['B-cubed F1', bCubed, 'harmonic'],
];

/**
 * Compares the computed group of each item with its true group: by the pairs of items within a group, and by
 * B-cubed (Bagga and Baldwin, 1998), where each item has the same weight, regardless of the size of its group, and
 * counts as a correct member of its own group. Figures are NaN where no pair is counted.
 * @param found the computed group of each item.
 * @param gold the true group of each item. Items that are missing from one of the maps are ignored.
 */
export function partitionFigures<T>(found: ReadonlyMap<T, unknown>, gold: ReadonlyMap<T, unknown>): Figure[] {
  const cases = placed(found, gold);
  return FIGURES.map(([name, contribution, of]) =>
    bootstrapByCase(name, new Map(cases.map(([item, one]) => [String(item), contribution(one)])), of),
  );
}
