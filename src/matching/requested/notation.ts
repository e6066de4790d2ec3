import { foldProse } from '../../text/fold.js';
import { lazy, memoize } from '../../text/memoize.js';
import { UNIT_WORDS } from '../../text/units.js';

/** A run of words of a request that a name may join or separate: "NE1000" is "NE 1000" there, "EF 50mm" is "EF50mm". */
interface Run {
  start: number;
  end: number;
  /** Returns this run of words in the notation of a name, or undefined if the name does not contain it. */
  findIn: (name: FoldedName) => string | undefined;
}

type FoldedName = ReturnType<typeof readName>;

/** The maximum number of words of a request that a name may write as one. */
const MAX_JOINED = 4;
/** Matches what separates words: blanks, and the slash of "DU1055 BK/WH", but not those of "f/1.8" and "6/128GB". */
const BETWEEN_WORDS = /\s+|(?<=[\p{L}\d]{2})\/(?=\p{L}{2})/u;
const SEPARATORS = /[\s-]+/gu;
const WRITTEN = /[^\s-]+/gu;
const PIECES = /\d+(?:\.\d+)*|\p{L}+/gu;
const MEMOIZED_NAMES = 4_096;
/** A control character that marks a capital letter within a word, as in "QuietComfort". No name contains it. */
const CAPITAL = '\u0001';
/** Matches the initials of two to four words and the number after them: `qc45` for "QuietComfort 45". */
const INITIALS = /^(\p{L}{2,4})(\d+)$/u;

const readName = memoize(MEMOIZED_NAMES, (name) => {
  const folded = foldProse(name);
  return {
    folded,
    compact: folded.replace(SEPARATORS, ''),
    /** For each character of `compact`, its index in `folded`. */
    places: lazy(() =>
      [...folded.matchAll(WRITTEN)].flatMap(({ 0: { length }, index }) =>
        Array.from({ length }, (_, at) => index + at),
      ),
    ),
    /** The folded name with a mark before the capital letters within words. */
    capitals: lazy(() => foldProse(name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, CAPITAL))),
  };
});

/**
 * Returns a function that writes numbers and model numbers of a request in the notation of a name: "rx 140" as "rx140", "ne1000"
 * as "ne 1000w", and "qc45" as "quietcomfort 45"; null if the name has no other notation.
 */
export function notationReader(typed: string): (name: string) => string | null {
  const words = foldProse(typed).trim().split(BETWEEN_WORDS);
  const runs = [...readRuns(words), ...readInitials(words)];
  return (name) => {
    if (runs.length === 0) return null;
    const read = readName(name);
    const rewritten = [...words];
    for (const { start, end, findIn } of runs) {
      const found = findIn(read);
      const isRewritten = words.slice(start, end).some((word, at) => rewritten[start + at] !== word);
      if (found === undefined || isRewritten) continue;
      rewritten.fill('', start, end);
      rewritten[start] = found;
    }
    const text = rewritten.filter((word) => word !== '').join(' ');
    return text === words.join(' ') ? null : text;
  };
}

/** Matches words with letters and digits, and two numbers with a hyphen, such as the "17-28" of a lens. */
const MODEL_OR_RANGE = /^(?=.*\d)(?=.*(?:\p{L}|\d-\d))[\p{L}\d .-]+$/u;

/** The runs of words that are model numbers or ranges, the longest first. */
function readRuns(words: readonly string[]): Run[] {
  const runs: Run[] = [];
  for (let length = MAX_JOINED; length > 0; length -= 1) {
    for (let start = 0; start + length <= words.length; start += 1) {
      const run = words.slice(start, start + length).join(' ');
      if (!MODEL_OR_RANGE.test(run)) continue;
      const pieces = run.match(PIECES) ?? [];
      const compactRun = run.replace(SEPARATORS, '');
      runs.push({
        start,
        end: start + length,
        findIn: (name) => (name.compact.includes(compactRun) ? findPieces(pieces, name) : undefined),
      });
    }
  }
  return runs;
}

const LETTER_OR_DIGIT = /^[\p{L}\d]$/u;
const LETTER_DIGIT_OR_POINT = /^[\p{L}\d.]$/u;
/** Matches a unit right after a number that is a word of its own, as in "ne 1000w". */
const UNIT_AFTER_NUMBER = new RegExp(`(?<=[\\s-][\\d.]+)${UNIT_WORDS}(?![\\p{L}\\d])`, 'uy');

/** Finds the pieces of a run as whole words of a name, at most a blank or hyphen apart. Regular expressions would be slower. */
function findPieces(pieces: readonly string[], name: FoldedName): string | undefined {
  const joined = pieces.join('');
  for (let at = name.compact.indexOf(joined); at >= 0; at = name.compact.indexOf(joined, at + 1)) {
    const found = piecesAt(at, pieces, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the pieces as a name writes them, or undefined. @param at where the first piece begins in the compact name. */
function piecesAt(at: number, pieces: readonly string[], { folded, places }: FoldedName): string | undefined {
  const placeOf = (index: number) => places()[index] ?? 0;
  const start = placeOf(at);
  let end = start;
  for (const piece of pieces) {
    const place = placeOf(at);
    if (place > end + 1 || !folded.startsWith(piece, place)) return undefined;
    at += piece.length;
    end = place + piece.length;
  }
  if (LETTER_DIGIT_OR_POINT.test(folded[start - 1] ?? '')) return undefined;
  UNIT_AFTER_NUMBER.lastIndex = end;
  const [unit = ''] = UNIT_AFTER_NUMBER.exec(folded) ?? [];
  if (unit === '' && LETTER_OR_DIGIT.test(folded[end] ?? '')) return undefined;
  return folded.slice(start, end + unit.length);
}

/** The words that may be the initials of words in a name, with the number after them. */
const readInitials = (words: readonly string[]): Run[] =>
  words.flatMap((word, start) => {
    const [, initials, number = ''] = INITIALS.exec(word) ?? [];
    if (initials === undefined) return [];
    const pattern = [...initials].map((letter) => `${letter}\\p{L}+`).join(`[\\s${CAPITAL}-]`);
    const written = lazy(() => new RegExp(`(?<![\\p{L}\\d])${pattern}[\\s-]${number}(?![\\p{L}\\d])`, 'u'));
    // Most names lack the number. They need not be searched for initials of capitalized words.
    const findIn = ({ folded, capitals }: FoldedName) =>
      folded.includes(number) ? written().exec(capitals())?.[0].replaceAll(CAPITAL, '') : undefined;
    return [{ start, end: start + 1, findIn }];
  });
