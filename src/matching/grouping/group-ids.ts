import { listingId } from '../../listing/identify.js';

/**
 * Assigns ids to groups so that products keep their ids. A group that grew keeps its id. A merged group takes the id of the
 * part with the most listings. If a group was split, the part with the most listings keeps the id. Ties go to the lower id.
 * A new group takes the id of its first listing, or if that is in use, an id that is derived from it.
 * @param groups from `cluster`.
 * @param before the previous group of each listing that had one.
 * @param taken whether a group that is not among these has an id.
 * @returns the id of each group, in their order. All ids are different.
 */
export function groupIds(
  groups: readonly (readonly number[])[],
  before: ReadonlyMap<number, number>,
  taken: (id: number) => boolean = () => false,
): number[] {
  const ids: (number | undefined)[] = groups.map(() => undefined);
  const given = new Set<number>();
  for (const { id, at } of claims(groups, before)) {
    if (ids[at] !== undefined || given.has(id)) continue;
    ids[at] = id;
    given.add(id);
  }
  return ids.map((id, at) => {
    if (id !== undefined) return id;
    const first = groups[at]?.[0] ?? 0;
    let made = first;
    for (let attempt = 1; given.has(made) || taken(made); attempt += 1) {
      // Every listing has a source, so this is the id of no listing.
      made = listingId('', String(first), attempt);
    }
    given.add(made);
    return made;
  });
}

/** For each group, how many listings it has of each previous group. The largest counts come first. */
function claims(groups: readonly (readonly number[])[], before: ReadonlyMap<number, number>) {
  const all = groups.flatMap((members, at) => {
    const counts = new Map<number, number>();
    for (const member of members) {
      const id = before.get(member);
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return [...counts].map(([id, count]) => ({ id, count, at, first: members[0] ?? 0 }));
  });
  return all.sort((a, b) => b.count - a.count || a.id - b.id || a.first - b.first);
}
