import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { ApiError } from '../../platform/errors.js';
import { ANYTHING, type Call, type Finding, findingsOf, instead, mended, misfits, told } from './findings.js';
import { fitted } from './text.js';
import type { Api, Arguments, Shown, Tool } from './tool.js';

/** More would take as much room as the items. */
const MOST_LINKS = 3;

/**
 * Calls a tool. Every failure is a result that says so; only an error of the service itself is thrown. A call counts as one
 * request, so if its arguments are wrong, the call that the answer will suggest is the one that runs.
 */
export async function callTool(tool: Tool, args: Arguments, api: Api): Promise<CallToolResult> {
  const unfit = misfits(tool, args);
  const named = new Set(unfit.map(({ argument }) => argument));
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => !named.has(name)));
  const suggested = unfit.length > 0 ? mended(tool, args, unfit) : null;
  let shown: Shown;
  try {
    // Also with wrong arguments: the endpoint may find more that is wrong.
    shown = await tool.run(suggested?.name === tool.name ? suggested.arguments : known, api);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 500) throw error;
    const said = findingsOf(error, tool).filter(({ argument }) => !named.has(argument));
    const findings = [...unfit, ...said];
    return failed(tool, findings, await nextCall(tool, args, findings, error.status, api));
  }
  if (suggested !== null) {
    const works = suggested.name !== tool.name || shown.nothing === undefined;
    return failed(tool, unfit, works ? suggested : ANYTHING);
  }
  const structuredContent = shown.structured as Record<string, unknown>;
  if (shown.nothing !== undefined) {
    const { name, arguments: tried } = await instead(known, api);
    const text = `${shown.nothing}\nThis call works: ${name} ${JSON.stringify(tried)}`;
    return { content: [{ type: 'text', text }], structuredContent };
  }
  const links = [...new Set(shown.ids)].slice(0, MOST_LINKS).map(linkTo);
  return {
    content: [{ type: 'text', text: shown.text ?? fitted(shown.lines) }, ...links],
    structuredContent,
  };
}

async function nextCall(
  tool: Tool,
  args: Arguments,
  findings: readonly Finding[],
  status: number,
  api: Api,
): Promise<Call> {
  if (status === 404) return instead(args, api);
  const call = mended(tool, args, findings);
  // Where nothing is wrong but the moment, it is not for now to try.
  return status >= 429 ? call : worksOrAnything(tool, call, api);
}

/** What is told to work has been tried. */
async function worksOrAnything(tool: Tool, call: Call, api: Api, tries = 2): Promise<Call> {
  if (call.name !== tool.name) return call;
  try {
    return (await tool.run(call.arguments, api)).nothing === undefined ? call : ANYTHING;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 500) throw error;
    return tries === 1 || error.status >= 429
      ? ANYTHING
      : worksOrAnything(tool, mended(tool, call.arguments, findingsOf(error, tool)), api, tries - 1);
  }
}

const failed = (tool: Tool, findings: readonly Finding[], call: Call): CallToolResult => ({
  content: [{ type: 'text', text: told(tool.name, findings, call) }],
  isError: true,
});

const linkTo = (id: number): ContentBlock => ({
  type: 'resource_link',
  uri: `catalog://products/${id}`,
  name: String(id),
});
