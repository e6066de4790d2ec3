import { Type } from 'typebox';
import { compatible, similar } from '../../../routes/similar.js';
import type { Product } from '../../../../schemas/product.js';
import { compactOutputOf } from '../item.js';
import { PAGE, pageResult } from '../page.js';
import { quoted } from '../text.js';
import { argumentsOf, asText, type Tool } from '../tool.js';

const limit = Type.Integer({ minimum: 1, maximum: 50, default: 10 });
const offset = Type.Integer({ minimum: 0, default: 0 });
const FILTERS = ['max_price'];
const shared = { product_id: Type.Integer(), limit, offset };
const MAX_REASON = 120;

type Related = Product & { reasons: string[] };

/** The reasons contain words of listings, so each is quoted. */
const because = ({ reasons }: Pick<Related, 'reasons'>): string =>
  reasons.length === 0 ? '' : `because ${reasons.map((reason) => quoted(reason, MAX_REASON)).join(', ')}`;

export const findSimilar: Tool = {
  name: 'find_similar',
  title: 'Alternatives',
  description: 'Products of the same kind, near in attributes and price.',
  input: {
    ...argumentsOf(similar.query, FILTERS, {
      ...shared,
      sort: Type.Unsafe({ enum: ['similarity', 'price_asc'], type: 'string' }),
    }),
    required: ['product_id'],
  },
  output: compactOutputOf(PAGE, 'reasons'),
  run: (args, api) =>
    pageResult<Related>(
      {
        operation: 'GET /v1/products/{product_id}/similar',
        path: asText(args, ['product_id']),
        names: [...FILTERS, 'sort'],
        emptyBecause: 'no other listing of the kind passes',
        counted: 'of the most similar',
        more: because,
      },
      args,
      api,
    ),
};

export const findCompatible: Tool = {
  name: 'find_compatible',
  title: 'What fits',
  description: 'What names or attributes say that it fits a listing. q: what is wanted, such as CPU.',
  input: {
    ...argumentsOf(compatible.query, FILTERS, { ...shared, q: Type.String() }),
    required: ['product_id'],
  },
  output: compactOutputOf(PAGE, 'reasons'),
  run: (args, api) =>
    pageResult<Related>(
      {
        operation: 'GET /v1/products/{product_id}/compatible',
        path: asText(args, ['product_id']),
        names: [...FILTERS, 'q'],
        emptyBecause: 'no listing that passes says that it fits',
        more: because,
      },
      args,
      api,
    ),
};
