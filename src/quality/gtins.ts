import type { Reasons } from '../listing/judgement.js';

/** How many listings of each brand have one GTIN. */
export interface GtinBrands {
  gtin: string;
  brands: ReadonlyMap<string, number>;
}

/**
 * What a GTIN that several brands have says of a listing of one of them: nothing of the brand that most have it with.
 * @param brand folded.
 */
export function conflictReason({ gtin, brands }: GtinBrands, brand: string | null): Reasons {
  if (brand === null || brands.size < 2) return {};
  const own = brands.get(brand) ?? 0;
  const [other = '', listings = 0] =
    [...brands].filter(([name]) => name !== brand).sort(([, a], [, b]) => b - a)[0] ?? [];
  if (own > listings) return {};
  const those = listings === 1 ? '1 listing' : `${listings} listings`;
  return {
    gtin_conflict: `GTIN ${gtin} is of ${JSON.stringify(other)} in ${those}, and of ${JSON.stringify(brand)} here`,
  };
}
