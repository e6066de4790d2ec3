/**
 * Words of grammar in English, Malay and Indonesian. They say nothing about a product, so they do not count among the
 * words that a listing must have. Words that also name products or properties (`no` frost, `all` in one, trash `can`,
 * `am` radio, `ada` compliant) are not here.
 */

/** These begin the part of a text that says what the thing is for or comes with (`src/text/head.ts` reads them). */
const PREPOSITIONS = 'for with without by from in of untuk dengan utk';

const OTHERS =
  'a an the and or but not if than as to at on via per about into ' +
  'is are was were be been being has have had do does did could would should ' +
  "isn't aren't doesn't don't that which who whose what when where how why this these those there here it its it's " +
  'i me my we our you your they them their some any also very too so please ' +
  'dan atau tapi tetapi yang di ke dari daripada pada ini itu adalah ialah akan boleh bisa tidak bukan tak juga ' +
  'saya aku kami kita anda oleh sebagai buat tanpa';

const FILLERS: ReadonlySet<string> = new Set(OTHERS.split(' '));
const ALL: ReadonlySet<string> = new Set([...FILLERS, ...PREPOSITIONS.split(' ')]);

/**
 * Chinese particles between or after ideographs; `的士` and `目的` are words. `呢` and `吧` are not among them, because they are
 * parts of products as well (`毛呢大衣`, a woollen coat, and `酒吧椅`, a bar stool).
 */
const PARTICLES = /(?<=\p{Script=Han})(?<!目)(?:的(?!士)|[了吗与或])(?=\p{Script=Han}|\s|$)/gu;
/** Chinese words of grammar that stand by themselves. */
const ALONE = /^[的了吗呢吧与或和是在有我你他她它们个这那]$/u;

const folded = (word: string): string => word.toLowerCase().replaceAll('’', "'");

export const isStopWord = (word: string): boolean => ALL.has(folded(word)) || ALONE.test(word);

/** The text with a blank in place of each Chinese particle. */
export const withoutParticles = (text: string): string => text.replace(PARTICLES, ' ');

/** The text without stop words, except for the prepositions that tell what a thing is from what it is for. */
export const withoutFillers = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !FILLERS.has(folded(word)))
    .join(' ');

/** The text with blanks in place of stop words, so that every other word keeps its offset. */
export const blankedStopWords = (text: string): string =>
  text.replace(/\S+/g, (word) => (isStopWord(word) ? ' '.repeat(word.length) : word));
