import { fetch } from 'undici';
import { checkHost, createOutboundAgents, isPublicAddress, type Resolve } from './outbound.js';

/** A document that could not be fetched. The message states the reason without any text of the server. */
export class DocumentError extends Error {
  override name = 'DocumentError';

  /** @param refused whether the URL itself is not acceptable; otherwise its server did not answer as it should. */
  constructor(
    message: string,
    readonly refused: boolean,
  ) {
    super(message);
  }
}

export interface DocumentFetcher {
  /** Downloads a JSON document. @throws DocumentError */
  fetch(url: string): Promise<unknown>;
  close(): Promise<void>;
}

interface FetcherOptions {
  /** Hosts (`host` or `host:port`) that are trusted: http and any address is allowed for them. */
  allowedHosts?: readonly string[];
  resolve?: Resolve;
}

const DEADLINE_MS = 3_000;
const MAX_BYTES = 128 * 1024;
const MAX_URL = 2_048;
const HEADERS = { accept: 'application/json', 'user-agent': 'product-catalogue/1.0' };

/** Creates a fetcher of JSON documents whose URLs clients choose: https on port 443, public addresses, no redirects, limited bytes. */
export function createDocumentFetcher({ allowedHosts = [], resolve }: FetcherOptions): DocumentFetcher {
  const { guarded, unguarded, close } = createOutboundAgents(DEADLINE_MS, resolve);
  return {
    async fetch(text) {
      const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null;
      if (url === null || url.username !== '' || url.password !== '')
        throw new DocumentError('not a URL, or it contains credentials', true);
      const isAllowed = allowedHosts.includes(url.host) || allowedHosts.includes(url.hostname);
      if (!isAllowed) checkUrl(url);
      try {
        const response = await fetch(url, {
          dispatcher: isAllowed ? unguarded : guarded,
          redirect: 'manual',
          signal: AbortSignal.timeout(DEADLINE_MS),
          headers: HEADERS,
        });
        try {
          if (response.status !== 200) throw new DocumentError(`HTTP ${response.status}`, false);
          return JSON.parse(await limitedText(response.body, MAX_BYTES)) as unknown;
        } finally {
          await response.body?.cancel().catch(() => undefined);
        }
      } catch (error) {
        if (error instanceof DocumentError) throw error;
        throw new DocumentError(error instanceof SyntaxError ? 'not JSON' : 'no connection', false);
      }
    },
    close,
  };
}

function checkUrl(url: URL): void {
  if (url.protocol !== 'https:') throw new DocumentError('not https', true);
  if (url.port !== '') throw new DocumentError('another port than 443', true);
  try {
    checkHost(url, isPublicAddress);
  } catch {
    throw new DocumentError('the address is not public', true);
  }
}

async function limitedText(body: AsyncIterable<unknown> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maxBytes) throw new DocumentError('too large', false);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}
