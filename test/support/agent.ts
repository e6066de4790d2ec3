import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * How a client and a server agree on a protocol revision that both support: by a handshake, or in every
 * request.
 */
export type Era = 'handshake' | 'each request';

export const ERAS: readonly Era[] = ['handshake', 'each request'];

/** The result of a tool, as an agent receives it. */
export interface Answered {
  isError: boolean;
  /** The text of the first content block. */
  text: string;
  structured: any;
  links: string[];
  /** The size of the whole result as JSON, in bytes. */
  size: number;
}

/**
 * An agent. It uses the protocol's own client, which validates results by the output schemas of the tools.
 */
export interface Agent {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
  close(): Promise<void>;
}

/**
 * Connects an agent to the service.
 * @param authorization such as `Bearer KEY`.
 */
export async function connectAgent(url: string, authorization: string, era: Era): Promise<Agent> {
  const mode = era === 'handshake' ? ('legacy' as const) : { pin: '2026-07-28' };
  const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const [first, ...others] = result.content;
      return {
        isError: result.isError === true,
        text: first?.type === 'text' ? first.text : '',
        structured: result.structuredContent,
        links: others.map((block) => (block.type === 'resource_link' ? block.uri : block.type)),
        size: Buffer.byteLength(JSON.stringify(result)),
      };
    },
    close: () => client.close(),
  };
}
