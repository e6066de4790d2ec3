import { type Static, Type } from 'typebox';
import { attributeOf, readFacetText } from '../../engine/queries/facets.js';
import {
  filterParameters,
  type Filters,
  includeFlagged,
  unitPer,
  withAttributeFilters,
} from '../../engine/queries/filters.js';
import { sortNeedsText, sortParameter } from '../../engine/queries/sorts.js';
import type { ValidationIssue } from '../../platform/errors.js';
import { EXCLUSIONS } from '../../schemas/excluded.js';
import { ATTRIBUTE_FACETS, FACETS, isFacet, MAX_FACETS, SEARCHABLE_FACETS } from '../../schemas/facets.js';
import { groupParameter } from '../../schemas/group.js';
import { includeParameter, readingIssues } from '../../schemas/include.js';
import { paging } from '../../schemas/page.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { Enum, List } from '../../schemas/types.js';
import type { Context } from '../context.js';
import { filterIssues } from '../../products/list-requests.js';
import { cursorIssues } from './cursor.js';

/** The parameters of `GET /v1/search` and `GET /v1/products`. */
export const searchParameters = withAttributeFilters({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: `Words, model numbers, or an identifier in any format. ${EXCLUSIONS}`,
      examples: ['wireless headphones'],
    }),
  ),
  match: Type.Optional(
    Enum(['auto', 'all', 'any'], {
      description:
        'Which listings match `q`; `auto` by default. `all`: listings with all words. `any`: listings with any of the words; ' +
        'those with more words come first. `auto`, sorted by relevance: as `all` if at least 20 listings of the catalogue have ' +
        'all words, otherwise as `any`. `auto`, in any other order: as `all` if at least one listing has all words, otherwise ' +
        'the listings with the most words that are of the kind of product that `q` names (no paper notebooks for "laptop"), ' +
        'also if other products have all words. If `q` as a whole is the SKU, GTIN or model number of a linked listing, `auto` ' +
        'and `any` also match the other offers of that product. The choice of `auto` does not depend on filters. Stop words and ' +
        'phrases such as "where can I buy" are ignored. With `all`, a word that no listing contains leaves nothing; otherwise ' +
        'such words are ignored. If `match` is given, ' +
        'the page has the member `matched`',
    }),
  ),
  sort: Type.Optional(sortParameter),
  ...filterParameters,
  unit_per: unitPer,
  include_flagged: includeFlagged,
  facets: Type.Optional(
    List(',', Type.String({ maxLength: 100 }), {
      maxItems: MAX_FACETS,
      description:
        `The facets to return: ${FACETS.join(', ')}, or \`attr.NAME\` for an attribute. ` +
        `\`attributes\` stands for the ${ATTRIBUTE_FACETS.most} attributes that the largest number of found listings state, each as ` +
        '`attr.NAME`, without counters such as `reviews` and `stock`. A facet counts the listings that pass all filters except its ' +
        'own; `total` counts those that pass all filters. `category_path` counts every level: `Electronics`, ' +
        '`Electronics > TVs`',
      examples: [['brand', 'price']],
    }),
  ),
  facet_limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Maximum number of values of each facet; for `category_path`, of each level',
    }),
  ),
  facet_q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        '`NAME:text`, such as `brand:son`: the facet NAME has only the values that contain the text. Case and accents are ignored, and there are no ' +
        `wildcards. NAME is ${SEARCHABLE_FACETS.join(', ')} or attr.NAME; if it is not among \`facets\`, it is added`,
    }),
  ),
  fields: Type.Optional(
    List(',', Enum(PRODUCT_FIELDS), {
      maxItems: 2 * PRODUCT_FIELDS.length,
      description: 'Fields of a Product that items have; `id` is always included. All fields by default',
    }),
  ),
  include: includeParameter('position', 'reading'),
  highlight: Type.Optional(
    Type.Boolean({
      description:
        'Adds `highlight` to each item: `name` and `description` as HTML, in which `<em>` around matching words is the only ' +
        'markup. Only the first 5,000 characters of a description are searched for matches',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({
      description:
        'With `q`: adds `explanation` to the page, which states how the words were interpreted, and `why` to each item, which ' +
        'states the parts of its score and the words that it lacks',
    }),
  ),
  interpret: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Applies words of `q` that filter or sort as parameters instead of searching for them, and lists them in `interpreted`. ' +
        '`earbuds under $50 in stock from shopee` sets `max_price`, `in_stock` and `source`. Other words set `min_price`, ' +
        '`price_currency` (by an unambiguous symbol with a limit: `RM`, not `$`), `currency` (`only in SGD`), `min_rating`, `sort` ' +
        'and `in_stock=false`. Words may be ' +
        'English, Malay, Indonesian or Chinese. A parameter of the request takes precedence over words, which are then ' +
        'neither applied nor searched for. `not hp` and `without mic` exclude, as `-hp` does. Words with an uncertain meaning are searched for. Without `interpret`, such words ' +
        'neither filter nor sort, and most of them are not searched for either',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 8_000,
      description:
        'Pages through all matches in one consistent view of the catalogue: empty for the first page, then the ' +
        '`next_cursor` of the previous page with the same parameters (`limit` may change). Each page must be requested ' +
        'within five minutes of the previous one, and the last within an hour of the first; otherwise the cursor has expired ' +
        '(410). A key can use 5 cursors at once (`standard`: 10, `premium`: 20); a further one makes the least recently used ' +
        'one expire. It cannot be combined with `offset` or `group`',
    }),
  ),
  group: groupParameter,
  count: Type.Optional(
    Enum(['exact', 'none'], {
      default: 'exact',
      description:
        '`none`: `total` is null, which is faster by relevance. Not with `facets`, `group` or `explain`',
    }),
  ),
  ...paging(20),
});

export type SearchParameters = Static<typeof searchParameters> & Filters;

/** Reports validation errors of search parameters that are valid by themselves but not together. */
export function searchIssues(
  query: SearchParameters,
  context: Pick<Context, 'sealed' | 'rates'>,
): ValidationIssue[] {
  const { q = '', sort, facets = [], facet_q, group, cursor, offset = 0, count, explain } = query;
  const counting = { facets: facets.length > 0, facet_q, group, explain };
  const issueIf = (isWrong: boolean, name: string, msg: string): ValidationIssue[] =>
    isWrong ? [{ loc: ['query', name], msg: `Value error, ${msg}`, type: 'value_error' }] : [];
  const facetTexts = `must be NAME:text, where NAME is one of ${SEARCHABLE_FACETS.join(', ')} or attr.NAME`;
  const lacksText = sort !== undefined && sortNeedsText(sort) && q.trim() === '';
  const hasCursor = cursor !== undefined;
  return [
    ...filterIssues(query, context),
    ...readingIssues(query),
    ...facetIssues(facets),
    ...issueIf(facet_q !== undefined && !isFacetText(facet_q), 'facet_q', facetTexts),
    ...issueIf(lacksText, 'sort', `${sort ?? ''} requires q`),
    ...cursorIssues(context, cursor),
    ...issueIf(hasCursor && group !== undefined, 'group', 'cannot be combined with cursor'),
    ...issueIf(hasCursor && offset > 0, 'offset', 'cannot be combined with cursor'),
    ...Object.entries(counting).flatMap(([name, value]) =>
      issueIf(
        count === 'none' && (value ?? false) !== false,
        'count',
        `none cannot be combined with ${name}`,
      ),
    ),
  ];
}

function isFacetText(parameter: string): boolean {
  const { facet = '' } = readFacetText(parameter) ?? {};
  return isFacet(facet) ? SEARCHABLE_FACETS.includes(facet) : isNamedAttribute(facet);
}

const isNamedAttribute = (name: string): boolean => (attributeOf(name) ?? '').trim() !== '';

/** Reports invalid names of facets. A list that is too long is an error of its own, so only its beginning is checked. */
const facetIssues = (names: readonly string[]): ValidationIssue[] =>
  names
    .slice(0, MAX_FACETS)
    .flatMap((name, at) =>
      isFacet(name) || isNamedAttribute(name)
        ? []
        : [
            {
              loc: ['query', 'facets', at],
              msg: `Input should be ${FACETS.join(', ')} or attr.NAME`,
              type: 'literal_error',
            },
          ],
    );
