/** What is worked out when it is first asked for, and once. */
export function lazily<V>(make: () => V): () => V {
  let made: { value: V } | undefined;
  return () => (made ??= { value: make() }).value;
}
