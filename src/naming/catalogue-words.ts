/** What the listings of a catalogue teach about words of names. */
export interface CatalogueWords {
  /** What the letters and digits of some words name (`compactKey`). */
  names: ReadonlyMap<string, 'maker' | 'likely maker' | 'line'>;
  /** The kinds of evidence that the uses of a folded word are. */
  uses: ReadonlyMap<string, readonly number[]>;
}

/** A catalogue without listings. */
export const NO_WORDS: CatalogueWords = { names: new Map(), uses: new Map() };
