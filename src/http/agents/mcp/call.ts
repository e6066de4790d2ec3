import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiError } from '../../../platform/errors.js';
import type { Product } from '../../../schemas/product.js';
import { listed } from './item.js';
import { bounded, fitLines, MAX_CHARACTERS, oneLine, truncated } from './text.js';
import {
  type Api,
  ATTRIBUTES,
  type Tool,
  type ToolArguments,
  type ToolCall,
  type ToolResult,
} from './tool.js';

interface Finding {
  argument?: string;
  message: string;
}

/** Calls a tool. Every failure is a result with `isError`, except an error of the service. A call counts as one request. */
export async function callTool(tool: Tool, args: ToolArguments, api: Api): Promise<CallToolResult> {
  const { safeCall } = tool;
  const invalid = argumentFindings(tool, args);
  // A tool that changes something never runs with arguments that were left out or corrected.
  if (safeCall !== undefined && invalid.length > 0) return failure(tool, invalid, callOf(tool, safeCall));
  const invalidNames = new Set(invalid.map(({ argument }) => argument));
  const validArgs = Object.fromEntries(Object.entries(args).filter(([name]) => !invalidNames.has(name)));
  const corrected = invalid.length > 0 ? correctedCall(tool, args, invalid) : null;
  let result: ToolResult;
  try {
    // The tool runs with invalid arguments too, because its endpoint may report further findings.
    result = await tool.run(corrected?.name === tool.name ? corrected.arguments : validArgs, api);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const further = endpointFindings(error, tool).filter(({ argument }) => !invalidNames.has(argument));
    const findings = [...invalid, ...further];
    const { nearest = [], ...call } = await suggestedCall(tool, args, findings, error, api);
    return failure(tool, findings, call, listed(nearest, { view: 'compact', now: api.now }).lines);
  }
  if (corrected !== null) {
    const works = corrected.name !== tool.name || findsSomething(result);
    return failure(tool, invalid, works ? corrected : FALLBACK_CALL);
  }
  const structuredContent = bounded(result.structured as Record<string, unknown>);
  if (result.failed !== undefined) {
    const { message, call } = result.failed;
    return { ...failure(tool, [{ message }], call, result.lines), structuredContent };
  }
  if (result.empty !== undefined) {
    const { instead } = result;
    const call = instead === undefined ? await alternativeCall(validArgs, api) : callOf(tool, instead);
    return { content: [{ type: 'text', text: `${result.empty}\n${suggestionOf(call)}` }], structuredContent };
  }
  // The structured content has the ids of all listings, so a link to the first one is enough.
  const [id] = result.ids ?? [];
  const uri = `catalog://products/${id}`;
  return {
    content: [
      { type: 'text', text: result.text ?? fitLines(result.lines) },
      ...(id === undefined ? [] : [{ type: 'resource_link' as const, uri, name: String(id) }]),
    ],
    structuredContent,
  };
}

/** Whether an error is an answer of an endpoint, which is explained to the agent. A fault of the service is thrown instead. */
const isAnswer = (error: unknown): error is ApiError => error instanceof ApiError && error.status !== 500;

const callOf = ({ name }: Tool, args: ToolArguments): ToolCall => ({ name, arguments: args });

const suggestionOf = ({ name, arguments: args }: ToolCall): string =>
  `This call works: ${name} ${JSON.stringify(args)}`;

const NAMED_VALUES = 'Input should be an object of texts, such as {"colour": "black"}';

/** Finds errors that no endpoint can report: missing and unknown arguments, and lists in place of single values. */
function argumentFindings({ input: { properties, required = [] } }: Tool, args: ToolArguments): Finding[] {
  const missing = required
    .filter((argument) => (args[argument] ?? null) === null)
    .map((argument) => ({ argument, message: 'Field required' }));
  const others = Object.entries(args).flatMap(([argument, value]): Finding[] => {
    const { type } = (properties[argument] ?? {}) as { type?: unknown };
    const isSingle = typeof value !== 'object' || value === null;
    if (!(argument in properties))
      return [{ argument, message: `no such argument; there are ${Object.keys(properties).join(', ')}` }];
    if (type === 'object') return isNamedValues(value) ? [] : [{ argument, message: NAMED_VALUES }];
    return isSingle || type === 'array' ? [] : [{ argument, message: 'Input should be one value' }];
  });
  return [...missing, ...others];
}

const isNamedValues = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((inner) => [inner].flat().every((one) => typeof one !== 'object'));

function endpointFindings({ detail, headers }: ApiError, tool: Tool): Finding[] {
  const retryAfter = headers['Retry-After'];
  if (typeof detail === 'string')
    return [{ message: retryAfter === undefined ? detail : `${detail}. Retry after ${retryAfter} seconds` }];
  return detail.map(({ loc, msg }) => {
    const parameter = String(loc[1]).replace(/^attr\./, `${ATTRIBUTES}.`);
    const name = tool.aliases?.[parameter] ?? parameter;
    return { argument: [name, ...loc.slice(2)].join('.'), message: msg };
  });
}

/** A call that is suggested instead of a failed one. If a look-up found nothing, `nearest` contains the most similar listings. */
interface SuggestedCall extends ToolCall {
  nearest?: Product[];
}

async function suggestedCall(
  tool: Tool,
  args: ToolArguments,
  findings: readonly Finding[],
  { status, event }: ApiError,
  api: Api,
): Promise<SuggestedCall> {
  if (tool.safeCall !== undefined) return callOf(tool, tool.safeCall);
  if (status === 404) return alternativeCall(args, api);
  const call = correctedCall(tool, args, findings);
  // While the service is overloaded, the suggested call is not tried first, because it would fail as well.
  return status >= 429 && event?.needsReindex !== true ? call : workingCall(tool, call, api);
}

/** Tries a call before it is suggested to the agent, so that only a call that works is suggested. */
async function workingCall(tool: Tool, call: ToolCall, api: Api, tries = 2): Promise<ToolCall> {
  if (call.name !== tool.name) return call;
  try {
    return findsSomething(await tool.run(call.arguments, api)) ? call : FALLBACK_CALL;
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return tries === 1 || error.status >= 429
      ? FALLBACK_CALL
      : workingCall(tool, correctedCall(tool, call.arguments, endpointFindings(error, tool)), api, tries - 1);
  }
}

const findsSomething = ({ empty, failed }: ToolResult): boolean =>
  empty === undefined && failed === undefined;

/** The call that is suggested if nothing more specific is known. It succeeds unless the catalogue is empty. */
const FALLBACK_CALL: ToolCall = { name: 'search_products', arguments: { limit: 5 } };

/** Removes invalid arguments from a call; instead of one that is then incomplete, returns a call that finds listings. */
function correctedCall(tool: Tool, args: ToolArguments, findings: readonly Finding[]): ToolCall {
  const { properties, required = [] } = tool.input;
  const invalid = new Set(findings.map(({ argument = '' }) => argument.split('.')[0]));
  // An error about a combination of arguments names these arguments in its message only.
  const words = findings.flatMap(({ argument, message }) =>
    argument === undefined ? message.split(/[ =]/) : [],
  );
  const valid = Object.entries(args).filter(
    ([name]) => name in properties && !invalid.has(name) && !words.includes(name),
  );
  valid.unshift(...recoveredArguments(tool, args));
  const names = new Set(valid.map(([name]) => name));
  const isComplete = required.every((name) => names.has(name));
  // An id or another identifier cannot be guessed, so a call without one is replaced by the fallback.
  return isComplete && (tool.needsOneOf?.some((name) => names.has(name)) ?? true)
    ? callOf(tool, Object.fromEntries(valid))
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
const MAX_NEAREST = 3;

async function alternativeCall(args: ToolArguments, api: Api): Promise<SuggestedCall> {
  const q = args['q'] ?? args['query'] ?? args['model'] ?? args['contains'];
  if (typeof q !== 'string') return FALLBACK_CALL;
  const query = { q: q.slice(0, MAX_QUERY_CHARACTERS), limit: String(MAX_NEAREST) };
  const { items: nearest } = await api.call<{ items: Product[] }>('GET /v1/search', { query });
  return nearest.length > 0
    ? { name: 'search_products', arguments: { q, limit: 5 }, nearest }
    : { name: 'list_categories', arguments: {} };
}

function failure(
  { name }: Tool,
  findings: readonly Finding[],
  call: ToolCall,
  nearest: readonly string[] = [],
): CallToolResult {
  const reasons = findings.map(({ argument, message }) => {
    const about = argument === undefined ? '' : `${oneLine(truncated(argument, 60))}: `;
    return `- ${about}${oneLine(message)}`;
  });
  const listings =
    nearest.length === 0 ? [] : ['The nearest listings, which may be other products:', ...nearest];
  const suggestion = suggestionOf(call);
  const lines = [`${name} cannot answer that:`, ...reasons, ...listings];
  const text = `${fitLines(lines, MAX_CHARACTERS - suggestion.length - 1)}\n${suggestion}`;
  return { content: [{ type: 'text', text }], isError: true };
}
