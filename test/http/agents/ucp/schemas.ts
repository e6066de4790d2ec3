/*
 * JSON schemas of the catalogue of the Universal Commerce Protocol, for its releases 2026-04-08 and 2026-08-25.
 * Copyright 2026 UCP Authors, Apache License 2.0 (the licence of this repository, see LICENSE), from
 * https://github.com/Universal-Commerce-Protocol/ucp. Changes: descriptions are left out, references are shortened, and
 * objects of the catalogue accept no members that a release does not define, so that a misplaced member is found.
 *
 * - 2026-04-08: each schema is that of the files of the tag v2026-04-08: `ucp.json`, `capability.json`,
 *   `shopping/catalog_search.json`, `shopping/catalog_lookup.json` and `shopping/types/*.json`. The options of a variant are
 *   `options` there, and `selected_options` in the file that was published first, so both are accepted.
 * - 2026-08-25: the published OpenAPI document names the schema of each answer. The files of these schemas were not at hand:
 *   those of the main branch before and after the release have the constraints of 2026-04-08 for everything that the service
 *   sends, and so have the tables of the published reference. What the release added is in RESPONSE and VARIANT: `actions` and
 *   `policies` follow `common/types/actions.json` and `policy.json` of the main branch, `quantity_unit` and the measures of a
 *   unit price the reference. The service sends none of them.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Release } from '../../../../src/http/agents/ucp/releases.js';

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

const version = { type: 'string', pattern: VERSION };
const entity = { version, spec: uri, schema: uri, id: text, config: { type: 'object' } };
const domain = { type: 'string', pattern: DOMAIN };
const registry = (entry: object) => ({
  type: 'object',
  propertyNames: domain,
  additionalProperties: list(entry),
});

const currency = { type: 'string', pattern: '^[A-Z]{3}$' };
const size = { type: 'integer', minimum: 1 };

const SHARED = {
  ucp: closed(
    {
      version,
      status: { enum: ['success', 'error'] },
      services: registry(object(entity, ['version'])),
      capabilities: registry(
        closed({ ...entity, extends: { oneOf: [domain, list(domain, { minItems: 1 })] } }, ['version']),
      ),
      payment_handlers: registry(object(entity, ['version'])),
    },
    ['version'],
  ),
  description: { ...closed({ plain: text, html: text, markdown: text }), minProperties: 1 },
  category: closed({ value: text, taxonomy: text }, ['value']),
  amount: { type: 'integer', minimum: 0 },
  price: closed({ amount: ref('amount'), currency }, ['amount', 'currency']),
  price_range: closed({ min: ref('price'), max: ref('price') }, ['min', 'max']),
  media: closed({ type: text, url: uri, alt_text: text, width: size, height: size }, ['type', 'url']),
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
    if: { properties: { has_next_page: { const: true } }, required: ['has_next_page'] },
    then: { required: ['cursor'] },
  },
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

/** The members of every answer that one release alone has. */
const RESPONSE: Record<Release, object> = {
  '2026-04-08': {},
  '2026-08-25': {
    actions: {
      ...registry(object({ id: { ...text, minLength: 1 }, config: { type: 'object' } }, ['id'])),
      minProperties: 1,
    },
    policies: list(
      object({ type: domain, description: ref('description'), applies_to: list(text), url: uri }, [
        'type',
        'description',
      ]),
    ),
  },
};

const unitPrice = (measure: object, reference: object) =>
  object({ amount: ref('amount'), currency, measure, reference }, [
    'amount',
    'currency',
    'measure',
    'reference',
  ]);
const measured = (value: object) => object({ value, unit: text }, ['value', 'unit']);

/** The members of a variant that differ between the releases. */
const VARIANT: Record<Release, object> = {
  '2026-04-08': {
    selected_options: list(ref('selected_option')),
    unit_price: unitPrice(measured({ type: 'number' }), measured({ type: 'integer' })),
  },
  '2026-08-25': {
    unit_price: unitPrice(measured(size), measured(size)),
    quantity_unit: object({ unit: text, scale: { type: 'integer' }, display_text: text, increment: size }),
  },
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
    availability: ref('availability'),
    media: list(ref('media')),
    rating: ref('rating'),
    tags: list(text),
    metadata: { type: 'object' },
    options: list(ref('selected_option')),
    seller: closed({
      name: text,
      links: list(closed({ type: text, url: uri, title: text }, ['type', 'url'])),
    }),
    ...VARIANT[release],
  };
  const required = ['id', 'title', 'description', 'price'];
  const inputs = list(ref('input_correlation'), { minItems: 1 });
  const optionValue = { id: text, label: text };
  const detailValue = { ...optionValue, available: { type: 'boolean' }, exists: { type: 'boolean' } };
  const product = (variants: object, value: object = optionValue, more: object = {}) =>
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
          closed({ name: text, values: list(closed(value, ['label']), { minItems: 1 }) }, ['name', 'values']),
        ),
        variants: list(variants, { minItems: 1 }),
        rating: ref('rating'),
        tags: list(text),
        metadata: { type: 'object' },
        ...more,
      },
      ['id', 'title', 'description', 'price_range', 'variants'],
    );
  const response = (members: object, named: string) =>
    closed({ ucp: ref('ucp'), ...members, messages: list(ref('message')), ...RESPONSE[release] }, [
      'ucp',
      named,
    ]);
  return {
    ...SHARED,
    variant: closed(variant, required),
    product: product(ref('variant')),
    lookup_product: product(closed({ ...variant, inputs }, [...required, 'inputs'])),
    detail_product: product(ref('variant'), detailValue, { selected: list(ref('selected_option')) }),
    search_response: response({ products: list(ref('product')), pagination: ref('pagination') }, 'products'),
    lookup_response: response({ products: list(ref('lookup_product')) }, 'products'),
    get_product_response: response({ product: ref('detail_product') }, 'product'),
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
