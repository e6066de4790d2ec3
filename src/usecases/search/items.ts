import { includedFields } from '../../products/included.js';
import { type LinkSettings, toProduct } from '../../listing/product.js';
import type { AdditionalRequest, ListingHit } from '../../engine/search-listings.js';
import type { Include } from '../../schemas/include.js';
import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';
import { escapeMarkup } from '../../text/clean.js';

/** The fields that are needed to make the affiliate link of a listing if its feed has none. */
const LINK_FIELDS: (keyof Product)[] = ['sku', 'source', 'buy_url'];
/** The fields that are needed to recognize a search text as the name of the first listing. */
const NAME_FIELDS: (keyof Product)[] = ['source', 'name'];

/** Returns the requested fields in the order of the Product, always with the id; null for all fields. */
export function fieldsOfItems(requested: readonly string[] = []): (keyof Product)[] | null {
  if (requested.length === 0) return null;
  return PRODUCT_FIELDS.filter((field) => field === 'id' || requested.includes(field));
}

/** Restricts the result of a search request to some fields of the listings, and to those from which these fields are made. */
export function fieldsRequest(
  fields: readonly (keyof Product)[] | null,
  include: Include | undefined,
): AdditionalRequest {
  const included = includedFields(include);
  if (fields === null)
    return included.length === 0 ? {} : { _source: { includes: [...PRODUCT_FIELDS, ...included] } };
  const linkFields = fields.includes('affiliate_url') ? LINK_FIELDS : [];
  return { _source: { includes: [...new Set([...fields, ...linkFields, ...NAME_FIELDS, ...included])] } };
}

export function toItem(
  { _source: listing }: ListingHit,
  fields: readonly (keyof Product)[] | null,
  links: LinkSettings,
): Partial<Product> {
  const product = toProduct(listing as Product, links);
  if (fields === null) return product;
  return Object.fromEntries(fields.map((field) => [field, product[field]] as const)) as Partial<Product>;
}

/** The characters that mark matches in a text. Stored text contains no control characters, so none can imitate them. */
const MARKS = { open: '\u0001', close: '\u0002' };

/** The number of characters in which matches are marked. Longer descriptions would take Elasticsearch seconds. */
const HIGHLIGHTED_CHARACTERS = 5_000;

const HIGHLIGHTED_FIELDS = ['name', 'description'] as const;

export const highlightRequest: AdditionalRequest = {
  highlight: {
    pre_tags: [MARKS.open],
    post_tags: [MARKS.close],
    // With this option, Elasticsearch returns the whole text with the marked matches instead of fragments of it.
    number_of_fragments: 0,
    // The words were searched for in a combined field, so matches are marked in the other fields nevertheless.
    require_field_match: false,
    max_analyzed_offset: HIGHLIGHTED_CHARACTERS,
    fields: Object.fromEntries(HIGHLIGHTED_FIELDS.map((field) => [field, {}])),
  },
};

/** Returns the name and description as HTML, in which `<em>` around the matches is the only markup. */
export const highlightOf = ({ highlight, _source: listing }: ListingHit): Record<string, string | null> =>
  Object.fromEntries(
    HIGHLIGHTED_FIELDS.map((field) => {
      const text = highlight?.[field]?.[0] ?? listing?.[field] ?? null;
      return [field, text === null ? null : toHtml(text)];
    }),
  );

/** Matches HTML tags at the end of a marked match. Elasticsearch treats tags directly after a word as part of it. */
const TAGS_WITHIN = /((?:<[^<>]{0,200}>){1,3})\u0002/g;

const toHtml = (text: string): string =>
  escapeMarkup(text.replace(TAGS_WITHIN, `${MARKS.close}$1`))
    .replaceAll(MARKS.open, '<em>')
    .replaceAll(MARKS.close, '</em>');
