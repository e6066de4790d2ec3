/**
 * A load that was stopped, or a step of it that was left out, before it did harm. The message says what would have
 * happened, and how to go on anyway.
 */
export class GuardError extends Error {
  override name = 'GuardError';
}

/** `3.1 %`, for people; never rounded down to nothing. */
export function formatShare(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return percent > 0 && percent < 0.1 ? 'less than 0.1 %' : `${Number(percent.toFixed(1))} %`;
}

/** Whether a part is more than so many percent of the whole. */
export const isAbove = (part: number, whole: number, percent: number): boolean =>
  100 * part > percent * whole;
