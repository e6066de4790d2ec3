import type { Caller, Context, UploadResult } from './context.js';
import { sourcesOfOneOwner, writableSources } from '../platform/access/key.js';
import { invalid, notAWriter } from '../platform/errors.js';

const MAX_IDEMPOTENCY_KEY = 200;

/**
 * Loads the listings in the body of a request, within the daily quotas of the key. With an `Idempotency-Key`, a repeated
 * request is answered from the stored counts and loads nothing.
 * @throws ApiError 400, 403, 415, 422, 429 or 503; nothing was loaded, except that a 503 may come after some records.
 */
export async function writeListings(
  context: Context,
  { max_cleared }: { max_cleared?: string },
  { key, upload, idempotencyKey }: Caller,
) {
  const { uploadListings, access, now } = context;
  if (key === null || upload === null) throw notAWriter();
  checkIdempotencyKey(idempotencyKey);
  const sources = writableSources(key);
  const load = () =>
    uploadListings(upload, {
      mayWrite: (source) => sources.has(source),
      together: sourcesOfOneOwner(key),
      chargeQuotas: (counts) =>
        access.quotas.charge(key, { sources: counts, bytes: upload.length, now: now() }),
      maxCleared: max_cleared === undefined ? undefined : Number(max_cleared),
    });

  if (idempotencyKey === undefined) {
    const results = await load();
    return { headers: replayed(false), body: { ...countsOf(results), results } };
  }
  let results: UploadResult[] | undefined;
  const request = { keyId: key.id, name: idempotencyKey, content: upload };
  // Redis stores the outcome of every request with an `Idempotency-Key`, so it must be short: a repeated
  // request gets only the counts of outcomes.
  const answer = await access.idempotency.once(request, async () => countsOf((results = await load())));
  return {
    headers: replayed(answer.replayed),
    body: { ...answer.outcome, ...(results === undefined ? {} : { results }) },
  };
}

function checkIdempotencyKey(name: string | undefined): void {
  if (name === undefined) return;
  const type =
    name === '' ? 'string_too_short' : name.length > MAX_IDEMPOTENCY_KEY ? 'string_too_long' : null;
  if (type === null) return;
  const msg = `The header Idempotency-Key should have 1 to ${MAX_IDEMPOTENCY_KEY} characters`;
  throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type }]);
}

const countsOf = (results: readonly UploadResult[]) => ({
  records: results.length,
  rejected: results.filter(({ outcome }) => outcome === 'rejected').length,
});

const replayed = (isReplay: boolean) => ({ 'Idempotency-Replayed': String(isReplay) });
