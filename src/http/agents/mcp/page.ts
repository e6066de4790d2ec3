import { type Static, Type } from 'typebox';
import type { EmptySchema } from '../../../schemas/explain.js';
import { FacetSchema } from '../../../schemas/facets.js';
import { SearchPageSchema } from '../../../schemas/page.js';
import type { Product } from '../../../schemas/product.js';
import type { FoundPageSchema } from '../../../schemas/search.js';
import { items, listed, withIncluded } from './item.js';
import { quoted } from './text.js';
import { type Api, ask, ATTRIBUTES, bare, derived, type ToolArguments, type ToolResult } from './tool.js';
import { optional } from '../../../schemas/types.js';

type Facet = Static<typeof FacetSchema>;
type FoundPage = Omit<Static<typeof FoundPageSchema>, 'items'>;
type Page<One extends Product = Product> = FoundPage & { items: One[]; in_store?: true };

/** The members of the output schema of every tool that returns a page of listings. */
export const PAGE = {
  ...derived(SearchPageSchema, { total: 'All that match', offset: '', has_more: '' }),
  next_offset: Type.Optional(Type.Integer()),
  items,
};

export const FACETS_OUTPUT = optional.Array(
  Type.Object(
    derived(FacetSchema, {
      name: '',
      values: optional.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
      ...bare('currency min max'),
    }),
  ),
);

/** States where the next page begins, if there is one. @param shown the number of items of this page. */
export function pageEnd(offset: number, shown: number, total: number) {
  const next_offset = offset + shown;
  const has_more = shown > 0 && next_offset < total;
  return { has_more, ...(has_more && { next_offset }) };
}

export const nextPage = ({ next_offset: next }: { next_offset?: number }): string =>
  next === undefined ? '' : `; offset=${next} gives the next`;

/** The endpoint of a tool that lists listings, and the words around its results. */
export interface PageRequest<One extends Product> {
  operation: string;
  /** A sentence that explains an empty page, for endpoints whose response does not explain it. */
  emptyBecause?: string;
  /** What the number of results is called, by default that of the listings that were found. */
  counted?: string;
  /** Returns a further fact for the line of a listing, which stands behind all others. */
  more?: (item: Omit<One, keyof Product>) => string;
}

/** Calls an endpoint that returns a page of listings, and returns as many of them as fit into a result. */
export async function pageResult<One extends Product>(
  { operation, emptyBecause, counted = 'found', more = () => '' }: PageRequest<One>,
  args: ToolArguments,
  api: Api,
): Promise<ToolResult> {
  const page = await ask<Page<One>>(api, operation, { ...withIncluded(args), limit: args['limit'] ?? 10 });
  const { total, offset, interpreted, matched, empty, in_store } = page;
  const applied = interpreted?.map(({ parameter, value }) => ({ parameter, value }));
  const facets = page.facets?.map(briefFacet);
  const facetLines = (facets ?? []).map(facetLine);
  const reserved = { text: facetLines.join('\n').length, structured: JSON.stringify(facets ?? []).length };
  const how = { view: args['view'], now: api.now, offset, more, reserved };
  const { shown, lines, ids } = listed(page.items, how);
  const end = pageEnd(offset, shown.length, total);
  const beyond = total === 0 ? '' : `; none of them from offset=${offset} on`;
  const range = shown.length === 0 ? beyond : `; ${offset + 1} to ${offset + shown.length} of them`;
  const filters = [
    ...Object.keys(args).filter((name) => (args[name] ?? null) !== null),
    ...(applied ?? []).map(({ parameter }) => parameter),
  ];
  const isFiltered = filters.some((name) => !NO_FILTERS.has(name));
  const count =
    matched === undefined || total === 0 ? `${total} ${counted}` : countLine(total, matched, isFiltered);
  return {
    structured: {
      total,
      offset,
      ...end,
      items: shown,
      ...(applied?.length && { interpreted: applied }),
      ...(matched && { matched }),
      ...(facets && { facets }),
      ...(in_store && { in_store }),
    },
    lines: [
      `${count}${range}${nextPage(end)}`,
      ...(applied?.length ? [`applied as ${applied.map(asParameter).join(', ')}`] : []),
      ...(in_store ? ['in-store number: listings of different sources are different products'] : []),
      ...facetLines,
      ...lines,
    ],
    ids,
    ...(total === 0 ? emptyResult(args, empty, emptyBecause) : {}),
    ...(total === 0 && empty !== undefined && (await brandAsWords(args, api))),
  };
}

const asParameter = ({ parameter, value }: { parameter: string; value: string }): string =>
  `${parameter}=${quoted(value, 60)}`;

/** Suggests the brand as words of the search if that finds something, because feeds may state no brands. */
async function brandAsWords({ brand, ...others }: ToolArguments, api: Api) {
  const words = [brand ?? []].flat().join(' ').replaceAll('|', ' ');
  if (words === '') return {};
  const given = String((others['q'] ?? '') as string);
  const q = given.toLowerCase().includes(words.toLowerCase()) ? given : `${words} ${given}`.trim();
  const { total } = await ask<Page>(api, 'GET /v1/search', { ...others, q, limit: 1 });
  return total === 0 ? {} : { instead: withoutInternals({ ...others, q }) };
}

const NO_FILTERS = new Set(
  'q match sort interpret facets facet_limit out_of_stock unit_per limit offset include view'.split(' '),
);

function countLine(total: number, matched: NonNullable<Page['matched']>, isFiltered: boolean): string {
  const { mode, all_words: all, kind } = matched;
  const ofKind = kind === null ? '' : `, of the kind ${quoted(kind, 40)} alone`;
  if (mode === 'all' || (!isFiltered && all >= total)) return `${total} found, each with every word${ofKind}`;
  const every = all === 0 ? 'no listing has every word' : `${all} have every word`;
  return isFiltered
    ? `${total} pass the filters and have some of the words${ofKind} (without filters, ${every})`
    : `${every}, ${total} some${ofKind}`;
}

/** States why a page is empty, and suggests arguments that find something if the endpoint reported any. */
function emptyResult(
  args: ToolArguments,
  empty: Page['empty'],
  because = 'no listing passes',
): Pick<ToolResult, 'empty' | 'instead'> {
  if (empty === undefined) return { empty: `Nothing matches: ${because}` };
  const { reason, without, did_you_mean: meant } = empty;
  const found = without.filter(({ total }) => total > 0);
  const relaxed = found.map(({ parameter, total }) => `${total} without ${nameOf(parameter)}`).join(', ');
  const noSingleFilter = reason === 'filters' && relaxed === '' && without.length > 1;
  const hasWords = typeof args['q'] === 'string' && args['q'].trim() !== '';
  const [most] = found.toSorted((a, b) => b.total - a.total);
  return {
    empty: [
      `Nothing matches: ${hasWords ? REASONS[reason] : 'no listing passes the filters'}`,
      ...(relaxed === '' ? [] : [`there are ${relaxed}`]),
      ...(noSingleFilter ? ['no single filter is the cause'] : []),
      ...(meant === null ? [] : [`did you mean ${quoted(meant, 100)}`]),
    ].join('; '),
    ...(most !== undefined && withoutFilter(args, most.parameter)),
  };
}

const REASONS: Record<Static<typeof EmptySchema>['reason'], string> = {
  filters: 'the filters leave none of the listings that the words find',
  unknown_words: 'no listing has any of the words',
  nothing: 'no listing has all of the words',
};

/** Removes parameters that tools set themselves, `interpret` unless it is not its default. */
const withoutInternals = ({
  out_of_stock: _stock,
  facet_limit: _limit,
  interpret,
  ...args
}: ToolArguments): ToolArguments => (interpret === false ? { ...args, interpret } : args);

/** Returns the arguments of a search without one of the filters that `empty.without` names; none if the query text set it. */
function withoutFilter(args: ToolArguments, parameter: string): Pick<ToolResult, 'instead'> {
  const { [ATTRIBUTES]: attributes, ...others } = withoutInternals(args);
  const removed = new Set([
    parameter,
    ...(parameter === 'price' ? ['min_price', 'max_price', 'price_currency'] : []),
    ...(parameter === 'max_unit_price' && args['sort'] !== 'unit_price' ? ['unit_per'] : []),
  ]);
  const filtered = { ...(attributes as Record<string, unknown> | undefined) };
  const kept = Object.entries(filtered).filter(([name]) => `attr.${name}`.toLowerCase() !== parameter);
  const left = Object.entries(others).filter(([name]) => !removed.has(name));
  const isSet = left.length < Object.keys(others).length || kept.length < Object.keys(filtered).length;
  const instead = {
    ...Object.fromEntries(left),
    ...(kept.length > 0 && { [ATTRIBUTES]: Object.fromEntries(kept) }),
  };
  return isSet ? { instead } : {};
}

/** The name of a parameter or facet. The name of an attribute comes from feeds, so it is quoted. */
const nameOf = (name: string): string => (/^[a-z_]+$/.test(name) ? name : quoted(name, 60));

const briefFacet = ({ name, values, currency, min, max }: Facet) => ({
  name,
  ...(values && { values: values.map(({ value, count }) => ({ value, count })) }),
  ...(currency !== undefined && { currency }),
  ...(min !== undefined && { min, max }),
});

const MAX_FACET_CHARACTERS = 300;

/** Formats a facet as one line: the most frequent values, as many as fit. */
function facetLine({ name, values, currency, min, max }: ReturnType<typeof briefFacet>): string {
  const title = nameOf(name);
  if (values === undefined) return `${title}: ${currency ?? ''} ${min ?? ''} to ${max ?? ''}`;
  const texts = values.map(({ value, count }) => `${quoted(value, 60)} ${count}`);
  const fitting = texts.filter((_, at) => texts.slice(0, at + 1).join(', ').length <= MAX_FACET_CHARACTERS);
  const left = texts.length - fitting.length;
  return `${title}: ${fitting.join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}
