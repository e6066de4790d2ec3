import type { Caller, Context, UploadResult } from './context.js';
import { sourcesOfOneOwner, writableSources } from '../platform/access/key.js';
import { notAWriter } from '../platform/errors.js';
import { idempotently } from './idempotent.js';

export const UPLOAD_PATH = '/v1/listings';

/** If the answer as JSON is larger than this, a repeated request is answered only with the rejected records. */
const MAX_REPLAYED_BYTES = 64 * 1024;
const MAX_REJECTED = 1_000;

interface Loaded {
  records: number;
  rejected: number;
  results: UploadResult[];
  results_truncated?: boolean;
}

/**
 * Loads the listings in a body, within the daily quotas of the key. With an `Idempotency-Key`, a repeated request loads nothing.
 * @throws ApiError 400, 403, 415, 422, 429 or 503; nothing was loaded, except that a 503 may come after some records.
 */
export async function writeListings(
  context: Context,
  { max_cleared }: { max_cleared?: string },
  caller: Caller,
) {
  const { uploadListings, writer, access, now } = context;
  const { key, upload } = caller;
  if (key === null || upload === null) throw notAWriter();
  const sources = writableSources(key);
  const load = async () => {
    const results = await uploadListings(writer, upload, {
      mayWrite: (source) => sources.has(source),
      together: sourcesOfOneOwner(key),
      chargeQuotas: (counts) =>
        access.quotas.charge(key, { sources: counts, bytes: upload.length, now: now() }),
      maxCleared: max_cleared === undefined ? undefined : Number(max_cleared),
    });
    const body: Loaded = { records: results.length, rejected: rejectedOf(results).length, results };
    return { body };
  };
  return idempotently(context, caller, { path: UPLOAD_PATH, content: upload }, load, toReplay);
}

const rejectedOf = (results: readonly UploadResult[]) =>
  results.filter(({ outcome }) => outcome === 'rejected');

/** The answer to a repeated request. It lacks the records that were loaded if all of them would make it too long. */
function toReplay(answer: { body: Loaded }): { body: Loaded } {
  const { records, rejected, results } = answer.body;
  if (Buffer.byteLength(JSON.stringify(answer.body)) <= MAX_REPLAYED_BYTES) return answer;
  const shown = rejectedOf(results).slice(0, MAX_REJECTED);
  return { body: { records, rejected, results: shown, results_truncated: true } };
}
