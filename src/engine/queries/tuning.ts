/** Every weight of the search, with its reason. The figures behind them: `npm run test:data`. */
export interface SearchTuning {
  /**
   * Weights of the fields that words are looked for in (BM25F: one listing's fields count as one text in which a
   * word of a field with weight 5 stands five times). At least 1 each, as the engine wants.
   */
  fields: Readonly<Record<string, number>>;
  /**
   * Of these, the ones that say what a listing is: the word that says what is asked for counts in them alone, and in its
   * kinds, which have the last of its categories: "Printers & Ink" makes no ink of a printer.
   */
  namingFields: readonly string[];
  /** For pairs of neighbours in the query that are neighbours in the name too, or one word there. */
  pairs: number;
  /** For model numbers and sizes in the name, joined whatever their spelling. */
  codes: number;
  /** For a part of the query that is the listing's SKU, GTIN or model number. */
  identifierPart: number;
  /** For being what the query asks for, and not something with those words: a bag for "camera bag". */
  kind: number;
  /** Added when every word of the query is found, beyond any sum of the weights above; for some of them, that part of it. */
  allWords: number;
  /** Added when the whole query is the listing's SKU, GTIN or model number, beyond `allWords`. */
  identifier: number;
  /** Where the query is a listing's name: what the scores of other shops' listings are multiplied by. */
  otherShops: number;
  /** Words of the query that are looked at; what follows them is not read. */
  maxWords: number;
  /** Up to so many words, any two neighbours may be one word in the listing. */
  maxJoinedWords: number;
  /** Up to so many words, pairs and codes are looked for; a longer query is a text, not a look-up. */
  maxLookupWords: number;
  /** The same limits for parts of words, such as the ideographs of a text without blanks. */
  maxParts: number;
  maxLookupParts: number;
}

export const SEARCH_TUNING: SearchTuning = {
  fields: {
    // Names are what shoppers ask for. From 4 to 15 the figures hardly move.
    name: 5,
    // Mostly in the name as well, where it already counts.
    brand: 3,
    'internal.categories': 3,
    // Says what the name leaves out, in many words: the field's own length keeps it low.
    description: 2,
    // Sizes, colours, connectors, and the identifiers as words: more weight brings more of the same kind, but
    // puts parts of a product before it.
    'internal.attributes': 1,
  },
  namingFields: ['name', 'brand'],
  // So that "sound bar" finds a soundbar before whatever has "sound"; from 2 on it costs relevance.
  pairs: 1,
  // A model number says more than the words around it.
  codes: 3,
  // More than `codes`: the listing that has the model comes before those that mention it.
  identifierPart: 5,
  // About what one rare word scores. From 3 to 30 the figures hardly move.
  kind: 10,
  // Who types four words means four; and what no listing knows takes nothing from what has the rest.
  allWords: 1000,
  identifier: 10_000,
  // Of two shops' listings 95 to 97 % are then in the top ten of the other's name, and 90 to 95 % without.
  otherShops: 2,
  // No name of a product is longer. To score, count and mark words costs the engine in proportion to their number.
  maxWords: 40,
  maxJoinedWords: 6,
  maxLookupWords: 20,
  maxParts: 200,
  maxLookupParts: 60,
};
