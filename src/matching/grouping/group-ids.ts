import { listingId } from '../../listing/identify.js';

/**
 * Assigns a distinct id to each group so that products keep theirs: a group takes the id of the previous group with which it
 * shares the most listings, in a tie the lower id; a new group that of its first listing, or if that is in use, one derived from
 * it.
 * @param before the previous group id of each listing. @param taken whether an id belongs to a group outside of `groups`.
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
      // The new id is derived without a source, so that it cannot be the id of a listing: every listing has
      // a source.
      made = listingId('', String(first), attempt);
    }
    given.add(made);
    return made;
  });
}

/** Counts the listings that each group shares with each previous group. The pairs of groups that share the most come first. */
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
