import { mayHaveBeenStored } from '../engine/errors.js';
import type { Answer } from '../platform/answer.js';
import { ApiError, invalid, writeInterrupted } from '../platform/errors.js';
import type { Caller, Context } from './context.js';

const MAX_IDEMPOTENCY_KEY = 200;

/** A request that may be repeated with an `Idempotency-Key`. */
export interface Repeatable {
  path: string;
  /** The part of the request that must be the same. It contains no secret. */
  content: Buffer | string;
}

type StoredAnswer<Body> = Pick<Answer, 'status' | 'headers'> & { body: Body };

/**
 * Carries out a request, or answers it as before if it repeats an `Idempotency-Key` within 24 hours. A refused request has
 * changed nothing and is not stored. Call this after all checks of what the caller may do.
 * @param toReplay returns the answer to a repeated request, which is stored and so must be short and contain no secret.
 * @throws ApiError 409 while the same request is running, 422 for an invalid key or one of another body, and what `work` throws.
 */
export async function idempotently<Body, Replayed = Body>(
  { access }: Pick<Context, 'access'>,
  { key, idempotencyKey }: Pick<Caller, 'key' | 'idempotencyKey'>,
  repeatable: Repeatable,
  work: () => Promise<StoredAnswer<Body>>,
  toReplay: (answer: StoredAnswer<Body>) => StoredAnswer<Body | Replayed> = (answer) => answer,
): Promise<StoredAnswer<Body | Replayed>> {
  const carryOut = () => work().catch(withUncertainty);
  if (idempotencyKey === undefined) return withReplayed(await carryOut(), false);
  checkIdempotencyKey(idempotencyKey);
  // Without an API key, requests need the admin secret. All operators share it, and so count as one client.
  const request = { ...repeatable, owner: key?.id ?? 'operator', name: idempotencyKey };
  const once = await access.idempotency.once(request, carryOut, toReplay);
  return 'result' in once ? withReplayed(once.result, false) : withReplayed(once.stored, true);
}

/** @throws the given error, or if a dependency became unavailable, an error which says that the write may have been stored. */
function withUncertainty(error: unknown): never {
  const cause = error instanceof ApiError && error.status === 503 ? error.cause : error;
  throw mayHaveBeenStored(cause) ? writeInterrupted(cause) : error;
}

const withReplayed = <Body>(answer: StoredAnswer<Body>, isReplay: boolean): StoredAnswer<Body> => ({
  ...answer,
  headers: { ...answer.headers, 'Idempotency-Replayed': String(isReplay) },
});

/** Returns the answer to a repeated request that has created a secret, which is shown only once: 409 with the id. */
export const withoutSecret =
  <Id extends string>(secret: string, id: Id) =>
  <Body extends object>(
    answer: StoredAnswer<Body>,
  ): StoredAnswer<Body | ({ detail: string } & Partial<Record<Id, string>>)> => {
    if (!(secret in answer.body)) return answer;
    const created = String((answer.body as Record<string, unknown>)[id]);
    const detail = `This request has created ${created}; its ${secret} was shown only once`;
    const body = { detail, [id]: created } as Partial<Record<Id, string>> & { detail: string };
    return { ...answer, status: 409, body };
  };

function checkIdempotencyKey(name: string): void {
  const type =
    name === '' ? 'string_too_short' : name.length > MAX_IDEMPOTENCY_KEY ? 'string_too_long' : null;
  if (type === null) return;
  const msg = `The header Idempotency-Key should have 1 to ${MAX_IDEMPOTENCY_KEY} characters`;
  throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type }]);
}
