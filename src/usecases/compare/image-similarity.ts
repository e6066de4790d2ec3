import type { StoredListing } from '../../listing/listing.js';
import { roundTo } from '../../text/statistics.js';

export const SIMILARITY_REASONS = [
  ...(['identical image', 'perceptual hash'] as const),
  ...(['no image', 'image not hashed yet', 'image unavailable'] as const),
] as const;

type SimilarityReason = (typeof SIMILARITY_REASONS)[number];

/** Returns the similarity of the images of every pair of listings, in their order, from stored hashes. */
export function imageSimilarities(listings: readonly StoredListing[]) {
  return listings.flatMap((a, i) =>
    listings
      .slice(i + 1)
      .map((b) => ({ product_ids: [a.id, b.id] as [number, number], ...similarityOf(a, b) })),
  );
}

function similarityOf(
  a: StoredListing,
  b: StoredListing,
): { similarity: number | null; reason: SimilarityReason } {
  if (a.image_url === null || b.image_url === null) return { similarity: null, reason: 'no image' };
  const hashed = [a, b].map(({ image_url, internal: { image } }) =>
    image?.url === image_url ? image : null,
  );
  if (hashed.some((image) => image !== null && image?.hash === null))
    return { similarity: null, reason: 'image unavailable' };
  if (a.image_url === b.image_url) return { similarity: 1, reason: 'identical image' };
  const [hashA, hashB] = hashed.map((image) => image?.hash);
  if (!hashA || !hashB) return { similarity: null, reason: 'image not hashed yet' };
  return { similarity: hashSimilarity(hashA, hashB), reason: 'perceptual hash' };
}

const HASH_BITS = 64;

/**
 * The similarity of two hashes from `perceptualHash`, 0 to 1. The bits of a hash are the signs of a vector. The share of bits
 * that differ estimates the angle between two vectors, whose cosine is returned. Hashes of re-encoded or scaled images differ in
 * a few of the 64 bits (9 bits give 0.904), those of unrelated images in about half of them, which gives about 0.
 */
export function hashSimilarity(a: string, b: string): number {
  let differing = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let bits = 0;
  for (; differing > 0n; differing &= differing - 1n) bits += 1;
  const cosine = Math.cos((Math.PI * bits) / HASH_BITS);
  return roundTo(3, Math.max(0, cosine));
}
