import { type Static, Type } from 'typebox';
import { attributeOf, readFacetText } from '../../engine/queries/facets.js';
import {
  attributeParameters,
  filterParameters,
  type Filters,
  includeFlagged,
  unitPer,
} from '../../engine/queries/filters.js';
import { sortNeedsText, sortParameter } from '../../engine/queries/sorts.js';
import type { ValidationIssue } from '../../platform/errors.js';
import { ATTRIBUTE_FACETS, FACETS, MAX_FACETS, UNSEARCHABLE_FACETS } from '../../schemas/facets.js';
import { groupParameter } from '../../schemas/group.js';
import { includeParameter } from '../../schemas/include.js';
import { paging } from '../../schemas/page.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { Enum, List } from '../../schemas/types.js';
import type { Context } from '../context.js';
import { filterIssues } from '../shared/list-requests.js';
import { cursorIssues } from './cursor.js';

/** The parameters of `GET /v1/search` and `GET /v1/products`. */
export const searchParameters = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Words, model numbers or an identifier, in any format. Without it, the latest changes come first',
        examples: ['wireless headphones'],
      }),
    ),
    match: Type.Optional(
      Enum(['auto', 'all', 'any'], {
        description:
          'Which listings match `q`; `auto` unless given. `all`: listings with all the words. `any`: listings with any of the ' +
          'words; those with more of them come first. `auto`, by relevance: `all` if at least 20 listings of the catalogue have ' +
          'all the words, otherwise `any`. `auto`, in any other order: `all` if at least one listing has all the words, ' +
          'otherwise the listings with the most words, and among them only the kind of thing that the words name (no paper ' +
          'notebooks for "laptop"). If the catalogue has that kind, but no listing of it has all the words ("phone charger": ' +
          'phones that come with one), `auto` does not use `all`. If `q` as a whole is the SKU, GTIN or model number of a ' +
          'linked listing, `auto` and `any` also list the other offers of that product. Filters never change which set is listed. Stop words, ' +
          'phrases such as "where can I buy", and words that no listing has do not count. With a given `match` the page adds ' +
          '`matched`',
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
          `What to count by: ${FACETS.join(', ')}, or \`attr.NAME\` for an attribute. ` +
          `\`attributes\` stands for the ${ATTRIBUTE_FACETS.most} attributes that the most matches state, each as \`attr.NAME\`, ` +
          'without counters such as `reviews` and `stock`. A facet counts the listings that pass every filter except its ' +
          'own; `total` counts those that pass all of them. `category_path` counts every level: `Electronics`, ' +
          '`Electronics > TVs`',
        examples: [['brand', 'price']],
      }),
    ),
    facet_limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 20,
        description: 'Maximum number of values of a facet; for `category_path` of each level',
      }),
    ),
    facet_q: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          '`NAME:text`: of the facet NAME, only the values that contain the text are counted, in upper or lower case and with or ' +
          'without accents; every character means itself. NAME is one of the `facets`, or is added to them: brand, category, ' +
          'category_path, source, currency or attr.NAME',
        examples: ['brand:son'],
      }),
    ),
    fields: Type.Optional(
      List(',', Enum(PRODUCT_FIELDS), {
        maxItems: 2 * PRODUCT_FIELDS.length,
        description: 'Fields of a Product: items have only these and `id`',
      }),
    ),
    include: includeParameter,
    highlight: Type.Optional(
      Type.Boolean({
        description:
          'Items add `highlight` with `name` and `description` as HTML, in which `<em>` around the matching words is the only ' +
          'markup; of a long description, only the first 5,000 characters are searched for matches',
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        description:
          'With `q`: the page adds `explanation`, which states how the words were interpreted, and items add `why`, which ' +
          'states the parts of their score and the words that they lack',
      }),
    ),
    interpret: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Words of `q` that filter or sort are applied as parameters and not searched for; the page lists them in ' +
          '`interpreted`. `earbuds under $50 in stock from shopee`: `max_price`, `in_stock`, `source`; also `min_price`, ' +
          '`currency` (if a symbol stands for only one: `RM`, not `$`), `min_rating`, `sort` and `in_stock=false`, in English, ' +
          'Malay, Indonesian and Chinese. A given parameter takes precedence: the words are then left out and not applied. ' +
          'Words with an uncertain meaning are searched for. Without `interpret`, such words neither filter nor sort, and most ' +
          'of them are not searched for either',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 8_000,
        description:
          'Pages through all matches in one consistent view of the catalogue: empty for the first page, then the ' +
          '`next_cursor` of the previous page with the same parameters (`limit` may change). Each page must be requested ' +
          'within five minutes of the previous one, and the last within an hour of the first. After that, or if the key has ' +
          'begun too many others, the status is 410',
      }),
    ),
    group: groupParameter,
    ...paging(20),
  },
  attributeParameters,
);

export type SearchParameters = Static<typeof searchParameters> & Filters;

/** Reports validation errors of search parameters that are valid by themselves but not together. */
export function searchIssues(query: SearchParameters, context: Pick<Context, 'sealed'>): ValidationIssue[] {
  const { q = '', sort, facets = [], facet_q, group, cursor, offset = 0 } = query;
  const issue = (name: string, msg: string): ValidationIssue => ({
    loc: ['query', name],
    msg: `Value error, ${msg}`,
    type: 'value_error',
  });
  const lacksText = sort !== undefined && sortNeedsText(sort) && q.trim() === '';
  return [
    ...filterIssues(query),
    ...facetIssues(facets),
    ...(facet_q === undefined || isFacetText(facet_q)
      ? []
      : [issue('facet_q', `should be NAME:text with one of ${SEARCHABLE.join(', ')} or attr.NAME as NAME`)]),
    ...(lacksText ? [issue('sort', `${sort} needs q`)] : []),
    ...cursorIssues(context, cursor),
    ...(group !== undefined && cursor !== undefined ? [issue('group', 'goes with no cursor')] : []),
    ...(offset > 0 && cursor !== undefined ? [issue('offset', 'a cursor tells where to go on')] : []),
  ];
}

const SEARCHABLE = FACETS.filter((name) => !UNSEARCHABLE_FACETS.includes(name));

function isFacetText(parameter: string): boolean {
  const { facet = '' } = readFacetText(parameter) ?? {};
  return isFacet(facet) && !UNSEARCHABLE_FACETS.includes(facet);
}

const isFacet = (name: string): boolean =>
  (FACETS as readonly string[]).includes(name) || (attributeOf(name) ?? '').trim() !== '';

/**
 * Reports invalid names of facets. Only the beginning of the list is checked, because a list that is too long
 * is an error of its own.
 */
const facetIssues = (names: readonly string[]): ValidationIssue[] =>
  names
    .slice(0, MAX_FACETS)
    .flatMap((name, at) =>
      isFacet(name)
        ? []
        : [
            {
              loc: ['query', 'facets', at],
              msg: `Input should be ${FACETS.join(', ')} or attr.NAME`,
              type: 'literal_error',
            },
          ],
    );
