// For each feature of the product index, the first schema version that has it.

export const URL_SCHEMA = 3;
/** Fields for filters, sorting, ranking and groups. */
export const GROUPS_SCHEMA = 4;
export const MAKERS_SCHEMA = 6;
/** The field with all words of a listing, and the field with its adjacent words joined in pairs. */
export const TEXT_SCHEMA = 7;
export const CHANGES_SCHEMA = 8;
export const CLAIMS_SCHEMA = 8;
export const DELIVERY_SCHEMA = 8;
export const QUANTITIES_SCHEMA = 8;
export const LINEAGE_SCHEMA = 8;
export const ACCESSORIES_SCHEMA = 9;
/** The version of the functions that computed the fields of each listing. */
export const DERIVATION_SCHEMA = 10;
export const OWNERS_SCHEMA = 10;
export const CONDITIONS_SCHEMA = 10;
export const PRICE_FROM_SCHEMA = 10;
export const PICTURES_SCHEMA = 10;
/** Keys of the listings that are shown as one product. */
export const PRODUCT_KEYS_SCHEMA = 10;
/** The analyzer `simple_query`. */
export const SIMPLE_QUERY_SCHEMA = 10;

/** The schema version of `mappings/products.json`. */
export const CURRENT_SCHEMA = 10;
