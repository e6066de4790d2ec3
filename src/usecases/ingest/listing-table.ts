import { listingId } from '../../listing/identify.js';

const FIRST_CAPACITY = 1024;

/**
 * A hash table from the ids of many listings to numbers, or a set of ids: open addressing takes 40 bytes per listing, or 20 in a
 * set. Two listings with the same computed id count as one.
 */
export class ListingNumbers {
  /** The ids of the listings; 0 marks a free entry. They are evenly distributed, so no further hash is needed. */
  #ids = new Float64Array(FIRST_CAPACITY);
  #numbers: Float64Array | null;
  #size = 0;

  constructor({ isSet = false } = {}) {
    this.#numbers = isSet ? null : new Float64Array(FIRST_CAPACITY);
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a listing, which is 0 in a set; undefined if the listing is not in the table. */
  get(id: number): number | undefined {
    const at = this.#indexOf(id);
    return this.#ids[at] === id ? (this.#numbers?.[at] ?? 0) : undefined;
  }

  set(id: number, number: number): void {
    const at = this.#indexOf(id);
    if (this.#ids[at] !== id) this.#size += 1;
    this.#ids[at] = id;
    if (this.#numbers !== null) this.#numbers[at] = number;
    if (this.#size > 0.75 * this.#ids.length) this.#grow();
  }

  #indexOf(id: number): number {
    const { length } = this.#ids;
    let at = id % length;
    while (this.#ids[at] !== 0 && this.#ids[at] !== id) at = (at + 1) % length;
    return at;
  }

  #grow(): void {
    const [ids, numbers] = [this.#ids, this.#numbers];
    this.#ids = new Float64Array(2 * ids.length);
    if (numbers !== null) this.#numbers = new Float64Array(2 * ids.length);
    for (const [before, id] of ids.entries()) {
      if (id === 0) continue;
      const at = this.#indexOf(id);
      this.#ids[at] = id;
      if (this.#numbers !== null) this.#numbers[at] = numbers?.[before] ?? 0;
    }
  }
}

export class SeenListings {
  readonly #table = new ListingNumbers({ isSet: true });

  get empty(): boolean {
    return this.#table.size === 0;
  }

  /** Adds a listing by its computed id: a missing one may seem present, never the reverse. @returns whether it was new. */
  add(source: string, sku: string): boolean {
    const { size } = this.#table;
    this.#table.set(listingId(source, sku, 0), 0);
    return this.#table.size > size;
  }

  has(source: string, sku: string): boolean {
    return this.#table.get(listingId(source, sku, 0)) !== undefined;
  }
}
