import { assert } from 'chai';

/** The time after which an attack counts as unanswered, even on a busy machine. */
const ANSWERED_WITHIN_MS = 60_000;

/**
 * The maximum size of a response to an attack in characters, because a refusal should not be much longer than
 * the request.
 */
const MAX_REFUSAL = 20_000;

/** A response to an attack, however it was read. */
interface Shown {
  status: number;
  body?: unknown;
  text?: string;
}

/**
 * Asserts that a response has the form of an error: JSON with only `detail`, which reveals nothing internal.
 */
export function assertRefusal(
  { status, body, text = JSON.stringify(body) ?? '' }: Shown,
  what: string,
): void {
  assert.isTrue(status >= 400 && status < 500, `${what}: ${status} ${text.slice(0, 200)}`);
  assert.isObject(body, `${what}: ${status} is not JSON`);
  assert.hasAllKeys(body, ['detail'], what);
  const { detail } = body as { detail: unknown };
  if (status !== 422) assert.isString(detail, what);
  else for (const finding of detail as unknown[]) assert.hasAllKeys(finding, ['loc', 'msg', 'type'], what);
  assert.isBelow(text.length, MAX_REFUSAL, what);
  assert.notMatch(text, /\bat .+:\d+:\d+|exception|elastic|redis|node_modules/i, what);
}

/**
 * Sends a request, and returns the response. @throws Error with the name of the attack if there is no
 * response in time.
 */
export async function inTime(what: string, ask: (signal: AbortSignal) => Promise<Response>) {
  const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
  try {
    const response = await ask(signal);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body };
  } catch (error) {
    throw new Error(`${what}: no answer in time`, { cause: error });
  }
}
