import type { Product } from '../../../../schemas/product.js';
import { compactOutputOf, limitOf } from '../item.js';
import { PAGE, pageResult } from '../page.js';
import { quoted } from '../text.js';
import { argumentsOf, type Tool } from '../tool.js';

const shared = { product_id: '', limit: limitOf(50, 10), offset: '', max_price: '' };
const MAX_REASON = 120;

type Related = Product & { reasons: string[] };

/** The reasons contain words of listings, so each is quoted. */
const because = ({ reasons }: Pick<Related, 'reasons'>): string =>
  reasons.length === 0 ? '' : `because ${reasons.map((reason) => quoted(reason, MAX_REASON)).join(', ')}`;

const SIMILAR = {
  operation: 'GET /v1/products/{product_id}/similar',
  emptyBecause: 'no other listing of the kind passes',
  counted: 'of the most similar',
  more: because,
};
const COMPATIBLE = {
  operation: 'GET /v1/products/{product_id}/compatible',
  emptyBecause: 'no listing that passes says that it fits',
  more: because,
};

export const findSimilar: Tool = {
  name: 'find_similar',
  title: 'Alternatives',
  description: 'Products of the same kind, near in attributes and price.',
  input: argumentsOf(SIMILAR.operation, { ...shared, sort: '' }),
  output: compactOutputOf(PAGE, 'reasons'),
  run: (args, api) => pageResult<Related>(SIMILAR, args, api),
};

export const findCompatible: Tool = {
  name: 'find_compatible',
  title: 'What fits',
  description: 'What names or attributes say that it fits a listing. q: what is wanted, such as CPU.',
  input: argumentsOf(COMPATIBLE.operation, { ...shared, q: '' }),
  output: compactOutputOf(PAGE, 'reasons'),
  run: (args, api) => pageResult<Related>(COMPATIBLE, args, api),
};
