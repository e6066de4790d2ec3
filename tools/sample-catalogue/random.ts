/** A key of a stream of random numbers. The same keys give the same stream on every machine. */
export type RandomKey = string | number;

export function hash32(...keys: readonly RandomKey[]): number {
  let hash = 0x811c9dc5;
  for (const key of keys) {
    const text = typeof key === 'string' ? key : String(key);
    for (let i = 0; i < text.length; i += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
    // A separator between the keys ensures that ('a', 'bc') and ('ab', 'c') have different hashes.
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  return avalanche(hash);
}

/** A seeded generator of random numbers (mulberry32). It is not suitable for secrets. */
export class Random {
  #state: number;

  constructor(...keys: readonly RandomKey[]) {
    this.#state = hash32(...keys);
  }

  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(end: number): number {
    return Math.floor(this.unit() * end);
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  pick<T>(items: readonly T[]): T {
    return at(items, this.below(items.length));
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.below(rest.length), 1)).flat();
  }
}

/** Returns an item of a list. An index beyond the end wraps around to the start. */
export function at<T>(items: readonly T[], index: number): T {
  if (items.length === 0) throw new RangeError('nothing to pick from');
  return items[index % items.length] as T;
}

function avalanche(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
