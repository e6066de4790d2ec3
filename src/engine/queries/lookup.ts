import { URL_SCHEMA } from '../../listing/schema-versions.js';
import { foldBrands } from '../../text/brand.js';
import { foldValue } from '../../text/fold.js';
import { gtinOf, isInStoreGtin, readGtin } from '../../listing/gtin.js';
import { normaliseIdentifier } from '../../listing/identify.js';
import { visibleText } from '../../text/clean.js';
import { digitalLinkDigits, normaliseUrl } from '../../listing/url.js';
import { sourceClause } from './filter-clauses.js';
import type { QueryClause } from './selection.js';

export const IDENTIFIER_TYPES = ['gtin', 'sku', 'model', 'url', 'id'] as const;

/** An identifier, such as a GTIN or a SKU, by which listings are looked up. */
export interface Identifier {
  type: (typeof IDENTIFIER_TYPES)[number];
  value: string;
  /** The source whose SKU is looked up, because SKUs are unique only within a source. */
  source?: string | undefined;
  /** The brand of the product, if the identifier is a model number. */
  brand?: string | undefined;
}

/**
 * An identifier as text in normalized form, the query that finds its listings, the schema version that
 * the index must have, and whether it is an in-store number; or, for an invalid identifier, the reason why it is wrong.
 */
export type ReadIdentifier =
  { normalised: string; query: QueryClause; schema?: number; inStore?: boolean } | { wrong: string };

const GTIN_WRONG = {
  'check digit': 'check digit of gtin is wrong',
  form: 'gtin should have 8, 12, 13 or 14 digits, or be an ISBN-10',
};

/**
 * The attributes with the model number of the product that a listing is made for or replaces. Search finds them like all
 * attributes, but they are no model numbers of the listing itself, by which listings are matched.
 */
const OTHER_MODELS = ['oem_code', 'oem code', 'oem_number', 'oem number', 'oem'];

/** A clause for the listings with a model number (normalized), or with the text in one of the attributes `OTHER_MODELS`. */
const withModel = (model: string, text: string): QueryClause => ({
  bool: {
    should: [
      term('internal.models', model),
      ...OTHER_MODELS.map((name) => term(`internal.attribute_values.${name}`, foldValue(text))),
    ],
  },
});

/** Parses an identifier in any of the formats in which people write it. */
export function readIdentifier({ type, value, source, brand }: Identifier): ReadIdentifier {
  const text = value.trim();
  if (text === '') return { wrong: `${type} should not be blank` };
  switch (type) {
    case 'gtin': {
      const read = readGtin(digitalLinkDigits(visibleText(text)) ?? text);
      if ('wrong' in read) return { wrong: GTIN_WRONG[read.wrong] };
      const { gtin } = read;
      return { normalised: gtin, query: all([term('internal.gtins', gtin)]), inStore: isInStoreGtin(gtin) };
    }
    case 'sku':
      return { normalised: text, query: all([skuClause(text), ...given(source).map(sourceClause)]) };
    case 'model': {
      const model = normaliseIdentifier(text);
      if (model === '') return { wrong: 'model should have a letter or digit' };
      return { normalised: model, query: all([withModel(model, text), ...given(brand).map(brandClause)]) };
    }
    case 'url':
      return readUrl(text);
    case 'id': {
      const id = /^\d+$/.test(text) ? Number(text) : 0;
      if (id === 0 || !Number.isSafeInteger(id)) return { wrong: 'id should be a positive integer' };
      return { normalised: String(id), query: all([term('id', String(id))]) };
    }
  }
}

/** Parses a URL as an identifier. It may be a GS1 Digital Link, which contains a GTIN. */
function readUrl(text: string): ReadIdentifier {
  const url = normaliseUrl(visibleText(text).trim());
  if (url === null) return { wrong: 'url should be an http or https URL' };
  const page = term('internal.url', url);
  const gtin = gtinOf(digitalLinkDigits(visibleText(text)) ?? '');
  return gtin === null
    ? { normalised: url, query: all([page]), schema: URL_SCHEMA }
    : {
        normalised: gtin,
        query: all([{ bool: { should: [term('internal.gtins', gtin), page] } }]),
        inStore: isInStoreGtin(gtin),
      };
}

/** A clause for an SKU as given, or without invisible characters that were copied with it. */
const skuClause = (sku: string): QueryClause => ({
  terms: { sku: [...new Set([sku, visibleText(sku).trim()])] },
});

/** A clause for the listings of a brand: folded, or exact, because an index of an earlier schema has no folded brands. */
const brandClause = (brand: string): QueryClause => ({
  bool: { should: [{ terms: { 'internal.brand': foldBrands([brand]) } }, term('brand.exact', brand)] },
});

const term = (field: string, value: string): QueryClause => ({ term: { [field]: value } });

const given = (value = ''): string[] => (value.trim() === '' ? [] : [value.trim()]);

const all = (filter: QueryClause[]): QueryClause => ({ bool: { filter } });
