/** What a stream of random numbers is derived from: the same keys give the same stream, on every machine. */
export type RandomKey = string | number;

/** Mixes keys into 32 bits (FNV-1a with a final avalanche). */
export function hash32(...keys: readonly RandomKey[]): number {
  let hash = 0x811c9dc5;
  for (const key of keys) {
    const text = typeof key === 'string' ? key : String(key);
    for (let i = 0; i < text.length; i += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
    // Between keys, so that ('a', 'bc') and ('ab', 'c') differ.
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  return avalanche(hash);
}

/** A seeded stream of numbers (mulberry32). Not for secrets. */
export class Random {
  #state: number;

  constructor(...keys: readonly RandomKey[]) {
    this.#state = hash32(...keys);
  }

  /** From 0 up to, not including, 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.unit() * end);
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  /** @throws RangeError for an empty list. */
  pick<T>(items: readonly T[]): T {
    return at(items, this.below(items.length));
  }

  /** A seeded shuffle (Fisher and Yates) of a copy. */
  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.below(rest.length), 1)).flat();
  }
}

/**
 * The item at an index, counted round and round.
 * @throws RangeError for an empty list.
 */
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
