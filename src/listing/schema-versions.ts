/** The first schema version with look-ups by URL. */
export const URL_SCHEMA = 3;
/** The first schema version with the fields for filters, sorting, ranking and groups. */
export const GROUPS_SCHEMA = 4;
/** The first schema version with inferred makers. */
export const MAKERS_SCHEMA = 6;
/** The first schema version with one field that contains all words of a listing, and one with their joined pairs. */
export const TEXT_SCHEMA = 7;
/** The first schema version with records of what has changed in listings. */
export const CHANGES_SCHEMA = 8;
/** The first schema version with judged price reductions. */
export const CLAIMS_SCHEMA = 8;
/** The first schema version with delivery prices. */
export const DELIVERY_SCHEMA = 8;
/** The first schema version with quantities and unit prices. */
export const QUANTITIES_SCHEMA = 8;
/** The first schema version with records of the runs that set the fields of listings. */
export const LINEAGE_SCHEMA = 8;
/** The first schema version with the mark of accessories. */
export const ACCESSORIES_SCHEMA = 9;
/** The first schema version with the version of the functions that computed the fields of each listing. */
export const DERIVATION_SCHEMA = 10;
/** The first schema version with owners of listings. */
export const OWNERS_SCHEMA = 10;
/** The first schema version with conditions of listings. */
export const CONDITIONS_SCHEMA = 10;
/** The first schema version with marks of "from" prices. */
export const PRICE_FROM_SCHEMA = 10;
/** The first schema version with stored pictures. */
export const PICTURES_SCHEMA = 10;
/** The first schema version with keys of the listings that are shown as one product. */
export const PRODUCT_KEYS_SCHEMA = 10;
/** The first schema version with the analyzer `simple_query`. */
export const SIMPLE_QUERY_SCHEMA = 10;

/** The schema version of `mappings/products.json`. */
export const CURRENT_SCHEMA = 10;
