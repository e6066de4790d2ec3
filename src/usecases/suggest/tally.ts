interface Counted {
  text: string;
  count: number;
  /** By how much `text` is ahead of other spellings. */
  lead: number;
}

/**
 * Counts texts by their key, in bounded memory: where there are too many, the rarest go and may be counted anew (lossy
 * counting), so that what is frequent stays, and no count is too high.
 */
export class Tally {
  readonly #counted = new Map<string, Counted>();
  #rare = 1;

  constructor(private readonly most: number) {}

  /** @param text how this listing spells the key; most common spelling wins. */
  add(key: string, text: string): void {
    const counted = this.#counted.get(key);
    if (counted === undefined) {
      this.#counted.set(key, { text, count: 1, lead: 1 });
      if (this.#counted.size > this.most) this.#drop();
      return;
    }
    counted.count += 1;
    if (counted.text === text) counted.lead += 1;
    else if (counted.lead === 1) counted.text = text;
    else counted.lead -= 1;
  }

  /** @returns the text that leads, and by how much. */
  get(key: string): Readonly<Counted> | undefined {
    return this.#counted.get(key);
  }

  countOf(key: string): number {
    return this.#counted.get(key)?.count ?? 0;
  }

  *entries(): Generator<{ key: string; text: string; count: number }> {
    for (const [key, { text, count }] of this.#counted) yield { key, text, count };
  }

  #drop(): void {
    for (const [key, { count }] of this.#counted) if (count <= this.#rare) this.#counted.delete(key);
    this.#rare += 1;
  }
}
