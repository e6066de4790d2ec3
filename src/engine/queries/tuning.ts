/** All weights and limits of the search. `npm run test:data` measures their effect. */
export const SEARCH_TUNING = {
  /**
   * The weights of the fields that are searched for words (BM25F: the fields of a listing count as one text,
   * in which a word of a field with the weight 5 occurs five times). Elasticsearch requires weights of at
   * least 1.
   */
  fields: {
    // Shoppers search for names. Values from 4 to 15 give almost the same results.
    name: 5,
    // Most brands are also part of the name, where they already count.
    brand: 3,
    'internal.categories': 3,
    // Descriptions state what names leave out. Their length already lowers the score of each word.
    description: 2,
    // Attributes contain sizes, colours and connectors. A higher weight ranks spare parts above the product.
    'internal.attributes': 1,
  },
  /** The fields in which a head noun counts. The category "Printers & Ink" does not make ink of a printer. */
  namingFields: ['name', 'brand'],
  /**
   * The boost for two adjacent words that are also adjacent, or one word, in the name: "sound bar" finds a
   * soundbar before listings with "sound". Values from 2 on lower the relevance.
   */
  pairs: 1,
  /** The boost for model numbers and sizes in the name, which are more specific than adjacent words. */
  codes: 3,
  /** The boost for a part of the text that is the SKU, GTIN or model number of the listing. */
  identifierPart: 5,
  /**
   * The boost for the kind of thing that the text names: a bag for "camera bag". It counts about as much as a
   * rare word. Values from 3 to 30 give almost the same results.
   */
  kind: 10,
  /** The boost for every word of the text, above all boosts before; a share of it if words are missing. */
  allWords: 1000,
  /** The boost for listings whose SKU, GTIN or model number is the whole text. It outweighs `allWords`. */
  identifier: 10_000,
  /** The boost for offers that are linked to such listings. It outweighs `allWords`, but not `identifier`. */
  linkedOffers: 5_000,
  /**
   * The factor for other shops' listings if the text is the exact name of a listing: 95 to 97 % of another
   * shop's offers are then in the top ten, and 90 to 95 % without it.
   */
  otherShops: 2,
  /** The maximum number of words that are searched for. Product names are never longer. */
  maxWords: 40,
  /** The maximum number of words of a text in which adjacent words may also match one word of the listing. */
  maxJoinedWords: 6,
  /** The maximum number of words of a text for which adjacent pairs and model numbers are searched. */
  maxLookupWords: 20,
  /** The maximum number of searched parts of words, such as the ideographs of a text without blanks. */
  maxParts: 200,
  maxLookupParts: 60,
};
