/** A queue, with a limited number of items if the limit is given, from which the owners of the items are served in turn. */
export class FairQueue<T> {
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  constructor(private readonly maxSize = Infinity) {}

  get size(): number {
    return this.#size;
  }

  /** Adds an item. If the queue is full, the owner with the most items loses its last one. */
  add(owner: string, item: T): void {
    const own = this.#queues.get(owner) ?? [];
    this.#queues.set(owner, own);
    own.push(item);
    this.#size += 1;
    if (this.#size <= this.maxSize) return;
    const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    longest.pop();
    this.#size -= 1;
  }

  remove(owner: string): T[] {
    const own = this.#queues.get(owner) ?? [];
    this.#queues.delete(owner);
    this.#size -= own.length;
    return own;
  }

  /** Removes and returns up to `count` items, one of each owner in turn. */
  take(count: number): T[] {
    const taken: T[] = [];
    while (taken.length < count && this.#size > 0) {
      for (const [owner, own] of [...this.#queues]) {
        if (taken.length === count) break;
        // An owner whose item was taken moves to the end of the map, so that the other owners come first next time.
        this.#queues.delete(owner);
        const item = own.shift();
        if (item === undefined) continue;
        taken.push(item);
        this.#size -= 1;
        if (own.length > 0) this.#queues.set(owner, own);
      }
    }
    return taken;
  }
}
