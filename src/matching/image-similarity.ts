import type { StoredListing } from '../listing/listing.js';

/** What a similarity rests on, or why there is none. */
export const SIMILARITY_REASONS = [
  'identical image',
  'perceptual hash',
  'no image',
  'image not hashed yet',
  'image unavailable',
] as const;

type SimilarityReason = (typeof SIMILARITY_REASONS)[number];

/** Every pair in the order of the listings. Rests on what is stored alone: nothing is fetched here. */
export function imageSimilarities(listings: readonly StoredListing[]) {
  return listings.flatMap((a, i) =>
    listings
      .slice(i + 1)
      .map((b) => ({ product_ids: [a.id, b.id] as [number, number], ...similarityOf(a, b) })),
  );
}

/** 0 to 1; null where at least one of the images is not known. */
function similarityOf(
  a: StoredListing,
  b: StoredListing,
): { similarity: number | null; reason: SimilarityReason } {
  if (a.image_url === null || b.image_url === null) return { similarity: null, reason: 'no image' };
  const seen = [a, b].map(({ image_url, internal: { image } }) => (image?.url === image_url ? image : null));
  if (seen.some((image) => image !== null && image?.hash === null)) {
    return { similarity: null, reason: 'image unavailable' };
  }
  if (a.image_url === b.image_url) return { similarity: 1, reason: 'identical image' };
  const [hashA, hashB] = seen.map((image) => image?.hash);
  if (!hashA || !hashB) return { similarity: null, reason: 'image not hashed yet' };
  return { similarity: hashSimilarity(hashA, hashB), reason: 'perceptual hash' };
}

const HASH_BITS = 64;

/**
 * Similarity of two perceptual hashes, 0 to 1, three decimals. The share of signs in which two vectors differ
 * estimates the angle between them; the similarity is that angle's cosine. Pictures that were re-encoded or scaled
 * differ in a few bits of 64 (9 give 0.904), unrelated ones in about half of them, which gives little or nothing.
 * @param a 16 hexadecimal digits, as `perceptualHash` gives them; so is b.
 */
export function hashSimilarity(a: string, b: string): number {
  let differing = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let bits = 0;
  for (; differing > 0n; differing &= differing - 1n) bits += 1;
  const cosine = Math.cos((Math.PI * bits) / HASH_BITS);
  return Math.round(Math.max(0, cosine) * 1000) / 1000;
}
