import { listingId } from '../../listing/identify.js';

/**
 * Gives groups the ids that they had: a group that grew keeps its id, one of several parts takes that of the part with
 * the most listings, and of a group that fell apart the largest part keeps it; ties go to the smaller id. Any other is
 * called by its first listing's id, as a new listing is, or where that is somebody else's, by one made of it.
 * @param groups from `cluster`.
 * @param before each listing's group so far; one that is not there had none.
 * @param taken whether a group has the id that is not among these.
 * @returns each group's id, in their order; no two are the same.
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
      // No listing is without a source: none has this id.
      made = listingId('', String(first), attempt);
    }
    given.add(made);
    return made;
  });
}

/** Which group has how many listings of which group before; who has the most comes first. */
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
