import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Agent, type Dispatcher, request } from 'undici';
import { inflate } from '../../src/feeds/read/inflate.js';
import { FeedError } from '../../src/feeds/read/feed.js';
import {
  type AcceptsAddress,
  checkHost,
  guardedAgent,
  isPrivateAddress,
  REDIRECTS,
  type Resolve,
} from '../../src/platform/outbound.js';

/** How often in a row a download is tried without new data, after pauses of one second, two seconds, and so on. */
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 1_000;
/** The time in milliseconds for which no data may arrive before a feed is requested again. */
const SILENCE_MS = 60_000;
/**
 * The time in milliseconds for which a download waits for its server in all. One that sends a byte now and then would otherwise
 * keep the scheduler from loading other sources.
 */
const PATIENCE_MS = 2 * 60 * 60_000;
const MAX_REDIRECTS = 5;

export const isRemote = (name: string): boolean => /^https?:\/\//i.test(name);

/** Returns a URL without its user, password and query, which may be secret. */
export function publicUrl(name: string): string {
  const { origin, pathname } = new URL(name);
  return origin + pathname;
}

export const remoteFile = (name: string): string =>
  path.basename(decodeURIComponent(new URL(name).pathname)) || 'feed';

interface Download {
  /** The number of bytes that were received, after decompression. */
  position: number;
  /** The time in milliseconds for which the download has waited for the server. */
  waitedMs: number;
  /** Whether the server compresses the transfer. Such a download cannot be continued by a request for a range of bytes. */
  isCompressed: boolean;
  /** The ETag or modification time of the remote file, which shows whether it changed during the download. */
  validator: string | null;
}

export interface FetchOptions {
  /** Decides whether a connection to a network address is permitted. It is also called for redirects. */
  accepts: AcceptsAddress;
  firstWaitMs?: number;
  patienceMs?: number;
  resolve?: Resolve;
  /** The version of the feed that was loaded last, which is not fetched again. */
  known?: FeedVersion | null;
  /** Called with the version that each response states. */
  onVersion?: (version: FeedVersion) => void;
  /** Called with the encoding that each response states; null if it states none. */
  onCharset?: ((charset: string | null) => void) | undefined;
  /** Request headers with credentials, which are sent to the server of the address only, not to redirects elsewhere. */
  headers?: Readonly<Record<string, string>>;
  /** What messages call the feed; by default its URL without user, password and query. */
  shownAs?: string;
}

/** The headers by which a server recognizes a version of a file. */
export interface FeedVersion {
  etag: string | null;
  lastModified: string | null;
}

/** Thrown if a feed has the version that is known. */
export class NotModifiedError extends Error {
  override name = 'NotModifiedError';
}

/** When a version of a feed was made; null if its `Last-Modified` is missing, unreadable or in the future. */
export function timeOf({ lastModified }: FeedVersion, now: Date): Date | null {
  const ms = Date.parse(lastModified ?? '');
  return Number.isNaN(ms) || ms > now.getTime() ? null : new Date(ms);
}

/** Fetches a feed from accepted addresses only. An interrupted download is resumed if the server supports it. */
export async function* fetchFeed(
  address: string,
  signal: AbortSignal,
  options: FetchOptions,
): AsyncGenerator<Buffer> {
  const { accepts, resolve, firstWaitMs = FIRST_WAIT_MS, shownAs = publicUrl(address) } = options;
  const agent = guardedAgent({ accepts, resolve, connectTimeoutMs: SILENCE_MS });
  const source = { ...options, address, agent, shownAs };
  const download: Download = { position: 0, waitedMs: 0, isCompressed: false, validator: null };
  try {
    for (let failures = 0; ; failures += 1) {
      const before = download.position;
      try {
        yield* attempt(source, download, signal);
        return;
      } catch (error) {
        if (signal.aborted || error instanceof FeedError || error instanceof NotModifiedError) throw error;
        if (isPrivateAddress(error))
          throw new FeedError(
            `${shownAs} cannot be fetched: it is, or leads to, an address that is not public. --allow-private allows that.`,
          );
        if (download.position > before) failures = 0;
        if (failures + 1 >= ATTEMPTS)
          throw new FeedError(`${shownAs} cannot be fetched: ${messageOf(error)}`);
        const pauseMs = firstWaitMs * 2 ** failures;
        await sleep(pauseMs, undefined, { signal });
        wait(source, download, pauseMs);
      }
    }
  } finally {
    await agent.destroy();
  }
}

interface RemoteSource extends FetchOptions {
  address: string;
  agent: Agent;
  shownAs: string;
}

/** Counts the time for which a download has waited for its server. @throws FeedError after too long a time. */
function wait({ shownAs, patienceMs = PATIENCE_MS }: RemoteSource, download: Download, ms: number): void {
  download.waitedMs += ms;
  if (download.waitedMs > patienceMs)
    throw new FeedError(`${shownAs} cannot be fetched: its server sends it too slowly.`);
}

async function* attempt(
  source: RemoteSource,
  download: Download,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('the server sends no data')), SILENCE_MS);
  try {
    const response = await requestFeed(source, download, AbortSignal.any([signal, silence.signal]));
    // A server without range requests sends the whole file again, so the received bytes are skipped.
    let skip = response.statusCode === 206 ? 0 : download.position;
    let since = performance.now();
    for await (const chunk of decompressed(source.shownAs, response, download)) {
      timer.refresh();
      wait(source, download, performance.now() - since);
      const fresh = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - fresh.length;
      download.position += fresh.length;
      if (fresh.length > 0) yield fresh;
      timer.refresh();
      since = performance.now();
    }
  } finally {
    clearTimeout(timer);
  }
}

const DECOMPRESSORS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The content of a response. A compressed transfer that is cut off is an error, which `fetch` would not notice. */
function decompressed(
  shownAs: string,
  { headers, body }: Dispatcher.ResponseData,
  download: Download,
): AsyncIterable<Buffer> {
  const coding = headerOf(headers, 'content-encoding')?.toLowerCase() ?? 'identity';
  if (coding === 'identity') return body;
  download.isCompressed = true;
  const cannot = (why: string) => new FeedError(`${shownAs} cannot be fetched: ${why}.`);
  const decompressor = DECOMPRESSORS[coding]?.();
  if (decompressor === undefined) throw cannot('its transfer has an unknown compression');
  return inflate(body, decompressor, (why) => cannot(`its transfer is cut off or damaged (${why})`));
}

async function requestFeed(
  source: RemoteSource,
  download: Download,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { shownAs, known = null, onVersion, onCharset } = source;
  const { position, validator, isCompressed } = download;
  const isResumed = position > 0 && !isCompressed;
  const response = await follow(source, signal, {
    // A byte range of a compressed response would not continue the earlier download.
    'accept-encoding': isResumed ? 'identity' : 'gzip',
    ...(isResumed ? { range: `bytes=${position}-` } : {}),
    ...(isResumed && validator !== null ? { 'if-range': validator } : {}),
    ...(position === 0 && known?.etag ? { 'if-none-match': known.etag } : {}),
    ...(position === 0 && known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
  });
  const { statusCode: status, headers } = response;
  if (status === 200 || status === 206) {
    const version = { etag: headerOf(headers, 'etag'), lastModified: headerOf(headers, 'last-modified') };
    const now = version.etag?.startsWith('W/') === false ? version.etag : version.lastModified;
    if (position > 0 && now !== validator) throw new FeedError(`${shownAs} changed while it was fetched.`);
    download.validator = now;
    onVersion?.(version);
    onCharset?.(charsetOf(headerOf(headers, 'content-type')));
    return response;
  }
  await response.body.dump();
  if (status === 304 && known !== null) throw new NotModifiedError('not modified since it was loaded last');
  if (status === 429 || status >= 500) throw new Error(`the server responds with status ${status}`);
  throw new FeedError(`${shownAs} cannot be fetched: the server responds with status ${status}.`);
}

/** The `charset` parameter of a media type. */
const charsetOf = (mediaType: string | null): string | null =>
  /;\s{0,9}charset\s{0,9}=\s{0,9}"?([\w.:+-]{1,40})/i.exec(mediaType ?? '')?.[1] ?? null;

function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Requests a feed, and returns the first response that is not a redirect. */
async function follow(
  { address, agent, accepts, headers: credentials = {}, shownAs }: RemoteSource,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<Dispatcher.ResponseData> {
  const first = new URL(address);
  const login = `${decodeURIComponent(first.username)}:${decodeURIComponent(first.password)}`;
  const own = {
    ...(login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
    ...credentials,
  };
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    // The user and password in the address of a redirect are removed before the next request.
    url.username = url.password = '';
    checkHost(url, accepts);
    const response = await request(url, {
      signal,
      dispatcher: agent,
      headers: { ...headers, ...(url.origin === first.origin ? own : {}) },
    });
    const location = REDIRECTS.has(response.statusCode) ? headerOf(response.headers, 'location') : null;
    if (location === null) return response;
    await response.body.dump();
    if (!URL.canParse(location, url.href) || !isRemote(new URL(location, url).href))
      throw new FeedError(
        `${shownAs} cannot be fetched: it redirects to an address that is not http or https.`,
      );
    url = new URL(location, url);
  }
  throw new FeedError(`${shownAs} cannot be fetched: it redirects more than ${MAX_REDIRECTS} times.`);
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
