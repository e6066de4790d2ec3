/*
 * JSON schemas of the catalogue of the Universal Commerce Protocol, for its releases 2026-04-08 and 2026-08-25.
 * Copyright 2026 UCP Authors, Apache License 2.0 (the licence of this repository, see LICENSE), from
 * https://github.com/Universal-Commerce-Protocol/ucp. Changes: descriptions are left out, references are shortened, and
 * objects of the catalogue accept no members that a release does not define, so that a misplaced member is found.
 *
 * Constraints of `catalog_search`, `catalog_lookup` and `variant` are those of the files that were published for 2026-04-08;
 * those of `product`, `price`, `price_range`, `rating`, `input_correlation`, `message_*` and `availability` are those of the
 * repository. `ucp`, `description`, `category`, `amount`, `media` and `pagination` follow the tables of the reference of the
 * release, because their files were not at hand.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Release } from '../../../src/http/ucp/releases.js';

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const closed = (properties: object, required: string[] = []) => ({
  ...object(properties, required),
  additionalProperties: false,
});

const message = (type: string, properties: object, required: string[]) =>
  closed(
    {
      type: { const: type },
      path: text,
      content: text,
      content_type: { enum: ['plain', 'markdown'] },
      ...properties,
    },
    ['type', 'content', ...required],
  );

const VERSION = '^\\d{4}-\\d{2}-\\d{2}$';
const DOMAIN = '^[a-z][a-z0-9]*(?:\\.[a-z][a-z0-9_]*)+$';

const SHARED = {
  ucp: closed(
    {
      version: { type: 'string', pattern: VERSION },
      status: { enum: ['success', 'error'] },
      services: { type: 'object' },
      capabilities: {
        type: 'object',
        propertyNames: { pattern: DOMAIN },
        additionalProperties: list(object({ version: { type: 'string', pattern: VERSION } }, ['version'])),
      },
      payment_handlers: { type: 'object' },
    },
    ['version'],
  ),
  description: { ...closed({ plain: text, html: text, markdown: text }), minProperties: 1 },
  category: closed({ value: text, taxonomy: text }, ['value']),
  amount: { type: 'integer', minimum: 0 },
  price: closed({ amount: ref('amount'), currency: { type: 'string', pattern: '^[A-Z]{3}$' } }, [
    'amount',
    'currency',
  ]),
  price_range: closed({ min: ref('price'), max: ref('price') }, ['min', 'max']),
  media: closed(
    { type: text, url: uri, alt_text: text, width: { type: 'integer' }, height: { type: 'integer' } },
    ['type', 'url'],
  ),
  rating: closed(
    {
      value: { type: 'number', minimum: 0 },
      scale_min: { type: 'number', minimum: 0 },
      scale_max: { type: 'number', minimum: 1 },
      count: { type: 'integer', minimum: 0 },
    },
    ['value', 'scale_max'],
  ),
  selected_option: closed({ name: text, id: text, label: text }, ['name', 'label']),
  input_correlation: closed({ id: text, match: text }, ['id']),
  availability: object({ available: { type: 'boolean' }, status: text }),
  message: {
    oneOf: [
      message(
        'error',
        {
          code: text,
          severity: {
            enum: ['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'],
          },
        },
        ['code', 'severity'],
      ),
      message('warning', { code: text, presentation: text, image_url: uri, url: uri }, ['code']),
      message('info', { code: text }, []),
    ],
  },
  pagination: {
    ...closed(
      { cursor: text, has_next_page: { type: 'boolean' }, total_count: { type: 'integer', minimum: 0 } },
      ['has_next_page'],
    ),
    if: { properties: { has_next_page: { const: true } } },
    then: { required: ['cursor'] },
  },
  search_response: closed(
    {
      ucp: ref('ucp'),
      products: list(ref('product')),
      pagination: ref('pagination'),
      messages: list(ref('message')),
    },
    ['ucp', 'products'],
  ),
  lookup_response: closed(
    { ucp: ref('ucp'), products: list(ref('lookup_product')), messages: list(ref('message')) },
    ['ucp', 'products'],
  ),
  get_product_response: closed({ ucp: ref('ucp'), product: ref('product'), messages: list(ref('message')) }, [
    'ucp',
    'product',
  ]),
  error_response: closed(
    {
      ucp: { allOf: [ref('ucp'), { properties: { status: { const: 'error' } }, required: ['status'] }] },
      messages: list(ref('message'), { minItems: 1 }),
      continue_url: uri,
    },
    ['ucp', 'messages'],
  ),
  catalog_get_product_response: { oneOf: [ref('get_product_response'), ref('error_response')] },
};

const unitPrice = object(
  { amount: ref('amount'), currency: text, measure: object({}), reference: object({}) },
  ['amount', 'currency', 'measure', 'reference'],
);

/** The members of a variant that have another name in each release. */
const VARIANT: Record<Release, object> = {
  '2026-04-08': { selected_options: list(ref('selected_option')) },
  '2026-08-25': { options: list(ref('selected_option')), quantity_unit: object({}) },
};

function schemasOf(release: Release) {
  const variant = {
    id: text,
    sku: text,
    barcodes: list(object({ type: text, value: text }, ['type', 'value'])),
    handle: text,
    title: text,
    description: ref('description'),
    url: uri,
    categories: list(ref('category')),
    price: ref('price'),
    list_price: ref('price'),
    unit_price: unitPrice,
    availability: ref('availability'),
    media: list(ref('media')),
    rating: ref('rating'),
    tags: list(text),
    metadata: { type: 'object' },
    seller: closed({ name: text, links: list(object({ type: text, url: uri }, ['type', 'url'])) }),
    ...VARIANT[release],
  };
  const required = ['id', 'title', 'description', 'price'];
  const inputs = list(ref('input_correlation'), { minItems: 1 });
  const product = (variants: object) =>
    closed(
      {
        id: text,
        handle: text,
        title: text,
        description: ref('description'),
        url: uri,
        categories: list(ref('category')),
        price_range: ref('price_range'),
        list_price_range: ref('price_range'),
        media: list(ref('media')),
        options: list(
          object({ name: text, values: list(object({ label: text }, ['label'])) }, ['name', 'values']),
        ),
        selected: list(ref('selected_option')),
        variants: list(variants, { minItems: 1 }),
        rating: ref('rating'),
        tags: list(text),
        metadata: { type: 'object' },
      },
      ['id', 'title', 'description', 'price_range', 'variants'],
    );
  return {
    ...SHARED,
    variant: closed(variant, required),
    product: product(ref('variant')),
    lookup_product: product(closed({ ...variant, inputs }, [...required, 'inputs'])),
  };
}

/** The answers that the schemas describe. */
export type Answered =
  'search_response' | 'lookup_response' | 'catalog_get_product_response' | 'error_response';

/** Creates a function that returns what is wrong with an answer of a release; null if nothing is. */
export function validatorOf(release: Release): (answered: Answered, body: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: release, $defs: schemasOf(release) });
  return (answered, body) => {
    const validate = ajv.getSchema(`${release}#/$defs/${answered}`);
    if (validate === undefined) throw new Error(`no schema ${answered}`);
    if (!validate(body)) return ajv.errorsText(validate.errors);
    const { version } = (body as { ucp: { version: string } }).ucp;
    return version === release ? null : `ucp.version is ${version}`;
  };
}
