/** What the listings of a catalogue teach about words of names. */
export interface CatalogueWords {
  /** What words name, by the letters and digits of the words (`compactKey`). */
  names: ReadonlyMap<string, 'maker' | 'likely maker' | 'line'>;
  /** For each folded word, the numbers of the kinds of evidence that its uses in the catalogue give. */
  uses: ReadonlyMap<string, readonly number[]>;
}

/** A catalogue without listings. */
export const NO_WORDS: CatalogueWords = { names: new Map(), uses: new Map() };
