import { useEffect, useState } from 'preact/hooks';
import { currentKey, settings } from './settings.js';

const whenKeyIsNeeded = new Set<() => void>();
/** Whether a key was needed before any function was called for it: the first search is answered while the explorer starts. */
let isKeyNeeded = false;

/** Calls a function when the API has refused a request because of its key. */
export function onKeyNeeded(listener: () => void): () => void {
  whenKeyIsNeeded.add(listener);
  if (isKeyNeeded) listener();
  isKeyNeeded = false;
  return () => whenKeyIsNeeded.delete(listener);
}

export function askForKey(): void {
  isKeyNeeded = whenKeyIsNeeded.size === 0;
  for (const listener of whenKeyIsNeeded) listener();
}

/**
 * The address of a picture or a link of this service without its origin, because the page may have been opened under another name
 * than the public URL; null for one of another host, because shops must not learn who looks at their listings.
 */
export function ownAddress(url: string | null | undefined): string | null {
  const parsed = parseUrl(url);
  if (parsed === null) return null;
  const own = [location.origin, parseUrl(settings.public_url)?.origin];
  return own.includes(parsed.origin) ? parsed.pathname + parsed.search : null;
}

/** An address that a link may lead to: only those of the web, because feeds may contain any text. */
export function webAddress(url: string | null | undefined): string | null {
  const own = ownAddress(url);
  if (own !== null) return own;
  const parsed = parseUrl(url);
  return parsed !== null && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : null;
}

function parseUrl(url: string | null | undefined): URL | null {
  try {
    return url ? new URL(url) : null;
  } catch {
    return null;
  }
}

/** A request to the API: the path with its parameters, and the body of a POST. */
export interface ApiCall {
  path: string;
  /** By default GET, or POST with a body. */
  method?: 'DELETE';
  body?: unknown;
  /** Whether the browser finishes the request if the page is left meanwhile. */
  keepalive?: true;
}

/** The API has refused a request, or cannot be reached; then the status is 0. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The requests of the view that is shown, the latest of each endpoint, and what is called when they change. */
const sent = new Map<string, ApiCall>();
const whenSent = new Set<() => void>();

/** Notes a request of the view that is shown. */
export function noteRequest(call: ApiCall): void {
  const [endpoint = '', query = ''] = call.path.split('?');
  const key = `${call.method ?? ''} ${endpoint} ${call.body === undefined ? '' : 'POST'} ${query.includes('explain=true')}`;
  sent.delete(key);
  sent.set(key, call);
  for (const listener of whenSent) listener();
}

/** Forgets the requests, because another view is shown. */
export const forgetRequests = (): void => sent.clear();

/** The requests of the view that is shown. */
export function useRequests(): ApiCall[] {
  const [requests, setRequests] = useState<ApiCall[]>([]);
  useEffect(() => {
    const changed = () => setRequests([...sent.values()]);
    whenSent.add(changed);
    changed();
    return () => void whenSent.delete(changed);
  }, []);
  return requests;
}

/** Sends a request. @returns the answer, or undefined if it has no body. @throws ApiFailure with a message for people. */
export async function callApi<T>(
  { path, method, body, keepalive }: ApiCall,
  signal?: AbortSignal,
): Promise<T> {
  const key = currentKey();
  noteRequest({ path, ...(method && { method }), ...(body !== undefined && { body }) });
  const request = fetch(path, {
    ...(signal && { signal }),
    ...(method && { method }),
    ...(keepalive && { keepalive }),
    headers: {
      Accept: 'application/json',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const response = await request.catch((error: Error) => {
    throw error.name === 'AbortError' ? error : new ApiFailure(0, messageOf(0, null));
  });
  if (response.status === 204) return undefined as T;
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401) askForKey();
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: unknown };
  throw new ApiFailure(response.status, messageOf(response.status, detail));
}

/** Whether the same request may succeed later. */
export const mayPass = (error: Error): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status === 429 || error.status >= 500);

/** How often a request is sent that may succeed later, and the pause in between in ms. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** Sends a request, whose effect is the same if it is sent twice, again if it failed for a reason that may pass. @throws ApiFailure */
export async function callRepeatedly<T>(call: ApiCall): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callApi<T>(call);
    } catch (error) {
      if (attempt === ATTEMPTS || !mayPass(error as Error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

export function messageOf(status: number, detail: unknown): string {
  if (status === 0) return navigator.onLine ? 'The catalogue cannot be reached.' : 'You are offline.';
  if (status === 401)
    return currentKey() === null
      ? 'This catalogue needs an API key.'
      : 'The catalogue does not accept this key.';
  if (status === 429) return 'Too many requests for this key. Wait a minute and try again.';
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail))
    return (detail as { loc?: unknown[]; msg?: string }[])
      .map(({ loc = [], msg = '' }) => `${loc.slice(1).join('.')}: ${msg}`)
      .join('; ');
  return `The catalogue answered with status ${status}.`;
}

/** The state of a request: its answer, or why there is none yet. */
export type Loaded<T> = { data: T; failure: null } | { data: null; failure: Error | null };

/** Sends a request when the view is shown, and again when the call changes. */
export function useApi<T>(call: ApiCall | null): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { for: string }>({ data: null, failure: null, for: '' });
  const id = call === null ? '' : JSON.stringify(call);
  useEffect(() => {
    if (call === null) return;
    const abort = new AbortController();
    callApi<T>(call, abort.signal).then(
      (data) => setState({ data, failure: null, for: id }),
      (failure: Error) => {
        if (!abort.signal.aborted) setState({ data: null, failure, for: id });
      },
    );
    return () => abort.abort();
  }, [id]);
  return state.for === id ? state : { data: null, failure: null };
}

/** A request as a command line. The key is left out, because people share what they copy. */
export function asCurl({ path, method, body }: ApiCall): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = ['curl', '-H "Authorization: Bearer $KEY"'];
  if (method !== undefined) parts.push(`-X ${method}`);
  if (body !== undefined) {
    parts.push(`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(JSON.stringify(body))}`);
  }
  return [...parts, quoted(`${location.origin}${path}`)].join(' ');
}
