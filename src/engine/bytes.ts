import type { Readable } from 'node:stream';
import {
  type Client,
  type DiagnosticResult,
  errors,
  type estypes,
  type TransportRequestOptions,
} from '@elastic/elasticsearch';
import { FRAME, type HitBytes, parsedHits, readHits } from './passthrough.js';
import type { Product } from '../schemas/product.js';

/**
 * Searches, and takes the hits apart without reading them.
 * @param expected how many hits there must be, from the total: what tells a frame from a listing that imitates one.
 * @throws the client's errors, as a parsed search does.
 */
export async function searchBytes(
  es: Client,
  search: estypes.SearchRequest,
  expected: (total: number) => number,
  options: TransportRequestOptions = {},
): Promise<HitBytes> {
  const request = { ...search, filter_path: FRAME };
  const bytes = await bytesOf(es.search(request, { ...options, asStream: true, meta: true }));
  return bytes === null
    ? parsedHits(await es.search<Product>(request, options))
    : readHits(bytes, expected, search.aggs !== undefined);
}

/** With these a gateway, or one node of several, says that it does not reach what would answer. */
const ELSEWHERE = new Set([502, 503, 504]);

/**
 * The body of a good answer.
 * @returns null: it broke off, or another node may answer. The plain way then is to ask again, which is the client's.
 * @throws ResponseError for any other, as the plain way does: an engine that has too much to do is asked once.
 */
export async function bytesOf(asked: Promise<unknown>): Promise<Buffer | null> {
  // With these options the client gives the body as a stream, which its types do not say.
  const answer = (await asked) as Omit<DiagnosticResult, 'body'> & { body: Readable };
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer.body) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
  const { statusCode = 0 } = answer;
  if (ELSEWHERE.has(statusCode)) return null;
  if (statusCode !== 200) throw new errors.ResponseError({ ...answer, body: parsedOrText(bytes) });
  return bytes;
}

function parsedOrText(bytes: Buffer): unknown {
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
