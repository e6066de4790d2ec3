/** A shorter word has too many neighbours for one of them to be meant. */
export const MIN_CORRECTED_LENGTH = 4;
/** Of so many letters a word that sounds the same may have been meant, of so many also one that differs in two. */
const SOUNDED = 5;
const SOUNDED_TWICE = 6;
const BEGINNING = 2;
/** From so many letters on, the letters that are right tell the word. */
const LONG = 8;
/** The same where two letters are wrong. */
const VERY_LONG = 12;

/** How English spells one sound in several ways, those of several letters first. */
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
  // It is heard where a word begins, and changes what is before it.
  [/(?<=[^cst])h/g, ''],
  [/(.)\1/g, '$1'],
  [/(?<=[^aeiouy])e$/, ''],
  // Vowels are heard where a word begins and ends.
  [/(?<=.)[aeiouy](?=.)/g, ''],
  [/^[aeiouy]|[aeiouy]$/g, 'a'],
];

/** What is left of a word when it is spelled as it sounds, without vowels within: the same of "headfones" and "headphones". */
const soundOf = (word: string): string =>
  SOUNDS.reduce((text, [spelled, heard]) => text.replace(spelled, heard), word);

/** Whether the one is but a form of the other, which a search takes for the same: what is left of "watches", and "squared". */
export const isForm = (typed: string, word: string): boolean =>
  (typed === `${word}e` && /(?:[sxz]|[cst]h)$/.test(word)) || (typed === `${word}d` && word.endsWith('e'));

/** Whether a word may have been written for one that sounds the same; with two edits that leave its beginning as it is. */
export const isHeard = (typed: string, meant: string): boolean =>
  (isOneEdit(typed, meant)
    ? typed.length >= SOUNDED
    : typed.length >= SOUNDED_TWICE && sameLetters(typed, meant) >= BEGINNING) &&
  soundOf(typed) === soundOf(meant);

/**
 * Whether a word may be a typo of a known one that is an edit or two away. Other words are as near to each other:
 * "pampers" to paper, "tyre" to type, "padding" to pudding, "headphone" to handphone. A short word with a wrong or a
 * superfluous consonant, or with a wrong first letter, is therefore taken for another word; and so is a long one with
 * two wrong letters, unless both begin alike and sound alike.
 */
export function isSlip(typed: string, meant: string): boolean {
  if (typed.length < MIN_CORRECTED_LENGTH) return false;
  if (isSwapped(typed, meant) || isHeard(typed, meant)) return true;
  const same = sameLetters(typed, meant);
  const isNear = isOneEdit(typed, meant);
  if (typed.length >= LONG)
    return (
      isNear || typed.length >= VERY_LONG || (same >= BEGINNING && isOneEdit(soundOf(typed), soundOf(meant)))
    );
  if (!isNear) return false;
  if (typed.length > meant.length) return /[aeiou]/.test(typed[same] ?? '') || isAtEnd(typed, same);
  const isWrong = typed.length === meant.length;
  return !isWrong || (typed.length > MIN_CORRECTED_LENGTH && same > 0);
}

const KEYS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/** Keys of a row that are next to each other, and those below. */
const isNextKey = (a: string, b: string): boolean =>
  KEYS.some((row, at) => {
    const place = row.indexOf(a);
    if (place < 0) return false;
    const below = (KEYS[at + 1] ?? '').slice(Math.max(0, place - 1), place + 1);
    return row[place - 1] === b || row[place + 1] === b || below.includes(b);
  });

/** Whether nothing but the first letter is wrong, by a key that is next to the right one: "fishes" for dishes. */
export const hasWrongStart = (typed: string, meant: string): boolean =>
  typed.length > MIN_CORRECTED_LENGTH &&
  typed.slice(1) === meant.slice(1) &&
  (isNextKey(typed.charAt(0), meant.charAt(0)) || isNextKey(meant.charAt(0), typed.charAt(0)));

/** The same for a text that names a product: it begins with the same letter, and has letters swapped or doubled, or is long. */
export const isSlipOfName = (typed: string, meant: string): boolean =>
  typed.length >= MIN_CORRECTED_LENGTH &&
  typed.charAt(0) === meant.charAt(0) &&
  (isSwapped(typed, meant) ||
    singled(typed) === singled(meant) ||
    (typed.length >= LONG && isOneEdit(typed, meant)));

/** Whether the letter is the last, or the one before it again. */
const isAtEnd = (typed: string, at: number): boolean =>
  at === typed.length - 1 || (at > 0 && typed[at] === typed[at - 1]);

/** With how many letters both begin. */
function sameLetters(a: string, b: string): number {
  const other = [...a].findIndex((letter, at) => letter !== b[at]);
  return other < 0 ? a.length : other;
}

/** Whether one letter is wrong, missing or too many. */
function isOneEdit(a: string, b: string): boolean {
  const same = sameLetters(a, b);
  const [left, right] = [a.slice(same), b.slice(same)];
  return [left, left.slice(1)].includes(right.slice(1)) || left.slice(1) === right;
}

/** Whether both are of the same letters. */
const isSwapped = (a: string, b: string): boolean => sorted(a) === sorted(b);
const sorted = (word: string): string => [...word].sort().join('');

/** Without the second of two equal letters. */
const singled = (text: string): string => text.replace(/(.)\1/g, '$1');
