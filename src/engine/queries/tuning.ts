/** All weights of the search. `npm run test:data` measures their effect. */
export interface SearchTuning {
  /**
   * The weights of the fields that are searched for words (BM25F: the fields of a listing count as one text, in which a word of
   * a field with the weight 5 occurs five times). Elasticsearch requires weights of at least 1.
   */
  fields: Readonly<Record<string, number>>;
  /**
   * The fields that name the product. The head noun of a text counts only in these and in the kinds of the listing, which are
   * derived from its name and last category: the category "Printers & Ink" does not make ink of a printer.
   */
  namingFields: readonly string[];
  /** The weight of two adjacent words of the text that are adjacent, or one word, in the name. */
  pairs: number;
  /** The weight of model numbers and sizes in the name, in any format. */
  codes: number;
  /** The weight of a part of the text that is the SKU, GTIN or model number of the listing. */
  identifierPart: number;
  /** The weight of being the kind of thing that the text names: a bag for "camera bag". */
  kind: number;
  /** Is added if every word of the text is found, and outweighs all weights above. If some words are found, a share of it is added. */
  allWords: number;
  /** Is added if the whole text is the SKU, GTIN or model number of the listing, and outweighs `allWords`. */
  identifier: number;
  /** Multiplies the score of other shops' listings if the text is the exact name of a listing. */
  otherShops: number;
  /** The maximum number of words of a text that are searched for. Further words are ignored. */
  maxWords: number;
  /** The maximum number of words of a text in which adjacent words may be one word in the listing. */
  maxJoinedWords: number;
  /** The maximum number of words of a text for which pairs and codes are searched. */
  maxLookupWords: number;
  /** The same limits for parts of words, such as the ideographs of a text without blanks. */
  maxParts: number;
  maxLookupParts: number;
}

export const SEARCH_TUNING: SearchTuning = {
  fields: {
    // Shoppers search for names. Values from 4 to 15 give almost the same results.
    name: 5,
    // Most brands are also in the name, where they count already.
    brand: 3,
    'internal.categories': 3,
    // Descriptions add what names leave out. Their length already lowers the score of each word.
    description: 2,
    // Sizes, colours, connectors, and identifiers as words. With a higher weight, parts of a product come before it.
    'internal.attributes': 1,
  },
  namingFields: ['name', 'brand'],
  // "sound bar" finds a soundbar before listings with "sound". Values from 2 on lower the relevance.
  pairs: 1,
  // A model number is more specific than the words around it.
  codes: 3,
  // Higher than `codes`: the listing with this model comes before those that mention it.
  identifierPart: 5,
  // About the score of a rare word. Values from 3 to 30 give almost the same results.
  kind: 10,
  // Listings with more of the words come first; words that no listing has affect all listings alike.
  allWords: 1000,
  identifier: 10_000,
  // With it, 95 to 97 % of the offers of another shop are in the top ten for a listing's name, and 90 to 95 % without.
  otherShops: 2,
  // No name of a product is longer. Scoring, counting and highlighting take time in proportion to the number of words.
  maxWords: 40,
  maxJoinedWords: 6,
  maxLookupWords: 20,
  maxParts: 200,
  maxLookupParts: 60,
};
