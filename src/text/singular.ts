/** The singular of an English word, derived from its ending only. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ches|shes|xes|sses)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Removes a final "es" or "s": "cables" becomes "cabl". Stored suggestions contain such words and depend on this function. */
export const withoutPluralEnding = (word: string): string => word.replace(/(?<=[^s])(?:es|s)$/u, '');
