/** How often servers are measured in turn, and for how many seconds each of them is measured in a round. */
export interface Rounds {
  count: number;
  seconds: number;
}

/** Repeats measurements in turn, every other time in the opposite order. A first round warms up the caches and does not count. */
export async function alternately<Name extends string, Value>(
  count: number,
  measurements: Record<Name, () => Promise<Value>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(measurements) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round <= count; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await measurements[name]();
      if (round > 0) values[name].push(value);
    }
  return values;
}
