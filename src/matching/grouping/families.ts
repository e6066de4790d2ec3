import type { StoredListing } from '../../listing/listing.js';
import { cluster, type ClusterInput, type PairDecision, type ScoredPair } from './cluster.js';

/** Groups items by a key, in the order of the first item of each group. */
export function groupedBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Maps near-identical listings of an owner to the one with the lowest id, except those that people decided about one by one. */
export function familiesOf(
  listings: ReadonlyMap<number, Pick<StoredListing, 'internal'>>,
  decisions: readonly PairDecision[],
): ReadonlyMap<number, number> {
  const decided = new Set(decisions.flatMap(({ a, b }) => [a, b]));
  const lowest = new Map<string, number>();
  const families = new Map<number, number>();
  for (const id of [...listings.keys()].sort((a, b) => a - b)) {
    const alike = listings.get(id)?.internal.alike;
    if (alike === undefined || decided.has(id)) continue;
    const first = lowest.get(alike) ?? id;
    lowest.set(alike, first);
    families.set(id, first);
  }
  return families;
}

/** Joins the pairs between two families (`firstOf`) into one with the mean probability, contradicted if at least half of them are. */
function joinPairs(pairs: readonly ScoredPair[], firstOf: (id: number) => number): ScoredPair[] {
  const keyOf = ({ a, b }: ScoredPair) =>
    [firstOf(a), firstOf(b)].sort((one, other) => one - other).join(' ');
  return [...groupedBy(pairs, keyOf)].map(([key, some]) => {
    const [a = 0, b = 0] = key.split(' ').map(Number);
    // The probabilities are sorted, because the sum of floating-point numbers depends on their order.
    const sorted = some.map(({ probability }) => probability).sort((one, other) => one - other);
    const probability = sorted.reduce((sum, one) => sum + one, 0) / some.length;
    const contradictions = some.filter(({ contradicted }) => contradicted).length;
    return { a, b, probability, contradicted: 2 * contradictions >= some.length };
  });
}

/** Groups listings as `cluster` does, with the near-identical listings of an owner as one. */
export function clusterFamilies(
  ids: readonly number[],
  families: ReadonlyMap<number, number>,
  { pairs, notSearched = new Set(), ...input }: ClusterInput,
): number[][] {
  const firstOf = (id: number) => families.get(id) ?? id;
  const members = groupedBy(ids, firstOf);
  const isOfSeveral = ({ a, b }: ScoredPair) =>
    [a, b].some((id) => (members.get(firstOf(id))?.length ?? 1) > 1);
  const isNotSearched = ([first, family]: [number, number[]]) =>
    family.every((id) => notSearched.has(id)) ? [first] : [];
  const groups = cluster(members.keys(), {
    ...input,
    pairs: [...pairs.filter((pair) => !isOfSeveral(pair)), ...joinPairs(pairs.filter(isOfSeveral), firstOf)],
    notSearched: new Set([...members].flatMap(isNotSearched)),
  });
  return groups
    .map((group) => group.flatMap((first) => members.get(first) ?? []).sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b);
}
