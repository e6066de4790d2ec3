import { foldValue } from '../../text/fold.js';

/** What of a listing is corrected by. */
interface Written {
  _source?: { name?: string | null; brand?: string | null; category?: string | null } | undefined;
}

const WORD = /[\p{L}\p{M}]+/gu;

/**
 * A corrected text as it is shown: the engine knows words by their stems (`watche`), listings have them as people write
 * them (`watches`).
 * @param typed the text before; its words stay.
 * @param hits listings that were found by the corrected text; of a word that none of them has, the stem is shown.
 */
export function asWritten(corrected: string, typed: string, hits: readonly Written[]): string {
  const kept = new Set(typed.match(WORD));
  const written = [
    ...new Set(hits.flatMap(({ _source: source }) => (source === undefined ? [] : wordsOf(source)))),
  ];
  return corrected.replace(WORD, (stem) =>
    kept.has(stem) || written.includes(stem) ? stem : (written.find((word) => stemOf(word) === stem) ?? stem),
  );
}

const wordsOf = ({ name, brand, category }: NonNullable<Written['_source']>): string[] =>
  foldValue([name, brand, category].join(' ')).match(WORD) ?? [];

/** As the analyzer `spelling` has it (Lucene's `minimal_english`). */
function stemOf(word: string): string {
  if (/[^ae]ies$/.test(word)) return word.replace(/ies$/, 'y');
  return /(?:[us]s|[aeio]es)$/.test(word) ? word : word.replace(/s$/, '');
}
