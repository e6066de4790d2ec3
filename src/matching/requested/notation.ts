import { foldProse } from '../../text/fold.js';
import { memoize } from '../../text/memoize.js';
import { UNIT_WORDS } from '../../text/units.js';
import { lazy } from '../description.js';

/** A run of words of a request that a name may join or separate: "NE1000" is "NE 1000" there, "EF 50mm" is "EF50mm". */
interface Run {
  start: number;
  end: number;
  /** The run without blanks and hyphens. */
  compact: string;
  /** Matches the run in a folded name. Few names contain a run, so the pattern is compiled on demand. */
  written: () => RegExp;
}

/** The maximum number of words of a request that a name may write as one. */
const MAX_JOINED = 4;
/** Matches what separates words: blanks, and the slash of "DU1055 BK/WH", but not those of "f/1.8" and "6/128GB". */
const BETWEEN_WORDS = /\s+|(?<=[\p{L}\d]{2})\/(?=\p{L}{2})/u;
const SEPARATORS = /[\s-]+/gu;
const PIECES = /\d+(?:\.\d+)*|\p{L}+/gu;
const MEMOIZED_NAMES = 4_096;

const readName = memoize(MEMOIZED_NAMES, (name) => {
  const folded = foldProse(name);
  return { folded, compact: folded.replace(SEPARATORS, '') };
});

/**
 * Returns a function that writes the numbers and model numbers of a request in the notation of a name, because people and
 * shops join and separate them freely: "rx 140" becomes "rx140" for a name with "RX140", and "epyc7643" becomes "epyc 7643"
 * for "AMD EPYC 7643". A unit that the name adds to the number is taken over: "ne1000" becomes "ne 1000w". The function
 * returns null if the name has no other notation.
 */
export function notationReader(typed: string): (name: string) => string | null {
  const words = foldProse(typed).trim().split(BETWEEN_WORDS);
  const runs = readRuns(words);
  return (name) => {
    if (runs.length === 0) return null;
    const { folded, compact } = readName(name);
    const rewritten = [...words];
    for (const run of runs) {
      if (!compact.includes(run.compact)) continue;
      const found = run.written().exec(folded)?.[0];
      const isRewritten = words
        .slice(run.start, run.end)
        .some((word, at) => rewritten[run.start + at] !== word);
      if (found === undefined || isRewritten) continue;
      rewritten.fill('', run.start, run.end);
      rewritten[run.start] = found;
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
      const run = words.slice(start, start + length);
      const text = run.join(' ');
      if (!MODEL_OR_RANGE.test(text)) continue;
      const pieces = run.flatMap((word) => word.match(PIECES) ?? []);
      const pattern = pieces.map((piece) => piece.replaceAll('.', '\\.')).join('[\\s-]?');
      runs.push({
        start,
        end: start + length,
        compact: text.replace(SEPARATORS, ''),
        written: lazy(
          () =>
            new RegExp(`(?<![\\p{L}\\d.])${pattern}(?:(?<=[\\s-][\\d.]+)${UNIT_WORDS})?(?![\\p{L}\\d])`, 'u'),
        ),
      });
    }
  }
  return runs;
}
