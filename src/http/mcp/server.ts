import type { ListToolsResult, Server } from '@modelcontextprotocol/server';
import { SERVICE_NAME, SERVICE_VERSION } from '../../platform/version.js';
import { INSTRUCTIONS, PROTOCOL_VERSIONS } from './about.js';
import { callTool } from './call.js';
import { readResource, resources, resourceTemplates } from './resources.js';
import type { Api } from './tool.js';
import { tools } from './tools/index.js';

const LISTED: ListToolsResult['tools'] = tools.map(({ name, title, description, input, output }) => ({
  name,
  title,
  description,
  inputSchema: input as unknown as ListToolsResult['tools'][number]['inputSchema'],
  outputSchema: output as unknown as NonNullable<ListToolsResult['tools'][number]['outputSchema']>,
  annotations: { readOnlyHint: true, openWorldHint: false },
}));

const byName = new Map(tools.map((tool) => [tool.name, tool]));

/** The same for everybody, for as long as the process runs. */
const LISTS_HOLD = { ttlMs: 3_600_000, cacheScope: 'public' as const };

/** The protocol's library: with what it needs a tenth of a start, for what many an instance is never asked. */
const loadLibrary = () => import('@modelcontextprotocol/server');
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** What speaks to one client for the time of one request. */
function serverFor(
  api: Api,
  { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server }: Library,
): Server {
  const server = new Server(
    { name: SERVICE_NAME, title: 'Product catalogue', version: SERVICE_VERSION },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: PROTOCOL_VERSIONS,
      cacheHints: {
        'tools/list': LISTS_HOLD,
        'prompts/list': LISTS_HOLD,
        'resources/list': LISTS_HOLD,
        'resources/templates/list': LISTS_HOLD,
        'server/discover': LISTS_HOLD,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = byName.get(params.name);
    if (tool === undefined) {
      const names = [...byName.keys()].join(', ');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No such tool; there are ${names}`);
    }
    return callTool(tool, params.arguments ?? {}, api);
  });
  // There are none, which clients ask for all the same.
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    const found = await readResource(params.uri, api);
    if (found === null) throw new ResourceNotFoundError(params.uri);
    return found;
  });
  return server;
}

/**
 * One message, answered without a session: nothing is kept between requests, and nothing is streamed.
 * @param message the request's body, as JSON.
 */
export async function answer(request: Request, message: unknown, api: Api): Promise<Response> {
  const library = await loadLibrary();
  if (await library.isLegacyRequest(request, message))
    return answerByHandshake(request, message, serverFor(api, library), library);
  const handler = library.createMcpHandler(() => serverFor(api, library), { legacy: 'reject' });
  const answered = await handler.fetch(request, { parsedBody: message });
  // Nothing here changes while a client listens, and a stream would hold a connection: it begins, and ends at once.
  if (answered.headers.get('content-type')?.startsWith('text/event-stream')) await handler.close();
  return answered;
}

async function answerByHandshake(
  request: Request,
  message: unknown,
  server: Server,
  { WebStandardStreamableHTTPServerTransport }: Library,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}
