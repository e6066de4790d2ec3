import { listingId } from '../../listing/identify.js';

const FIRST_PLACES = 1024;

/** The listings that a feed knows, at some twenty bytes each: a hash table of their ids with open addressing. */
export class SeenListings {
  /** 0: free. Ids are spread evenly as they are. */
  #places = new Float64Array(FIRST_PLACES);
  #size = 0;

  get empty(): boolean {
    return this.#size === 0;
  }

  /**
   * Two listings that share a first id count as one; then an absent one may pass for present, never the reverse.
   * @returns whether it was not there yet.
   */
  add(source: string, sku: string): boolean {
    const id = listingId(source, sku, 0);
    const place = this.#placeOf(id);
    if (this.#places[place] === id) return false;
    this.#places[place] = id;
    this.#size += 1;
    if (this.#size > 0.75 * this.#places.length) this.#grow();
    return true;
  }

  has(source: string, sku: string): boolean {
    const id = listingId(source, sku, 0);
    return this.#places[this.#placeOf(id)] === id;
  }

  /** Where an id is, or would be. */
  #placeOf(id: number): number {
    const { length } = this.#places;
    let place = id % length;
    while (this.#places[place] !== 0 && this.#places[place] !== id) place = (place + 1) % length;
    return place;
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Float64Array(2 * before.length);
    for (const id of before) if (id !== 0) this.#places[this.#placeOf(id)] = id;
  }
}
