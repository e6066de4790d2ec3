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
  /**
   * The boost for two adjacent words of the query text that are also adjacent, or one word, in the
   * listing's name.
   */
  pairs: number;
  /** The boost for model numbers and sizes in the listing's name, in any format. */
  codes: number;
  /** The boost for a part of the query text that is the SKU, GTIN or model number of the listing. */
  identifierPart: number;
  /** The boost for listings that are of the kind that the query text names: a bag for "camera bag". */
  kind: number;
  /**
   * The boost for listings that contain every word of the query text. It outweighs all boosts above. If
   * some words are missing, a share of it is added.
   */
  allWords: number;
  /**
   * The boost for listings whose SKU, GTIN or model number is the whole query text. It outweighs
   * `allWords`.
   */
  identifier: number;
  /**
   * The boost for offers that are linked to the listings whose identifier is the whole query text. It
   * outweighs `allWords`, but not `identifier`.
   */
  linkedOffers: number;
  /** The factor for the score of other shops' listings if the query text is the exact name of a listing. */
  otherShops: number;
  /** The maximum number of words of a query text that are searched for. Further words are ignored. */
  maxWords: number;
  /**
   * The maximum number of words of a query text in which two adjacent words may also match one word of the
   * listing.
   */
  maxJoinedWords: number;
  /**
   * The maximum number of words of a query text for which adjacent pairs and model numbers are searched.
   */
  maxLookupWords: number;
  /**
   * The maximum number of parts of words that are searched for, such as the ideographs of a text without
   * blanks. Further parts are ignored.
   */
  maxParts: number;
  maxLookupParts: number;
}

export const SEARCH_TUNING: SearchTuning = {
  fields: {
    // The weight of the name is the highest, because shoppers search for names. Values from 4 to 15 give
    // almost the same results.
    name: 5,
    // Most brands are also part of the name, where they already count, so the brand has a lower weight.
    brand: 3,
    'internal.categories': 3,
    // Descriptions state what names leave out. They need no lower weight, because their length already
    // lowers the score of each word.
    description: 2,
    // Attributes contain sizes, colours, connectors, and identifiers as words. With a higher weight, spare
    // parts would be ranked above the product.
    'internal.attributes': 1,
  },
  namingFields: ['name', 'brand'],
  // With this boost, "sound bar" finds a soundbar before listings with "sound". Values from 2 on lower the
  // relevance.
  pairs: 1,
  // A model number has a higher boost than adjacent words, because it is more specific.
  codes: 3,
  // This boost is higher than `codes`, so that the listing with this model number comes before those that
  // only mention it.
  identifierPart: 5,
  // With this boost, the right kind of product counts about as much as a rare word. Values from 3 to 30 give
  // almost the same results.
  kind: 10,
  // Listings with more of the query's words come first. A word that no listing contains does not change the
  // order.
  allWords: 1000,
  identifier: 10_000,
  linkedOffers: 5_000,
  // With this factor, 95 to 97 % of another shop's offers are in the top ten for a listing's name; without
  // it, 90 to 95 %.
  otherShops: 2,
  // Product names are never longer than this number of words. Scoring, counting and highlighting take time
  // in proportion to the number of words.
  maxWords: 40,
  maxJoinedWords: 6,
  maxLookupWords: 20,
  maxParts: 200,
  maxLookupParts: 60,
};
