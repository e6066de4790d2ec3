/** All weights and limits of the search. `npm run test:data` measures their effect. */
export const SEARCH_TUNING = {
  /**
   * The weight of the words in the name, relative to those anywhere in the listing (BM25 of `internal.text`). With 1 and 4,
   * listings are ranked about as well. Separate weights for brand, categories and description rank no better, and cost more.
   */
  name: 2,
  /** The boost for model numbers and sizes in the name, which are more specific than adjacent words. */
  codes: 3,
  /** The boost for a part of the text that is the SKU, GTIN or model number of the listing. */
  identifierPart: 5,
  /**
   * The boost for the kind of thing that the text names: a bag for "camera bag". It counts more than two rare words, because what
   * goes with a thing often has its name twice, and a German compound only as a part. Values from 3 to 30 rank English about as well.
   */
  kind: 25,
  /** The boost for names with the words as they are typed, without English synonyms, if their script has no blanks. */
  asTyped: 25,
  /**
   * The boost for listings with every word of the text; those that lack words get a share of it. It exceeds all boosts for words,
   * model numbers and kinds.
   */
  allWords: 1000,
  /** The boost for listings whose SKU, GTIN or model number is the whole text. It outweighs the boost `allWords`. */
  identifier: 10_000,
  /** The boost for linked offers of a listing that the whole text identifies: more than `allWords`, less than `identifier`. */
  linkedOffers: 5_000,
  /**
   * The factor for other shops' listings if the text is the exact name of a listing: 95 to 97 % of another
   * shop's offers are then in the top ten, and 90 to 95 % without it.
   */
  otherShops: 2,
  /** The maximum number of words of a text that are searched for, because product names are never longer. */
  maxWords: 40,
  /** The maximum number of words of a text for which adjacent pairs and model numbers are searched. */
  maxLookupWords: 20,
  /** The maximum number of parts of words that are searched for, such as the ideographs of a text without blanks. */
  maxParts: 200,
  maxLookupParts: 60,
};

/** The boosts of searches for similar and for compatible listings. A rare word scores about 5 to 10. */
export const SIMILAR_TUNING = {
  /** Boosts for the same kind of product: the same nouns in the name (`kind`), and the same category, which is more reliable. */
  kind: 2,
  category: 3,
  /** Words of the name. Rare words score more than common ones. */
  name: 1,
  /** A size in the name, because a product of another size can rarely replace the listing. */
  size: 4,
  attribute: 3,
  /** The price ranges that are near, relative to the price of the listing. The boosts of nested ranges add up. */
  prices: [
    { from: 0.8, to: 1.25, boost: 4 },
    { from: 0.5, to: 2, boost: 4 },
  ],
  /** The full name of the listing, which parts and accessories state, as in "case for Sonvara SNC-210M5". */
  named: 4,
  /** A code, such as a socket: in the name (`code`), and in the description, which also mentions other products. */
  code: 3,
  described: 0.5,
  colour: 1,
  /** The words of the parameter `q`, which usually name a kind of product. */
  query: 2,
};
