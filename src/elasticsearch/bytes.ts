import type { Readable } from 'node:stream';
import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import { FRAME, type HitBytes, parsedHits, readHits } from '../results/passthrough.js';
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
  const { status, bytes } = await bytesOf(es.search(request, { ...options, asStream: true, meta: true }));
  if (status === 200) return readHits(bytes, expected);
  // The plain way goes to another node, or throws what is the matter.
  return parsedHits(await es.search<Product>(request, options));
}

/** An answer as it comes; status 0: it broke off. */
export async function bytesOf(asked: Promise<unknown>): Promise<{ status: number; bytes: Buffer }> {
  // With these options the client gives the body as a stream, which its types do not say.
  const { statusCode, body } = (await asked) as { statusCode: number; body: Readable };
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer);
  } catch {
    return { status: 0, bytes: Buffer.alloc(0) };
  }
  const [first = Buffer.alloc(0)] = chunks;
  return { status: statusCode, bytes: chunks.length > 1 ? Buffer.concat(chunks) : first };
}
