import type { Reasons } from '../../listing/judgement.js';

/** How many listings each source has of each brand with one GTIN. */
export interface GtinBrands {
  gtin: string;
  /** By brand, then by source. */
  brands: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * Flags a listing whose GTIN other brands have too. Each source has one vote, for the brand of most of its listings with
 * the GTIN; listings of the brand with more votes than any other are not flagged.
 * @param brand folded.
 */
export function conflictReason({ gtin, brands }: GtinBrands, brand: string | null): Reasons {
  if (brand === null || brands.size < 2) return {};
  const votes = votesByBrand(brands);
  const own = votes.get(brand) ?? 0;
  const [other = '', most = 0] =
    [...votes].filter(([name]) => name !== brand).sort(([, a], [, b]) => b - a)[0] ?? [];
  if (own > most) return {};
  const listings = [...(brands.get(other)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const those = listings === 1 ? '1 listing' : `${listings} listings`;
  return {
    gtin_conflict: `GTIN ${gtin} is of ${JSON.stringify(other)} in ${those}, and of ${JSON.stringify(brand)} here`,
  };
}

/** A source with as many listings of several brands votes for each of them. */
function votesByBrand(brands: GtinBrands['brands']): Map<string, number> {
  const most = new Map<string, number>();
  for (const counts of brands.values())
    for (const [source, count] of counts) most.set(source, Math.max(count, most.get(source) ?? 0));
  return new Map(
    [...brands].map(([brand, counts]) => [
      brand,
      [...counts].filter(([source, count]) => count === most.get(source)).length,
    ]),
  );
}
