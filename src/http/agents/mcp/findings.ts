import type { ApiError } from '../../../platform/errors.js';
import type { Product } from '../../../schemas/product.js';
import { fitLines, MAX_CHARACTERS, oneLine, truncated } from './text.js';
import { type Api, ATTRIBUTES, type Tool, type ToolArguments, type ToolCall } from './tool.js';

export interface ArgumentFinding {
  argument?: string;
  message: string;
}

/** Finds errors that no endpoint can report: missing and unknown arguments, and lists in place of single values. */
export function argumentFindings(tool: Tool, args: ToolArguments): ArgumentFinding[] {
  const { properties, required = [] } = tool.input;
  const missing = required
    .filter((argument) => (args[argument] ?? null) === null)
    .map((argument) => ({ argument, message: 'Field required' }));
  const others = Object.entries(args).flatMap(([argument, value]): ArgumentFinding[] => {
    const schema = properties[argument] as { type?: unknown } | undefined;
    if (schema === undefined) {
      return [{ argument, message: `no such argument; there are ${Object.keys(properties).join(', ')}` }];
    }
    const isSingle = typeof value !== 'object' || value === null;
    if (schema.type === 'object') return isNamedValues(value) ? [] : [{ argument, message: NAMED_VALUES }];
    return isSingle || schema.type === 'array' ? [] : [{ argument, message: 'Input should be one value' }];
  });
  return [...missing, ...others];
}

const NAMED_VALUES = 'Input should be an object of texts, such as {"colour": "black"}';

/** Whether an argument is an object whose values are texts, numbers or lists of these. */
const isNamedValues = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((inner) => [inner].flat().every((one) => typeof one !== 'object'));

/** Converts the error of an endpoint to findings about the call of a tool. */
export function endpointFindings({ detail, headers }: ApiError, tool: Tool): ArgumentFinding[] {
  const retryAfter = headers['Retry-After'];
  if (typeof detail === 'string')
    return [{ message: retryAfter === undefined ? detail : `${detail}. Retry after ${retryAfter} seconds` }];
  return detail.map(({ loc, msg }) => {
    const parameter = String(loc[1]).replace(/^attr\./, `${ATTRIBUTES}.`);
    const name = tool.aliases?.[parameter] ?? parameter;
    return { argument: [name, ...loc.slice(2)].join('.'), message: msg };
  });
}

/** The tool call that is suggested if nothing more specific is known. It succeeds unless the catalogue is empty. */
export const FALLBACK_CALL: ToolCall = { name: 'search_products', arguments: { limit: 5 } };

/** Removes invalid arguments from a call; instead of one that is then incomplete, returns a call that finds listings. */
export function correctedCall(
  tool: Tool,
  args: ToolArguments,
  findings: readonly ArgumentFinding[],
): ToolCall {
  const invalid = new Set(findings.map(({ argument = '' }) => argument.split('.')[0]));
  // An error about a combination of arguments names these arguments in its message only.
  const words = findings.flatMap(({ argument, message }) =>
    argument === undefined ? message.split(/[ =]/) : [],
  );
  const valid = Object.entries(args).filter(
    ([name]) => name in tool.input.properties && !invalid.has(name) && !words.includes(name),
  );
  valid.unshift(...recoveredArguments(tool, args));
  const names = new Set(valid.map(([name]) => name));
  const isComplete = (tool.input.required ?? []).every((name) => names.has(name));
  // An id or an identifier cannot be guessed.
  return isComplete && (tool.needsOneOf?.some((name) => names.has(name)) ?? true)
    ? { name: tool.name, arguments: Object.fromEntries(valid) }
    : FALLBACK_CALL;
}

/** For each argument of the tools, the wrong names that language models often use for it. */
const COMMON_MISNAMES: Record<string, string[]> = {
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

/** Recovers arguments of a tool call that have a wrong name, and lists of ids that are given as one text. */
function recoveredArguments({ input: { properties } }: Tool, args: ToolArguments): [string, unknown][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    const given = args[name];
    const isList = (schema as { type?: unknown }).type === 'array';
    if (isList && typeof given === 'string' && /^\d+(\s*[,|]\s*\d+)+$/.test(given))
      return [[name, given.split(/[,|]/).map(Number)]];
    const misname = COMMON_MISNAMES[name]?.find((one) => one in args && !(one in properties));
    return given === undefined && misname !== undefined ? [[name, args[misname]]] : [];
  });
}

const MAX_QUERY_CHARACTERS = 1_000;

/** A call that is suggested in place of one that failed. If that one found nothing, `nearest` are the listings of a search. */
export interface SuggestedCall extends ToolCall {
  nearest?: Product[];
}

/** The maximum number of nearest listings that an error shows. */
const MAX_NEAREST = 3;

/** Returns a search for the words without filters if that finds listings, otherwise a call for the categories. */
export async function alternativeCall(args: ToolArguments, api: Api): Promise<SuggestedCall> {
  const q = args['q'] ?? args['query'] ?? args['model'] ?? args['contains'];
  if (typeof q !== 'string') return FALLBACK_CALL;
  const query = { q: q.slice(0, MAX_QUERY_CHARACTERS), limit: String(MAX_NEAREST) };
  const { items: nearest } = await api.call<{ items: Product[] }>('GET /v1/search', { query });
  return nearest.length > 0
    ? { name: 'search_products', arguments: { q, limit: 5 }, nearest }
    : { name: 'list_categories', arguments: {} };
}

/** Formats an error of a tool. @param nearest lines for the listings that are nearest to what the tool did not find. */
export function errorText(
  tool: string,
  findings: readonly ArgumentFinding[],
  call: ToolCall,
  nearest: readonly string[] = [],
): string {
  const lines = findings.map(
    ({ argument, message }) =>
      `- ${argument === undefined ? '' : `${oneLine(truncated(argument, 60))}: `}${oneLine(message)}`,
  );
  const suggestion = `This call works: ${call.name} ${JSON.stringify(call.arguments)}`;
  const listings =
    nearest.length === 0 ? [] : ['The nearest listings, which may be other products:', ...nearest];
  return `${fitLines([`${tool} cannot answer that:`, ...lines, ...listings], MAX_CHARACTERS - suggestion.length - 1)}\n${suggestion}`;
}
