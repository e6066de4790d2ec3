/** Joins things into sets, and tells which are in one: union-find. */
export class Components {
  readonly #parents = new Map<number, number>();

  /** The one that stands for all of its set: the least of them. */
  find(one: number): number {
    let root = one;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    for (let at = one; at !== root;) {
      const next = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = next;
    }
    return root;
  }

  join(a: number, b: number): void {
    const [low, high] = [this.find(a), this.find(b)].sort((one, other) => one - other) as [number, number];
    if (low !== high) this.#parents.set(high, low);
  }
}
