/** The connected components of a graph of ids, as a union-find structure. */
export class Components {
  readonly #parents = new Map<number, number>();

  /** Returns the lowest id of the connected component to which an id belongs. */
  find(id: number): number {
    let root = id;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    for (let at = id; at !== root;) {
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
