import type { ApiError } from '../../platform/errors.js';
import { fitted, MOST_CHARACTERS, plain, shortened } from './text.js';
import type { Api, Arguments, Tool } from './tool.js';

/** What is wrong with a call; `argument` where it is about one. */
export interface Finding {
  argument?: string;
  message: string;
}

/** Another call, for an agent to make as it stands. */
export interface Call {
  name: string;
  arguments: Arguments;
}

/** What the endpoints cannot say of the arguments: that there is no such one, that one is a list in place of a value. */
export function misfits(tool: Tool, args: Arguments): Finding[] {
  const { properties, required = [] } = tool.input;
  const missing = required
    .filter((argument) => (args[argument] ?? null) === null)
    .map((argument) => ({ argument, message: 'Field required' }));
  const others = Object.entries(args).flatMap(([argument, value]): Finding[] => {
    const schema = properties[argument] as { type?: unknown } | undefined;
    if (schema === undefined) {
      return [{ argument, message: `no such argument; there are ${Object.keys(properties).join(', ')}` }];
    }
    const isValue = typeof value !== 'object' || value === null;
    return isValue || schema.type === 'array' ? [] : [{ argument, message: 'Input should be one value' }];
  });
  return [...missing, ...others];
}

/** What an endpoint says as findings about a call. */
export function findingsOf({ detail, headers }: ApiError, tool: Tool): Finding[] {
  const after = headers['Retry-After'];
  if (typeof detail === 'string')
    return [{ message: after === undefined ? detail : `${detail}. Retry after ${after} seconds` }];
  return detail.map(({ loc, msg }) => {
    const name = ALIASES[tool.name]?.[String(loc[1])] ?? String(loc[1]);
    return { argument: [name, ...loc.slice(2)].join('.'), message: msg };
  });
}

/** Where a tool calls a parameter otherwise than its endpoint. */
const ALIASES: Record<string, Record<string, string>> = {
  search: { q: 'query' },
  fetch: { product_id: 'id' },
};

/** A call that anybody can make of a catalogue that is not empty. */
export const ANYTHING: Call = { name: 'search_products', arguments: { limit: 5 } };

/** The same call without what is wrong with it; where it cannot do without, one that finds listings to ask about. */
export function mended(tool: Tool, args: Arguments, findings: readonly Finding[]): Call {
  const wrong = new Set(findings.map(({ argument = '' }) => argument.split('.')[0]));
  // Of several that do not go together, the message names them.
  const said = findings
    .flatMap(({ argument, message }) => (argument === undefined ? [message] : []))
    .join(' ');
  const kept = Object.entries(args).filter(
    ([name]) => name in tool.input.properties && !wrong.has(name) && !said.split(' ').includes(name),
  );
  kept.unshift(...meant(tool, args));
  const names = new Set(kept.map(([name]) => name));
  const isComplete = (tool.input.required ?? []).every((name) => names.has(name));
  return isComplete && !needsId(tool, names)
    ? { name: tool.name, arguments: Object.fromEntries(kept) }
    : ANYTHING;
}

/** What models call arguments that are called otherwise here. */
const OTHER_NAMES: Record<string, string[]> = {
  q: ['query', 'search', 'keywords', 'product', 'product_name', 'name'],
  query: ['q', 'search', 'keywords'],
  contains: ['q', 'query', 'category'],
  product_id: ['id', 'listing_id'],
  id: ['product_id'],
  product_ids: ['ids', 'products'],
  min_discount_pct: ['min_discount', 'discount'],
  source: ['platform', 'shop'],
  limit: ['count', 'top_k'],
};

/** What was said under another name, and ids in one text in place of a list. Whether that works is tried. */
function meant({ input: { properties } }: Tool, args: Arguments): [string, unknown][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    const given = args[name];
    const isList = (schema as { type?: unknown }).type === 'array';
    if (isList && typeof given === 'string' && /^\d+(\s*[,|]\s*\d+)+$/.test(given))
      return [[name, given.split(/[,|]/).map(Number)]];
    const other = OTHER_NAMES[name]?.find((one) => one in args && !(one in properties));
    return given === undefined && other !== undefined ? [[name, args[other]]] : [];
  });
}

/** Ids and identifiers are nothing that one could guess. */
const needsId = (tool: Tool, names: ReadonlySet<string>): boolean =>
  (tool.name === 'lookup' && !['gtin', 'sku', 'model', 'url'].some((name) => names.has(name))) ||
  (tool.name === 'compare_products' && !['product_id', 'product_ids'].some((name) => names.has(name)));

const LONGEST_QUERY = 1_000;

/** Where nothing answers: the same words without anything else, if they find something. */
export async function instead(args: Arguments, api: Api): Promise<Call> {
  const q = args['q'] ?? args['query'];
  if (typeof q !== 'string') return ANYTHING;
  const query = { q: q.slice(0, LONGEST_QUERY), limit: '1' };
  const { total } = await api.ask<{ total: number }>('GET /v1/search', { query });
  return total > 0
    ? { name: 'search_products', arguments: { q, limit: 5 } }
    : { name: 'list_categories', arguments: {} };
}

/** As an agent reads it: within the budget, whatever was called, and always with the call that works. */
export function told(tool: string, findings: readonly Finding[], call: Call): string {
  const lines = findings.map(
    ({ argument, message }) =>
      `- ${argument === undefined ? '' : `${plain(shortened(argument, 60))}: `}${plain(message)}`,
  );
  const works = `This call works: ${call.name} ${JSON.stringify(call.arguments)}`;
  return `${fitted([`${tool} cannot answer that:`, ...lines], MOST_CHARACTERS - works.length - 1)}\n${works}`;
}
