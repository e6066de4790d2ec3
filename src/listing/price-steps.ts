/** Units at which a step of prices begins: 1, 2 and 5 of each power of ten. */
export const PRICE_EDGES: readonly number[] = Array.from({ length: 17 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

/** The step that a price is in, by its place among them. @param units greater than 0. */
export const priceStep = (units: number): number => PRICE_EDGES.findLastIndex((edge) => edge <= units);
