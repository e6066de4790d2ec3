/** A priority queue, kept as a binary heap. `take` removes the item that comes before all others. */
export class PriorityQueue<T> {
  readonly #items: T[] = [];

  /**
   * Creates an empty queue.
   * @param comesBefore returns whether an item precedes another one. It must be a strict order.
   */
  constructor(private readonly comesBefore: (one: T, other: T) => boolean) {}

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  /**
   * Removes and returns the first item of the queue.
   * @returns undefined if the queue is empty.
   */
  take(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    items[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = this.#isBefore(right, left) ? right : left;
      if (!this.#swapIfBefore(child, at)) return first;
      at = child;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#items[one], this.#items[other]];
    return a !== undefined && b !== undefined && this.comesBefore(a, b);
  }

  /**
   * Swaps an item of the heap with its parent if the item precedes the parent.
   * @param lower the position of the item.
   * @param upper the position of its parent.
   * @returns whether the two were swapped.
   */
  #swapIfBefore(lower: number, upper: number): boolean {
    if (!this.#isBefore(lower, upper)) return false;
    const [low, up] = [this.#items[lower] as T, this.#items[upper] as T];
    this.#items[lower] = up;
    this.#items[upper] = low;
    return true;
  }
}
