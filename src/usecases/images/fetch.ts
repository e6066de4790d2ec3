import { bulkhead } from 'cockatiel';
import { fetch, type Response } from 'undici';
import { parseUrl } from '../../listing/url.js';
import {
  isPublicAddress,
  checkHost,
  createOutboundAgents,
  isPrivateAddress,
  REDIRECTS,
  type Resolve,
} from '../../platform/outbound.js';
import { ImageFailure } from './failure.js';

export interface ImageFetcher {
  /** Downloads the bytes at a URL, which need not be an image. @throws ImageFailure */
  fetch(url: string): Promise<Buffer>;
  close(): Promise<void>;
}

export interface ImageFetcherOptions {
  /** Image hosts (`host` or `host:port`) that are trusted: any port and any address is allowed for them. */
  allowedHosts: readonly string[];
  deadlineMs?: number;
  maxBytes?: number;
  resolve?: Resolve;
}

const DEADLINE_MS = 5_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 3;
/** On untrusted hosts, another port is more likely that of a database than of an image server. */
const PORTS = new Set(['80', '443']);
const NO_WEB_URL = 'URL is not http or https, or holds a login';
const HEADERS = { accept: 'image/*', 'user-agent': 'product-catalogue-images/1.0' };

/** Creates a fetcher that is safe against server-side request forgery: it checks each address and each redirect. */
export function createImageFetcher(options: ImageFetcherOptions): ImageFetcher {
  const { deadlineMs = DEADLINE_MS, maxBytes = MAX_BYTES, resolve } = options;
  const allowedHosts = new Set(options.allowedHosts);
  const { guarded, unguarded, close } = createOutboundAgents(deadlineMs, resolve);

  const request = async (url: URL, signal: AbortSignal): Promise<Buffer | URL> => {
    const allowed = allowedHosts.has(url.hostname) || allowedHosts.has(`${url.hostname}:${portOf(url)}`);
    checkUrl(url, allowed);
    const dispatcher = allowed ? unguarded : guarded;
    const response = await fetch(url, { dispatcher, redirect: 'manual', signal, headers: HEADERS });
    try {
      if (REDIRECTS.has(response.status)) {
        const location = response.headers.get('location');
        if (location === null) throw new ImageFailure('redirect without a target');
        return readUrl(location, url);
      }
      if (response.status !== 200) throw new ImageFailure(`HTTP ${response.status}`);
      return await limitedBody(response, maxBytes);
    } finally {
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
    close,
  };
}

function readUrl(text: string, base?: URL): URL {
  const url = parseUrl(text, base?.href);
  if (url === null) throw new ImageFailure(NO_WEB_URL);
  return url;
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** Reads a response body of limited size. A small `Content-Length` is not trusted, so the received bytes are counted as well. */
async function limitedBody(response: Response, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw new ImageFailure('too large');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    const chunk = part as Uint8Array;
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ImageFailure('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkUrl(url: URL, allowed: boolean): void {
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new ImageFailure(NO_WEB_URL);
  if (allowed) return;
  if (!PORTS.has(portOf(url))) throw new ImageFailure('port not allowed');
  checkHost(url, isPublicAddress);
}

const UNRESOLVED = ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT'];

function toFailure(error: unknown, signal: AbortSignal): ImageFailure {
  if (isPrivateAddress(error)) return new ImageFailure('address not allowed', { cause: error });
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ImageFailure) return cause;
    if ('code' in cause && UNRESOLVED.includes(String(cause.code)))
      return new ImageFailure('host not found', { cause: error });
  }
  return new ImageFailure(signal.aborted ? 'timeout' : 'connection failed', { cause: error });
}

/** Calls a function once for every URL. A slow host delays no other. @throws the first error; no further visits start then. */
export async function visitPolitely(
  urls: readonly string[],
  { total, perHost }: { total: number; perHost: number },
  visit: (url: string) => Promise<void>,
): Promise<void> {
  const all = bulkhead(total, Infinity);
  const hosts = new Map(urls.map((url) => [hostOf(url), bulkhead(perHost, Infinity)]));
  let hasFailed = false;
  const visitUnlessFailed = async (url: string) => {
    if (hasFailed) return;
    await visit(url).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
  };
  const visits = urls.map((url) =>
    hosts.get(hostOf(url))?.execute(() => all.execute(() => visitUnlessFailed(url))),
  );
  await Promise.all(visits);
}

/** Returns the host of a URL; empty for an invalid URL, which is visited too, so that its failure is recorded. */
export const hostOf = (url: string): string => parseUrl(url)?.host ?? '';
