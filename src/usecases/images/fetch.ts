import { fetch, type Response } from 'undici';
import { parseUrl } from '../../listing/url.js';
import { isPublicAddress } from '../../platform/outbound/address.js';
import {
  type Accepts,
  anyAddress,
  checkHost,
  guardedAgent,
  isPrivateAddress,
  REDIRECTS,
  type Resolve,
} from '../../platform/outbound/guarded-agent.js';
import { ImageFailure } from './failure.js';

/** Gets images from strangers' servers, and from nowhere else. */
export interface ImageFetcher {
  /**
   * The bytes behind a URL; whether they are an image is for the decoder to say.
   * @throws ImageFailure
   */
  fetch(url: string): Promise<Buffer>;
  close(): Promise<void>;
}

export interface FetcherOptions {
  /** `host` or `host:port`, as URLs spell them: these may be on any port and address. */
  allowedHosts: readonly string[];
  /** For one image, redirects included. */
  deadlineMs?: number;
  maxBytes?: number;
  resolve?: Resolve;
}

const DEADLINE_MS = 5_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 3;
/** Other ports of strangers' hosts are more likely somebody's database than an image server. */
const PORTS = new Set(['80', '443']);
const HEADERS = { accept: 'image/*', 'user-agent': 'product-catalogue-images/1.0' };

/**
 * A fetcher that a listing's `image_url` cannot turn against the network it runs in: it connects to public addresses
 * alone, see `guardedAgent`. Each redirect is checked again.
 */
export function createImageFetcher(options: FetcherOptions): ImageFetcher {
  const { deadlineMs = DEADLINE_MS, maxBytes = MAX_BYTES, resolve } = options;
  const allowedHosts = new Set(options.allowedHosts);
  const agent = (accepts: Accepts) =>
    guardedAgent({
      accepts,
      resolve,
      connectTimeoutMs: deadlineMs,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
  const guarded = agent(isPublicAddress);
  const unguarded = agent(anyAddress);

  const request = async (url: URL, signal: AbortSignal): Promise<Buffer | URL> => {
    const allowed = allowedHosts.has(url.hostname) || allowedHosts.has(`${url.hostname}:${portOf(url)}`);
    checkUrl(url, allowed);
    const dispatcher = allowed ? unguarded : guarded;
    const response = await fetch(url, { dispatcher, redirect: 'manual', signal, headers: HEADERS });
    try {
      if (REDIRECTS.has(response.status)) return targetOf(response, url);
      if (response.status !== 200) throw new ImageFailure(`HTTP ${response.status}`);
      return await limitedBody(response, maxBytes);
    } finally {
      // Whatever was not read is not waited for.
      await response.body?.cancel().catch(() => undefined);
    }
  };

  return {
    async fetch(text) {
      const signal = AbortSignal.timeout(deadlineMs);
      try {
        let next = readUrl(text);
        for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
          const result = await request(next, signal);
          if (!(result instanceof URL)) return result;
          next = result;
        }
        throw new ImageFailure('too many redirects');
      } catch (error) {
        throw toFailure(error, signal);
      }
    },
    async close() {
      await Promise.all([guarded.destroy(), unguarded.destroy()]);
    },
  };
}

function readUrl(text: string, base?: URL): URL {
  const url = parseUrl(text, base?.href);
  if (url === null) throw new ImageFailure('URL is not http or https, or holds a login');
  return url;
}

function portOf({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}

function checkUrl(url: URL, allowed: boolean): void {
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ImageFailure('URL is not http or https, or holds a login');
  }
  if (allowed) return;
  if (!PORTS.has(portOf(url))) throw new ImageFailure('port not allowed');
  checkHost(url, isPublicAddress);
}

function targetOf(response: Response, url: URL): URL {
  const location = response.headers.get('location');
  if (location === null) throw new ImageFailure('redirect without a target');
  return readUrl(location, url);
}

/** The body after decompression; what a header says about its length is believed only where it says too much. */
async function limitedBody(response: Response, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw new ImageFailure('too large');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const chunk = part.value as Uint8Array;
    bytes += chunk.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw new ImageFailure('too large');
    }
    chunks.push(chunk);
  }
  reader?.releaseLock();
  return Buffer.concat(chunks);
}

function toFailure(error: unknown, signal: AbortSignal): ImageFailure {
  if (isPrivateAddress(error)) return new ImageFailure('address not allowed', { cause: error });
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ImageFailure) return cause;
    if ('code' in cause && ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes(String(cause.code))) {
      return new ImageFailure('host not found', { cause: error });
    }
  }
  return new ImageFailure(signal.aborted ? 'timeout' : 'connection failed', { cause: error });
}
