import {
  bootstrapByCase,
  type Contribution,
  type Figure,
  retrievalFigures,
  type Retrieved,
} from './statistics.js';

/** How the group of a listing compares with its true group, by other listings: in both, in the computed one, in the true one. */
type Placed = Retrieved;

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
      found: (sizes.found.get(group) ?? 1) - 1,
      all: (sizes.gold.get(truth) ?? 1) - 1,
    };
    return [item, counts];
  });
}

const bCubed = ({ right, found, all }: Placed): [number, number] => [
  (right + 1) / (found + 1),
  (right + 1) / (all + 1),
];
const FIGURES: readonly [string, (one: Placed) => Contribution, Figure['of']?][] = [
  ['B-cubed precision', (one) => bCubed(one)[0]],
  ['B-cubed recall', (one) => bCubed(one)[1]],
  ['B-cubed F1', bCubed, 'harmonic'],
];

/** Compares groups by pairs and by B-cubed (Bagga and Baldwin, 1998), which weighs items equally; both maps have all items. */
export function partitionFigures<T>(found: ReadonlyMap<T, unknown>, gold: ReadonlyMap<T, unknown>): Figure[] {
  const cases = placed(found, gold).map(([item, one]) => [String(item), one] as const);
  return [
    ...retrievalFigures(new Map(cases), (figure) => `pairwise ${figure}`),
    ...FIGURES.map(([name, contribution, of]) =>
      bootstrapByCase(name, new Map(cases.map(([item, one]) => [item, contribution(one)])), of),
    ),
  ];
}
