import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** How a client and a server find a revision that both speak: by a handshake, or with every request. */
export type Era = 'handshake' | 'each request';

export const ERAS: readonly Era[] = ['handshake', 'each request'];

/** What a tool answered, as an agent has it. */
export interface Answered {
  isError: boolean;
  /** The first block of the content. */
  text: string;
  structured: any;
  links: string[];
  /** Characters of the whole as JSON. */
  size: number;
}

/** An agent: the protocol's own client, which checks what comes against the tools' output schemas. */
export interface Agent {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
  close(): Promise<void>;
}

/** @param authorization such as `Bearer KEY`. */
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
        size: JSON.stringify(result).length,
      };
    },
    close: () => client.close(),
  };
}
