/** Divides a list into chunks of a size, in order; the last chunk may be shorter. */
export const chunksOf = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, nth) =>
    values.slice(nth * size, (nth + 1) * size),
  );
