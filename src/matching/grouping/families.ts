import type { StoredListing } from '../../listing/listing.js';
import { cluster, type ClusterInput, type PairDecision } from './cluster.js';

/**
 * Finds the near-identical listings of each owner. Listings about which people have decided are left out.
 * @returns for each such listing the one with the lowest id.
 */
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

/** Groups listings as `cluster` does, with the near-identical listings of an owner as one. */
export function clusterFamilies(
  ids: readonly number[],
  families: ReadonlyMap<number, number>,
  { pairs, notSearched = new Set(), ...input }: ClusterInput,
): number[][] {
  const firstOf = (id: number) => families.get(id) ?? id;
  const members = new Map<number, number[]>();
  for (const id of ids) {
    const family = members.get(firstOf(id));
    if (family === undefined) members.set(firstOf(id), [id]);
    else family.push(id);
  }
  const isNotSearched = ([first, family]: [number, number[]]) =>
    family.every((id) => notSearched.has(id)) ? [first] : [];
  const groups = cluster(members.keys(), {
    ...input,
    pairs: pairs.map((pair) => ({ ...pair, a: firstOf(pair.a), b: firstOf(pair.b) })),
    notSearched: new Set([...members].flatMap(isNotSearched)),
  });
  return groups
    .map((group) => group.flatMap((first) => members.get(first) ?? []).sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b);
}
