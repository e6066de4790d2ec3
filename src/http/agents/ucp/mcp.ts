import { SERVICE_NAME, SERVICE_VERSION } from '../../../platform/version.js';
import type { Logger } from '../../../telemetry/logger.js';
import { logFault } from '../../errors.js';
import type { Requester } from '../../perform.js';
import { requesterOf } from '../../router.js';
import { messageHandler } from '../mcp/handler.js';
import { answerWith, PROTOCOL_VERSIONS } from '../mcp/server.js';
import { toUcpError, type UcpError } from './errors.js';
import type { UcpOperation } from './operations.js';
import { checkedUrl } from './platforms.js';
import type { Release } from './releases.js';

const DISCOVERY_FAILED = -32_001;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

const DISCOVERY_CODES = new Set([
  'invalid_profile_url',
  'profile_unreachable',
  'profile_malformed',
  'version_unsupported',
]);

/** The member `meta` that the protocol requires of every call of a tool. */
const META = {
  type: 'object' as const,
  properties: {
    'ucp-agent': {
      type: 'object',
      properties: { profile: { type: 'string', description: 'The URL of the profile of the platform' } },
      required: ['profile'],
    },
  },
  required: ['ucp-agent'],
};

/** The arguments of a tool, before they are checked. */
interface Given {
  meta?: { 'ucp-agent'?: { profile?: unknown } };
  catalog?: unknown;
}

/** Creates the handler of the MCP endpoint: a tool for each operation. `perform` returns null if the client has disconnected. */
export const ucpAgentHandler = <Operation extends UcpOperation>(
  operations: readonly Operation[],
  release: Release,
  logger: Logger,
  perform: (
    operation: Operation,
    given: { profile: string; body: unknown },
    requester: Requester,
  ) => Promise<object | null>,
) =>
  messageHandler(async (webRequest, message, request, response) => {
    let failure: UcpError | null = null;
    const answered = await answerWith(webRequest, message, ({ ProtocolError, ProtocolErrorCode, Server }) => {
      const server = new Server(
        {
          name: `${SERVICE_NAME}-ucp`,
          title: `Product catalogue (UCP ${release})`,
          version: SERVICE_VERSION,
        },
        { capabilities: { tools: {} }, supportedProtocolVersions: PROTOCOL_VERSIONS },
      );
      server.setRequestHandler('tools/list', () => ({ tools: operations.map(toolOf) }));
      server.setRequestHandler('tools/call', async ({ params }) => {
        const operation = operations.find(({ tool }) => tool === params.name);
        if (operation === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No such tool: ${params.name}`);
        const { meta, catalog: body } = (params.arguments ?? {}) as Given;
        try {
          const profile = checkedUrl(meta?.['ucp-agent']?.profile);
          const answer = await perform(operation, { profile, body }, requesterOf(request, response));
          const structuredContent = (answer ?? {}) as Record<string, unknown>;
          const text = JSON.stringify(structuredContent);
          return { content: [{ type: 'text' as const, text }], structuredContent };
        } catch (thrown) {
          failure = toUcpError(thrown);
          logFault(logger, failure, response);
          const { code, status, detail, headers } = failure;
          const retry = headers['Retry-After'];
          const about = { code, content: detail, ...(retry && { retry_after: Number(retry) }) };
          throw new ProtocolError(codeOf(code, status), String(detail), about);
        }
      });
      return server;
    });
    return withStatus(answered, failure);
  });

const toolOf = ({ tool, description, body }: UcpOperation) => ({
  name: tool,
  description,
  inputSchema: {
    type: 'object' as const,
    properties: { meta: META, catalog: JSON.parse(JSON.stringify(body)) as typeof META },
    required: ['meta', 'catalog'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
});

/** An overload or a fault has its HTTP status as well, because the protocol calls it the primary signal. */
function withStatus(answered: Response, failure: UcpError | null): Response {
  if (failure === null || (failure.status < 500 && failure.status !== 429)) return answered;
  const headers = new Headers(answered.headers);
  for (const [name, value] of Object.entries(failure.headers)) headers.set(name, value);
  return new Response(answered.body, { status: failure.status, headers });
}

function codeOf(code: string, status: number): number {
  if (DISCOVERY_CODES.has(code)) return DISCOVERY_FAILED;
  if (status === 400 || status === 413) return INVALID_PARAMS;
  return status === 500 ? INTERNAL_ERROR : SERVER_ERROR;
}
