import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FeedError } from '../../src/feed/feed.js';

/** So often in a row without a byte; waits double from a second on. */
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 1_000;
/** A server that is silent for so long is asked again. */
const SILENCE_MS = 60_000;

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

/**
 * Fetches a feed over http or https. A connection that breaks is taken up again where it broke, if the server can.
 * @throws FeedError where there is nothing to be had, or another file by now.
 */
export async function* fetchFeed(
  address: string,
  signal: AbortSignal,
  firstWaitMs = FIRST_WAIT_MS,
): AsyncGenerator<Buffer> {
  const begun: Begun = { position: 0, validator: null };
  for (let failures = 0; ; failures += 1) {
    const before = begun.position;
    try {
      yield* attempt(address, begun, signal);
      return;
    } catch (error) {
      if (signal.aborted || error instanceof FeedError) throw error;
      if (begun.position > before) failures = 0;
      if (failures + 1 >= ATTEMPTS)
        throw new FeedError(`${shownAddress(address)} cannot be fetched: ${messageOf(error)}`);
      await sleep(firstWaitMs * 2 ** failures, undefined, { signal });
    }
  }
}

async function* attempt(address: string, begun: Begun, signal: AbortSignal): AsyncGenerator<Buffer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('the server is silent')), SILENCE_MS);
  try {
    const response = await ask(address, begun, AbortSignal.any([signal, silence.signal]));
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

async function ask(address: string, begun: Begun, signal: AbortSignal): Promise<Response> {
  const url = new URL(address);
  const { username, password } = url;
  url.username = url.password = '';
  const { position, validator } = begun;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const response = await fetch(url, {
    signal,
    headers: {
      // Packed on the way, a range would be one of something else.
      'accept-encoding': 'identity',
      ...(username === '' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
      ...(position === 0 ? {} : { range: `bytes=${position}-` }),
      ...(position === 0 || validator === null ? {} : { 'if-range': validator }),
    },
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

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
