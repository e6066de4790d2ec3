import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch, type Agent, type Response } from 'undici';
import { FeedError } from '../../src/feeds/read/feed.js';
import {
  type Accepts,
  checkHost,
  guardedAgent,
  isPrivateAddress,
  REDIRECTS,
  type Resolve,
} from '../../src/platform/outbound/guarded-agent.js';

/** So often in a row without a byte; waits double from a second on. */
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 1_000;
/** A server that is silent for so long is asked again. */
const SILENCE_MS = 60_000;
const MAX_REDIRECTS = 5;

export const isRemote = (name: string): boolean => /^https?:\/\//i.test(name);

/** An address without what may be secret in it: user, password, and the query that signs it. */
export function shownAddress(name: string): string {
  const { origin, pathname } = new URL(name);
  return origin + pathname;
}

export const remoteFile = (name: string): string =>
  path.basename(decodeURIComponent(new URL(name).pathname)) || 'feed';

/** What tells that a file is still the one that was begun. */
interface Begun {
  position: number;
  validator: string | null;
}

export interface FetchOptions {
  /** The addresses from which the feed, and whatever it redirects to, may be fetched. */
  accepts: Accepts;
  firstWaitMs?: number;
  resolve?: Resolve;
}

/**
 * Fetches a feed over http or https, from accepted addresses alone, through at most five redirects. A user and password in
 * the address are sent to its own origin alone. A download that breaks off is resumed if the server supports it.
 * @throws FeedError where the feed cannot be fetched, or became another file meanwhile.
 */
export async function* fetchFeed(
  address: string,
  signal: AbortSignal,
  { accepts, firstWaitMs = FIRST_WAIT_MS, resolve }: FetchOptions,
): AsyncGenerator<Buffer> {
  const agent = guardedAgent({ accepts, resolve, connectTimeoutMs: SILENCE_MS });
  const source = { address, agent, accepts };
  const begun: Begun = { position: 0, validator: null };
  try {
    for (let failures = 0; ; failures += 1) {
      const before = begun.position;
      try {
        yield* attempt(source, begun, signal);
        return;
      } catch (error) {
        if (signal.aborted || error instanceof FeedError) throw error;
        if (isPrivateAddress(error))
          throw new FeedError(
            `${shownAddress(address)} cannot be fetched: it is, or leads to, an address that is not public. --allow-private allows that.`,
          );
        if (begun.position > before) failures = 0;
        if (failures + 1 >= ATTEMPTS)
          throw new FeedError(`${shownAddress(address)} cannot be fetched: ${messageOf(error)}`);
        await sleep(firstWaitMs * 2 ** failures, undefined, { signal });
      }
    }
  } finally {
    await agent.destroy();
  }
}

interface Source {
  address: string;
  agent: Agent;
  accepts: Accepts;
}

async function* attempt(source: Source, begun: Begun, signal: AbortSignal): AsyncGenerator<Buffer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('the server is silent')), SILENCE_MS);
  try {
    const response = await ask(source, begun, AbortSignal.any([signal, silence.signal]));
    // A server that knows no ranges sends it all again.
    let skip = response.status === 206 ? 0 : begun.position;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      timer.refresh();
      const fresh = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - fresh.length;
      begun.position += fresh.length;
      if (fresh.length > 0) yield Buffer.from(fresh);
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function ask(source: Source, begun: Begun, signal: AbortSignal): Promise<Response> {
  const { address } = source;
  const { position, validator } = begun;
  const response = await follow(source, signal, {
    // A range of a compressed answer would be one of other bytes.
    'accept-encoding': 'identity',
    ...(position === 0 ? {} : { range: `bytes=${position}-` }),
    ...(position === 0 || validator === null ? {} : { 'if-range': validator }),
  });
  const { status } = response;
  if (status === 429 || status >= 500) throw new Error(`it answers ${status}`);
  if (status !== 200 && status !== 206)
    throw new FeedError(`${shownAddress(address)} cannot be fetched: it answers ${status}.`);
  const etag = response.headers.get('etag');
  const now = etag?.startsWith('W/') === false ? etag : response.headers.get('last-modified');
  if (position > 0 && now !== validator)
    throw new FeedError(`${shownAddress(address)} became another file while it was fetched.`);
  begun.validator = now;
  return response;
}

/** The first answer that is no redirect. @throws FeedError */
async function follow(
  { address, agent, accepts }: Source,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<Response> {
  const first = new URL(address);
  const login = `${decodeURIComponent(first.username)}:${decodeURIComponent(first.password)}`;
  const authorization =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    // A redirect may name a user and password as well.
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
        `${shownAddress(address)} cannot be fetched: it redirects to what is no http address.`,
      );
    url = new URL(location, url);
  }
  throw new FeedError(
    `${shownAddress(address)} cannot be fetched: it redirects more than ${MAX_REDIRECTS} times.`,
  );
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
