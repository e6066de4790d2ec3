/** `conflict`: 1 when each side has what the other has not. */
export function compareSets(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
): { shared: number; unshared: number; conflict: 0 | 1 } {
  let shared = 0;
  for (const item of a) if (b.has(item)) shared += 1;
  const conflict = a.size > shared && b.size > shared ? 1 : 0;
  return { shared, unshared: a.size + b.size - 2 * shared, conflict };
}
