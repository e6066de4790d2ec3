/** Suffixes that the English stemmer removes from a word, and one that may be left at the end. */
const SUFFIX =
  'ed(?:ly)?|ing(?:ly)?|er|al|ic|[ai]ble|ate[ds]?|ating|ant|ent|[ae]nce|ment|ness|ful|ism|ity|ive|ous|ize[ds]?|izing|ion|ly';
const SUFFIXES = new RegExp(`^(?:${SUFFIX})*(?:e|e?s)?$`);
/** The longest part of a suffix that the first of two words can end with. */
const BORDER = 3;

/**
 * Whether the stemmer would take the second of two words for an ending of the first. "headphonered" has the stem of
 * "headphone", as "speakerring" has that of "speaker" and "galaxys" that of "galaxy": such a word finds listings that
 * lack the second word.
 */
function isEnding(first: string, second: string): boolean {
  if (!/^[a-z]+$/i.test(first)) return false;
  const [before, after] = [first.slice(-BORDER).toLowerCase(), second.toLowerCase()];
  // A consonant that is doubled before an ending goes with it.
  if (before.at(-1) === after.charAt(0) && /^.(?:ed|ings?)$/.test(after)) return true;
  return Array.from({ length: before.length + 1 }, (_, at) => before.slice(at) + after).some((end) =>
    SUFFIXES.test(end),
  );
}

/** Every two neighbours as one word. */
export const joinedPairs = (words: readonly string[]): string[] =>
  words.slice(1).flatMap((word, at) => {
    const before = words[at] ?? '';
    return isEnding(before, word) ? [] : [before + word];
  });

/**
 * The text once for each two neighbours that are written as one word, and for each three or four that together have a
 * digit and may be a model number.
 * @param around what is kept of the words before and after those that are joined.
 */
export function withJoined(
  words: readonly string[],
  around: (words: readonly string[]) => readonly string[] = (kept) => kept,
): string[] {
  const texts: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let end = start + 2; end <= Math.min(start + 4, words.length); end += 1) {
      const word = words.slice(start, end).join('');
      if (end - start > 2 ? !/\d/.test(word) : isEnding(words[start] ?? '', words[start + 1] ?? '')) continue;
      texts.push([...around(words.slice(0, start)), word, ...around(words.slice(end))].join(' '));
    }
  }
  return texts;
}
