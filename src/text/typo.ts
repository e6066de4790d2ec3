/** The minimum length of a word that is corrected, because shorter words are similar to too many others. */
export const MIN_CORRECTED_LENGTH = 4;
/** The minimum length of a word that is corrected to one that sounds alike: if one edit away, and if two edits away. */
const MIN_SOUNDED_LENGTH = 5;
const MIN_SOUNDED_TWICE_LENGTH = 6;
/** The number of letters at the beginning that words which are two edits apart share if they sound alike. */
const SHARED_START = 2;
/** The minimum length of a word that is recognizable with one wrong letter, and of one that is with two. */
const LONG = 8;
const VERY_LONG = 12;

/** English spellings and their sounds. Applied in order, they turn a word into its phonetic key. */
const SOUNDS: readonly [RegExp, string][] = [
  [/^[kgp]n/, 'n'],
  [/^wr/, 'r'],
  [/ph/g, 'f'],
  [/gh/g, ''],
  [/dg(?=[eiy])/g, 'j'],
  [/tch/g, 'ch'],
  [/sch/g, 'sk'],
  [/c(?=[eiy])|z/g, 's'],
  [/ck|c(?!h)|q/g, 'k'],
  [/x/g, 'ks'],
  [/g(?=[eiy])/g, 'j'],
  // An "h" is only heard at the beginning, and after "c", "s" and "t", whose sound it changes.
  [/(?<=[^cst])h/g, ''],
  [/(.)\1/g, '$1'],
  [/(?<=[^aeiouy])e$/, ''],
  // Vowels are only significant at the beginning and the end.
  [/(?<=.)[aeiouy](?=.)/g, ''],
  [/^[aeiouy]|[aeiouy]$/g, 'a'],
];

/** The phonetic key of a word: "headfones" and "headphones" have the same one. */
const soundOf = (word: string): string =>
  SOUNDS.reduce((text, [spelling, sound]) => text.replace(spelling, sound), word);

/** Whether a typed word is only an inflection, which a search finds anyway: "watche" of "watch". */
export const isInflection = (typed: string, word: string): boolean =>
  (typed === `${word}e` && /(?:[sxz]|[cst]h)$/.test(word)) || (typed === `${word}d` && word.endsWith('e'));

/** Whether a typed word sounds like another. Words that are two edits apart must also begin alike. */
export const soundsLike = (typed: string, meant: string): boolean =>
  (isOneEdit(typed, meant)
    ? typed.length >= MIN_SOUNDED_LENGTH
    : typed.length >= MIN_SOUNDED_TWICE_LENGTH && commonPrefixLength(typed, meant) >= SHARED_START) &&
  soundOf(typed) === soundOf(meant);

/**
 * Whether a word may be a typo of a word that is one or two edits away. Different words are as close, such as "tyre" and type,
 * so a wrong first letter, a wrong or additional consonant in a short word, and two wrong letters make another word, unless
 * both begin alike and sound alike.
 */
export function isTypo(typed: string, meant: string): boolean {
  if (typed.length < MIN_CORRECTED_LENGTH) return false;
  if (hasSameLetters(typed, meant) || soundsLike(typed, meant)) return true;
  const common = commonPrefixLength(typed, meant);
  const isNear = isOneEdit(typed, meant);
  if (typed.length >= LONG)
    return (
      isNear ||
      typed.length >= VERY_LONG ||
      (common >= SHARED_START && isOneEdit(soundOf(typed), soundOf(meant)))
    );
  if (!isNear) return false;
  if (typed.length > meant.length)
    return /[aeiou]/.test(typed[common] ?? '') || isLastOrDoubled(typed, common);
  const isWrong = typed.length === meant.length;
  return !isWrong || (typed.length > MIN_CORRECTED_LENGTH && common > 0);
}

const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

const isBesideOrBelow = (key: string, other: string): boolean =>
  KEY_ROWS.some((row, at) => {
    const place = row.indexOf(key);
    if (place < 0) return false;
    const below = (KEY_ROWS[at + 1] ?? '').slice(Math.max(0, place - 1), place + 1);
    return row[place - 1] === other || row[place + 1] === other || below.includes(other);
  });

/** Whether only the first letter is wrong, by a neighbouring key: "fishes" for "dishes". */
export const hasWrongFirstLetter = (typed: string, meant: string): boolean =>
  typed.length > MIN_CORRECTED_LENGTH &&
  typed.slice(1) === meant.slice(1) &&
  (isBesideOrBelow(typed.charAt(0), meant.charAt(0)) || isBesideOrBelow(meant.charAt(0), typed.charAt(0)));

/** Whether a word of a name may be a typo: its letters are transposed or doubled, or it is long and has one wrong letter. */
export const isTypoInName = (typed: string, meant: string): boolean =>
  typed.length >= MIN_CORRECTED_LENGTH &&
  typed.charAt(0) === meant.charAt(0) &&
  (hasSameLetters(typed, meant) ||
    withoutDoubles(typed) === withoutDoubles(meant) ||
    (typed.length >= LONG && isOneEdit(typed, meant)));

const isLastOrDoubled = (typed: string, at: number): boolean =>
  at === typed.length - 1 || (at > 0 && typed[at] === typed[at - 1]);

function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Whether two words differ by one letter, or by two neighbouring letters that are swapped if `transposed`. */
export function isOneEdit(a: string, b: string, { transposed = false } = {}): boolean {
  const common = commonPrefixLength(a, b);
  const [left, right] = [a.slice(common), b.slice(common)];
  const [leftRest, rightRest] = [left.slice(1), right.slice(1)];
  if (leftRest === rightRest || left === rightRest || leftRest === right) return true;
  return transposed && left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0];
}

const hasSameLetters = (a: string, b: string): boolean => sortedLetters(a) === sortedLetters(b);
const sortedLetters = (word: string): string => [...word].sort().join('');

const withoutDoubles = (text: string): string => text.replace(/(.)\1/g, '$1');
