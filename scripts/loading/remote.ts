import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch, type Agent, type Headers, type Response } from 'undici';
import { FeedError } from '../../src/feeds/read/feed.js';
import {
  type AcceptsAddress,
  checkHost,
  guardedAgent,
  isPrivateAddress,
  REDIRECTS,
  type Resolve,
} from '../../src/platform/outbound.js';

/**
 * The maximum number of consecutive attempts to download a feed without receiving new data. The pause between
 * them starts at one second and doubles.
 */
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 1_000;
/** The time in milliseconds for which no data may arrive before a feed is requested again. */
const SILENCE_MS = 60_000;
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
  position: number;
  /** The ETag or modification time of the remote file, which shows whether it changed during the download. */
  validator: string | null;
}

export interface FetchOptions {
  /** Decides whether a connection to a network address is permitted. It is also called for redirects. */
  accepts: AcceptsAddress;
  firstWaitMs?: number;
  resolve?: Resolve;
  /** Called with the headers of each response that contains the feed, or a part of it. */
  onHeaders?: (headers: Headers) => void;
}

/** The `Last-Modified` of a response; null if it is missing, unreadable or in the future. */
export function lastModifiedOf(headers: Headers, now: Date): Date | null {
  const ms = Date.parse(headers.get('last-modified') ?? '');
  return Number.isNaN(ms) || ms > now.getTime() ? null : new Date(ms);
}

/**
 * Fetches a feed from accepted addresses only. An interrupted download is resumed if the server supports it.
 */
export async function* fetchFeed(
  address: string,
  signal: AbortSignal,
  { accepts, firstWaitMs = FIRST_WAIT_MS, resolve, onHeaders }: FetchOptions,
): AsyncGenerator<Buffer> {
  const agent = guardedAgent({ accepts, resolve, connectTimeoutMs: SILENCE_MS });
  const source = { address, agent, accepts, onHeaders };
  const download: Download = { position: 0, validator: null };
  try {
    for (let failures = 0; ; failures += 1) {
      const before = download.position;
      try {
        yield* attempt(source, download, signal);
        return;
      } catch (error) {
        if (signal.aborted || error instanceof FeedError) throw error;
        if (isPrivateAddress(error))
          throw new FeedError(
            `${publicUrl(address)} cannot be fetched: it is, or leads to, an address that is not public. --allow-private allows that.`,
          );
        if (download.position > before) failures = 0;
        if (failures + 1 >= ATTEMPTS)
          throw new FeedError(`${publicUrl(address)} cannot be fetched: ${messageOf(error)}`);
        await sleep(firstWaitMs * 2 ** failures, undefined, { signal });
      }
    }
  } finally {
    await agent.destroy();
  }
}

interface RemoteSource {
  address: string;
  agent: Agent;
  accepts: AcceptsAddress;
  onHeaders: FetchOptions['onHeaders'];
}

async function* attempt(
  source: RemoteSource,
  download: Download,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('the server sends no data')), SILENCE_MS);
  try {
    const response = await request(source, download, AbortSignal.any([signal, silence.signal]));
    // A server without range requests sends the whole file again, so the received bytes are skipped.
    let skip = response.status === 206 ? 0 : download.position;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      timer.refresh();
      const fresh = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - fresh.length;
      download.position += fresh.length;
      if (fresh.length > 0) yield Buffer.from(fresh);
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function request(source: RemoteSource, download: Download, signal: AbortSignal): Promise<Response> {
  const { address } = source;
  const { position, validator } = download;
  const response = await follow(source, signal, {
    // A byte range of a compressed response would not continue the earlier download.
    'accept-encoding': 'identity',
    ...(position === 0 ? {} : { range: `bytes=${position}-` }),
    ...(position === 0 || validator === null ? {} : { 'if-range': validator }),
  });
  const { status } = response;
  if (status === 429 || status >= 500) throw new Error(`the server responds with status ${status}`);
  if (status !== 200 && status !== 206)
    throw new FeedError(
      `${publicUrl(address)} cannot be fetched: the server responds with status ${status}.`,
    );
  const etag = response.headers.get('etag');
  const now = etag?.startsWith('W/') === false ? etag : response.headers.get('last-modified');
  if (position > 0 && now !== validator)
    throw new FeedError(`${publicUrl(address)} changed while it was fetched.`);
  download.validator = now;
  source.onHeaders?.(response.headers);
  return response;
}

/** Requests a feed, and returns the first response that is not a redirect. */
async function follow(
  { address, agent, accepts }: RemoteSource,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<Response> {
  const first = new URL(address);
  const login = `${decodeURIComponent(first.username)}:${decodeURIComponent(first.password)}`;
  const authorization =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    // The user and password in the address of a redirect are removed before the next request.
    url.username = url.password = '';
    checkHost(url, accepts);
    const response = await fetch(url, {
      signal,
      dispatcher: agent,
      redirect: 'manual',
      headers: { ...headers, ...(url.origin === first.origin ? authorization : {}) },
    });
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (!URL.canParse(location, url.href) || !isRemote(new URL(location, url).href))
      throw new FeedError(
        `${publicUrl(address)} cannot be fetched: it redirects to an address that is not http or https.`,
      );
    url = new URL(location, url);
  }
  throw new FeedError(
    `${publicUrl(address)} cannot be fetched: it redirects more than ${MAX_REDIRECTS} times.`,
  );
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
