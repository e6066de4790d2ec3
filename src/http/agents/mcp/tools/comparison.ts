import { type Static, Type } from 'typebox';
import { invalidValue } from '../../../../platform/errors.js';
import type { ComparisonSchema } from '../../../../schemas/comparison.js';
import type { Product } from '../../../../schemas/product.js';
import { integer, optional } from '../../../../schemas/types.js';
import { CompareDiffSchema, SameProductSchema } from '../../../routes/compare.js';
import { COMPACT, items, itemsOf, limitOf, linesOf, listed, outputOf, view, withIncluded } from '../item.js';
import { PAGE, type PageRequest, pageResult } from '../page.js';
import { MAX_CHARACTERS, MAX_STRUCTURED_CHARACTERS, quoted } from '../text.js';
import { argumentsOf, ask, bare, derived, type Members, type Tool, type ToolArguments } from '../tool.js';

type Comparison = Static<typeof ComparisonSchema>;
type Match = Comparison['matches'][number];

const COMPARE = { one: 'GET /v1/products/compare', several: 'POST /v1/products/compare' };
const DIFF = 'POST /v1/products/compare/diff';

function idsOf({ product_id, product_ids }: ToolArguments): unknown {
  if (product_ids === undefined || product_ids === null) return product_id;
  if (product_id !== undefined && product_id !== null)
    throw invalidValue(['query', 'product_id'], 'give product_id or product_ids, not both');
  return Array.isArray(product_ids) && product_ids.length === 1 ? product_ids[0] : product_ids;
}

const scoreOf = ({ match_score, match_reasons }: Pick<Match, 'match_score' | 'match_reasons'>): string =>
  `match score ${match_score}: ${match_reasons.join(', ')}`;

/** The number of characters that a comparison takes without its matches. */
const COMPARISON_CHARACTERS = 100;

export const compareProducts: Tool = {
  name: 'compare_products',
  title: 'The same product elsewhere',
  description:
    'Listings of the same product in other shops, with their probability: for one product_id, or two to twenty product_ids.',
  needsOneOf: ['product_id', 'product_ids'],
  input: argumentsOf(COMPARE.several, {
    ...bare('min_price max_price include_same_source'),
    product_id: Type.Optional(Type.Integer()),
    product_ids: optional.Array(Type.Integer()),
    view,
  }),
  output: outputOf(
    {
      comparisons: Type.Array(
        Type.Object({
          product_id: Type.Integer(),
          product_name: Type.String(),
          total: integer('All matches; the likeliest are listed'),
          matches: items,
        }),
      ),
    },
    'match_score match_reasons',
  ),
  async run(args, api) {
    const ids = idsOf(args);
    const asked = withIncluded(args);
    const comparisons = Array.isArray(ids)
      ? (await ask<{ comparisons: Comparison[] }>(api, COMPARE.several, { ...asked, product_ids: ids }))
          .comparisons
      : [await ask<Comparison>(api, COMPARE.one, { ...asked, product_id: ids })];
    const isLimited = (args['min_price'] ?? args['max_price'] ?? null) !== null;
    // Each comparison has its share of the room, so that the first one does not displace the others.
    const { length } = comparisons;
    const ofOthers = (characters: number) =>
      length * COMPARISON_CHARACTERS + Math.floor(((length - 1) / length) * characters);
    const reserved = { text: ofOthers(MAX_CHARACTERS), structured: ofOthers(MAX_STRUCTURED_CHARACTERS) };
    const converted = comparisons.map((comparison) => {
      const { source_product_id: id, source_product_name: name, matches } = comparison;
      const how = { view: args['view'], now: api.now, offset: null, more: scoreOf, reserved };
      const { shown, lines } = listed(matches, how);
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

const LONG = new Set(['description']);
const ON_THE_LINE = new Set(['name', 'price', 'currency', 'source', 'is_available', 'rating']);

export const diffProducts: Tool = {
  name: 'diff_products',
  title: 'Listings side by side',
  description:
    'Two to five listings, field by field, their prices ranked; with explain, how likely each pair is the same product.',
  input: argumentsOf(DIFF, { product_ids: null, explain: '', view }),
  output: outputOf(
    {
      products: items,
      different_fields: Type.Array(Type.Object({ field: Type.String(), values: Type.Array(Type.String()) })),
      ...derived(CompareDiffSchema, {
        ...bare('identical_fields cheapest_product_id price_spread price_spread_pct currency'),
        same_product: optional.Array(
          Type.Object(
            derived(SameProductSchema, {
              ...bare('a b score'),
              reasons: Type.Array(Type.String()),
              contradictions: Type.Array(Type.String()),
            }),
          ),
        ),
      }),
    },
    'price_rank',
  ),
  async run(args, api) {
    const diff = await ask<Static<typeof CompareDiffSchema>>(api, DIFF, withIncluded(args));
    const {
      products: compared,
      field_diffs,
      most_expensive_product_id: _,
      image_similarity: _i,
      ...rest
    } = diff;
    const { price_spread, price_spread_pct, currency, same_product } = rest;
    const products = compared.map(itemsOf(args['view'], api.now));
    const different_fields = field_diffs
      .filter(({ field, all_identical }) => !all_identical && (args['view'] === 'full' || !LONG.has(field)))
      .map(({ field, values }) => ({ field, values }));
    return {
      structured: { products, different_fields, ...rest },
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

type Related = Product & { reasons: string[] };

const MAX_REASON = 120;

/** Reasons contain words of listings, which are untrusted, so each reason is quoted. */
const because = ({ reasons }: Pick<Related, 'reasons'>): string =>
  reasons.length === 0 ? '' : `because ${reasons.map((reason) => quoted(reason, MAX_REASON)).join(', ')}`;

type RelatedTexts = Pick<Tool, 'name' | 'title' | 'description'> &
  Pick<PageRequest<Related>, 'operation' | 'emptyBecause' | 'counted'>;

/** Creates a tool that lists other products than that of a listing, each with the reasons. @param own its other arguments. */
const relatedTool = ({ name, title, description, ...request }: RelatedTexts, own: Members): Tool => ({
  ...{ name, title, description },
  input: argumentsOf(request.operation, {
    product_id: '',
    limit: limitOf(50, 10),
    offset: '',
    max_price: '',
    ...own,
  }),
  output: outputOf(PAGE, 'reasons', COMPACT),
  run: (args, api) => pageResult<Related>({ ...request, more: because }, args, api),
});

export const findSimilar = relatedTool(
  {
    name: 'find_similar',
    title: 'Alternatives',
    description: 'Products of the same kind, near in attributes and price.',
    operation: 'GET /v1/products/{product_id}/similar',
    emptyBecause: 'no other listing of the kind passes',
    counted: 'of the most similar',
  },
  { sort: '' },
);

export const findCompatible = relatedTool(
  {
    name: 'find_compatible',
    title: 'What fits',
    description: 'What names or attributes say that it fits a listing. q: what is wanted, such as CPU.',
    operation: 'GET /v1/products/{product_id}/compatible',
    emptyBecause: 'no listing that passes says that it fits',
  },
  { q: '' },
);
