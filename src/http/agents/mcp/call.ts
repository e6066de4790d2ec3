import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { ApiError } from '../../../platform/errors.js';
import {
  alternativeCall,
  argumentFindings,
  correctedCall,
  endpointFindings,
  errorText,
  FALLBACK_CALL,
  type SuggestedCall,
  type ArgumentFinding,
} from './findings.js';
import { itemsOf, linesOf } from './item.js';
import { bounded, fitLines } from './text.js';
import type { Api, Tool, ToolArguments, ToolCall, ToolResult } from './tool.js';

/** The maximum number of links to listings in the result of a tool: the items have the ids of all. */
const MAX_LINKS = 1;

/**
 * Calls a tool. Every failure is a result with `isError`; only an error of the service itself is thrown. A call counts as one
 * request: if its arguments are invalid, only the corrected call runs.
 */
export async function callTool(tool: Tool, args: ToolArguments, api: Api): Promise<CallToolResult> {
  const invalid = argumentFindings(tool, args);
  // A tool that changes something never runs with arguments that were left out or corrected.
  if (tool.safeCall !== undefined && invalid.length > 0)
    return failure(tool, invalid, { name: tool.name, arguments: tool.safeCall });
  const invalidNames = new Set(invalid.map(({ argument }) => argument));
  const validArgs = Object.fromEntries(Object.entries(args).filter(([name]) => !invalidNames.has(name)));
  const corrected = invalid.length > 0 ? correctedCall(tool, args, invalid) : null;
  let result: ToolResult;
  try {
    // The tool runs with invalid arguments too, because its endpoint may report further findings.
    result = await tool.run(corrected?.name === tool.name ? corrected.arguments : validArgs, api);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 500) throw error;
    const further = endpointFindings(error, tool).filter(({ argument }) => !invalidNames.has(argument));
    const findings = [...invalid, ...further];
    const { nearest = [], ...call } = await suggestedCall(tool, args, findings, error, api);
    const items = nearest.map(itemsOf('compact', api.now));
    const lines = items.flatMap((one, at) => linesOf(one, 'compact', { number: `${at + 1}.` }));
    return failure(tool, findings, call, lines);
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
    const { name, arguments: suggested } =
      result.instead === undefined
        ? await alternativeCall(validArgs, api)
        : { name: tool.name, arguments: result.instead };
    const text = `${result.empty}\nThis call works: ${name} ${JSON.stringify(suggested)}`;
    return { content: [{ type: 'text', text }], structuredContent };
  }
  const links = [...new Set(result.ids)].slice(0, MAX_LINKS).map(linkTo);
  return {
    content: [{ type: 'text', text: result.text ?? fitLines(result.lines) }, ...links],
    structuredContent,
  };
}

async function suggestedCall(
  tool: Tool,
  args: ToolArguments,
  findings: readonly ArgumentFinding[],
  { status, event }: ApiError,
  api: Api,
): Promise<SuggestedCall> {
  if (tool.safeCall !== undefined) return { name: tool.name, arguments: tool.safeCall };
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
    if (!(error instanceof ApiError) || error.status === 500) throw error;
    return tries === 1 || error.status >= 429
      ? FALLBACK_CALL
      : workingCall(tool, correctedCall(tool, call.arguments, endpointFindings(error, tool)), api, tries - 1);
  }
}

const findsSomething = ({ empty, failed }: ToolResult): boolean =>
  empty === undefined && failed === undefined;

const failure = (
  tool: Tool,
  findings: readonly ArgumentFinding[],
  call: ToolCall,
  nearest: readonly string[] = [],
): CallToolResult => ({
  content: [{ type: 'text', text: errorText(tool.name, findings, call, nearest) }],
  isError: true,
});

const linkTo = (id: number): ContentBlock => ({
  type: 'resource_link',
  uri: `catalog://products/${id}`,
  name: String(id),
});
