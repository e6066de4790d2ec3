import { Type, type Static } from 'typebox';
import { compareDiff, type SameProductSchema } from '../../../routes/compare-diff.js';
import { compareMatrix } from '../../../routes/compare-matrix.js';
import type { ComparisonSchema } from '../../../../schemas/comparison.js';
import type { Product } from '../../../../schemas/product.js';
import { invalid } from '../../../../platform/errors.js';
import { includeFor, items, itemsOf, linesOf, outputOf, view } from '../item.js';
import { fittingItems, MAX_CHARACTERS, MAX_STRUCTURED_CHARACTERS, quoted } from '../text.js';
import { argumentsOf, asNumbers, asText, type ToolArguments, type Tool } from '../tool.js';

type Comparison = Static<typeof ComparisonSchema>;

const FILTERS = ['min_price', 'max_price', 'include_same_source'];

function idsOf({ product_id, product_ids }: ToolArguments): unknown {
  if (product_ids === undefined || product_ids === null) return product_id;
  if (product_id !== undefined && product_id !== null) {
    const msg = 'Value error, give product_id or product_ids, not both';
    throw invalid([{ loc: ['query', 'product_id'], msg, type: 'value_error' }]);
  }
  return Array.isArray(product_ids) && product_ids.length === 1 ? product_ids[0] : product_ids;
}

/** The number of characters that a comparison takes without its matches. */
const COMPARISON_CHARACTERS = 100;

const asNumbersOf = (members: object): object =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, asNumbers(value)]));

export const compareProducts: Tool = {
  name: 'compare_products',
  title: 'The same product elsewhere',
  description:
    'Listings of the same product in other shops, with their probability: for one product_id, or two to twenty product_ids.',
  input: argumentsOf(compareMatrix.body ?? Type.Object({}), FILTERS, {
    include_same_source: Type.Boolean(),
    product_id: Type.Integer(),
    product_ids: Type.Array(Type.Integer()),
    view,
  }),
  output: outputOf(
    {
      comparisons: Type.Array(
        Type.Object({
          product_id: Type.Integer(),
          product_name: Type.String(),
          total: Type.Integer({ description: 'All matches; the likeliest are listed' }),
          matches: items,
        }),
      ),
    },
    'match_score',
    'match_reasons',
  ),
  async run(args, { call, now }) {
    const filters = Object.fromEntries(FILTERS.map((name) => [name, args[name]]));
    const include = includeFor(args);
    const ids = idsOf(args);
    const comparisons = Array.isArray(ids)
      ? (
          await call<{ comparisons: Comparison[] }>('POST /v1/products/compare', {
            body: { ...asNumbersOf({ product_ids: ids, ...filters }), include },
          })
        ).comparisons
      : [
          await call<Comparison>('GET /v1/products/compare', {
            query: asText({ product_id: ids, ...filters, include: include.join() }, [
              'product_id',
              ...FILTERS,
              'include',
            ]),
          }),
        ];
    const isLimited = (filters['min_price'] ?? filters['max_price'] ?? null) !== null;
    // Each comparison has its share of the room, so that the first one does not displace the others.
    const headCharacters = comparisons.length * COMPARISON_CHARACTERS;
    const converted = comparisons.map((comparison) => {
      const { source_product_id: id, source_product_name: name } = comparison;
      const matches = comparison.matches.map(itemsOf(args['view'], now));
      const others = comparisons.length - 1;
      const { shown, lines } = fittingItems(
        matches,
        (match) => {
          const more = `match score ${match.match_score}: ${match.match_reasons.join(', ')}`;
          return linesOf(match, args['view'], { number: '-', more });
        },
        {
          text: headCharacters + Math.floor((others / comparisons.length) * MAX_CHARACTERS),
          structured: headCharacters + Math.floor((others / comparisons.length) * MAX_STRUCTURED_CHARACTERS),
        },
      );
      const none = `on no other platform${isLimited ? ' within the price limits' : ''}`;
      const some = `${matches.length} elsewhere${shown.length < matches.length ? `, the likeliest ${shown.length} of them` : ''}`;
      return {
        comparison: { product_id: id, product_name: name, total: matches.length, matches: shown },
        lines: [`${id} ${quoted(name, 240)}: ${matches.length === 0 ? none : some}`, ...lines],
      };
    });
    return {
      structured: { comparisons: converted.map(({ comparison }) => comparison) },
      lines: converted.flatMap(({ lines }) => lines),
      ids: converted.flatMap(({ comparison }) => comparison.matches.map(({ id }) => id)),
    };
  },
};

interface Diff {
  products: (Product & { price_rank: number })[];
  field_diffs: { field: string; values: string[]; all_identical: boolean }[];
  identical_fields: string[];
  cheapest_product_id: number | null;
  price_spread: string | null;
  price_spread_pct: number | null;
  currency: string | null;
  same_product?: Static<typeof SameProductSchema>[];
}

const LONG = new Set(['description']);
const ON_THE_LINE = new Set(['name', 'price', 'currency', 'source', 'is_available', 'rating']);

export const diffProducts: Tool = {
  name: 'diff_products',
  title: 'Listings side by side',
  description:
    'Two to five listings, field by field, their prices ranked; with explain, how likely each pair is the same product.',
  input: argumentsOf(compareDiff.body ?? Type.Object({}), ['product_ids', 'explain'], {
    explain: Type.Boolean(),
    view,
  }),
  output: outputOf(
    {
      products: items,
      different_fields: Type.Array(Type.Object({ field: Type.String(), values: Type.Array(Type.String()) })),
      identical_fields: Type.Array(Type.String()),
      cheapest_product_id: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      price_spread: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      price_spread_pct: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
      currency: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      same_product: Type.Optional(
        Type.Array(
          Type.Object({
            a: Type.Integer(),
            b: Type.Integer(),
            score: Type.Number(),
            reasons: Type.Array(Type.String()),
            contradictions: Type.Array(Type.String()),
          }),
        ),
      ),
    },
    'price_rank',
  ),
  async run(args, { call, now }) {
    const explain = args['explain'] ?? false;
    const include = includeFor(args);
    const body = { product_ids: asNumbers(args['product_ids']), explain, include };
    const diff = await call<Diff>('POST /v1/products/compare/diff', { body });
    const products = diff.products.map(itemsOf(args['view'], now));
    const { identical_fields, cheapest_product_id, price_spread, price_spread_pct, currency, same_product } =
      diff;
    const different_fields = diff.field_diffs
      .filter(({ field, all_identical }) => !all_identical && (args['view'] === 'full' || !LONG.has(field)))
      .map(({ field, values }) => ({ field, values }));
    return {
      structured: {
        products,
        different_fields,
        identical_fields,
        cheapest_product_id,
        price_spread,
        price_spread_pct,
        currency,
        ...(same_product && { same_product }),
      },
      lines: [
        ...products.flatMap((item, at) =>
          linesOf(item, 'compact', { number: `${at + 1}.`, more: `price rank ${item.price_rank}` }),
        ),
        ...(price_spread === null
          ? []
          : [`price spread: ${currency ?? ''} ${price_spread}, ${price_spread_pct ?? 0} %`]),
        ...(same_product ?? []).map(
          ({ a, b, score, contradictions }) =>
            `${a} and ${b} are the same product with probability ${score}${contradictions.length === 0 ? '' : `; they differ in: ${contradictions.join(', ')}`}`,
        ),
        ...different_fields
          .filter(({ field }) => !ON_THE_LINE.has(field))
          .map(
            ({ field, values }) =>
              `${quoted(field, 60)}: ${values.map((value) => (value === '' ? 'unknown' : quoted(value, 160))).join(' / ')}`,
          ),
      ],
      ids: products.map(({ id }) => id),
    };
  },
};
