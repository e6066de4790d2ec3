import { assert } from 'chai';

/** After this time an attack counts as unanswered, however busy the machine is. */
const ANSWERED_WITHIN_MS = 60_000;

/** No refusal is much longer than what it refuses. */
const MAX_REFUSAL = 20_000;

/** What an answer shows, however it was come by. */
interface Shown {
  status: number;
  body?: unknown;
  text?: string;
}

/** Asserts the contract's form of a refusal: JSON with `detail` and nothing else, and nothing of the inside. */
export function assertRefusal(
  { status, body, text = JSON.stringify(body) ?? '' }: Shown,
  what: string,
): void {
  assert.isTrue(status >= 400 && status < 500, `${what}: ${status} ${text.slice(0, 200)}`);
  assert.isObject(body, `${what}: ${status} is no JSON`);
  assert.hasAllKeys(body, ['detail'], what);
  const { detail } = body as { detail: unknown };
  if (status !== 422) assert.isString(detail, what);
  else for (const finding of detail as unknown[]) assert.hasAllKeys(finding, ['loc', 'msg', 'type'], what);
  assert.isBelow(text.length, MAX_REFUSAL, what);
  assert.notMatch(text, /\bat .+:\d+:\d+|exception|elastic|redis|node_modules/i, what);
}

/** Asks for an answer in time. @throws when there is none, naming the attack. */
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
