import type { estypes } from '@elastic/elasticsearch';
import { URL_SCHEMA } from '../../listing/derived.js';
import { foldValue } from '../../text/fold.js';
import { readGtin } from '../../listing/gtin.js';
import { normaliseIdentifier } from '../../listing/identify.js';
import { visibleText } from '../../text/clean.js';
import { digitalLinkGtin, normaliseUrl } from '../../listing/url.js';
import { sourceClause } from './listings.js';

type Query = estypes.QueryDslQueryContainer;

export const IDENTIFIER_TYPES = ['gtin', 'sku', 'model', 'url', 'id'] as const;

/** What a listing is asked for by. */
export interface Identifier {
  type: (typeof IDENTIFIER_TYPES)[number];
  value: string;
  /** With a SKU, which is unique in its source alone. */
  source?: string | undefined;
  /** With a model number. */
  brand?: string | undefined;
}

/** An identifier as listings have it, with the query for exactly those; or what is wrong with it. */
export type ReadIdentifier = { normalised: string; query: Query; schema?: number } | { wrong: string };

const GTIN_WRONG = {
  'check digit': 'check digit of gtin is wrong',
  form: 'gtin should have 8, 12, 13 or 14 digits, or be an ISBN-10',
};

/** Reads an identifier as people write it. `schema`: what version of the index can be asked for it. */
export function readIdentifier({ type, value, source, brand }: Identifier): ReadIdentifier {
  const text = value.trim();
  if (text === '') return { wrong: `${type} should not be blank` };
  switch (type) {
    case 'gtin': {
      const read = readGtin(digitalLinkGtin(visibleText(text)) ?? text);
      if ('wrong' in read) return { wrong: GTIN_WRONG[read.wrong] };
      return { normalised: read.gtin, query: all([term('internal.gtins', read.gtin)]) };
    }
    case 'sku':
      return { normalised: text, query: all([skuClause(text), ...given(source).map(sourceClause)]) };
    case 'model': {
      const model = normaliseIdentifier(text);
      if (model === '') return { wrong: 'model should have a letter or digit' };
      return {
        normalised: model,
        query: all([term('internal.models', model), ...given(brand).map(brandClause)]),
      };
    }
    case 'url':
      return readUrl(text);
    case 'id':
      return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
        ? { normalised: text, query: all([term('id', text)]) }
        : { wrong: 'id should be a positive integer' };
  }
}

/** A GS1 Digital Link is its GTIN; should a shop's own address look like one, the page is found too. */
function readUrl(text: string): ReadIdentifier {
  const url = normaliseUrl(visibleText(text).trim());
  if (url === null) return { wrong: 'url should be an http or https URL' };
  const page = term('internal.url', url);
  const gtin = digitalLinkGtin(visibleText(text));
  return gtin === null
    ? { normalised: url, query: all([page]), schema: URL_SCHEMA }
    : { normalised: gtin, query: all([{ bool: { should: [term('internal.gtins', gtin), page] } }]) };
}

/** The SKU as given, or without invisible characters that came with it from where it was copied. */
const skuClause = (sku: string): Query => ({ terms: { sku: [...new Set([sku, visibleText(sku).trim()])] } });

/** Folded as `brand=` of a search is; an index of an earlier schema has no folded brands. */
const brandClause = (brand: string): Query => ({
  bool: { should: [term('internal.brand', foldValue(brand)), term('brand.exact', brand)] },
});

const term = (field: string, value: string): Query => ({ term: { [field]: value } });

const given = (value = ''): string[] => (value.trim() === '' ? [] : [value.trim()]);

const all = (filter: Query[]): Query => ({ bool: { filter } });
