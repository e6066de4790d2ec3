/** What stands between a token and the one before it. */
export const GAP = { none: 0, joint: 1, blank: 2, mark: 3 } as const;

/** The tokens of a text, as parallel lists: runs of letters and digits, and signs that are words (`"` after a number). */
export type Tokens = ReturnType<typeof readTokens>;

/** The maximum number of UTF-16 code units of a text that are read. */
const MAX_TEXT = 1_000;
/** The maximum number of tokens that are read. */
const MAX_TOKENS = 120;

const TOKEN =
  /[\p{L}\p{M}\p{N}]+(?:(?:(?<=\p{N})[.,](?=\p{N})|['’](?=\p{L}))[\p{L}\p{M}\p{N}]+)*(?:\(s\)|\+(?![\p{L}\p{N}]))?|(?<=\p{N}\\?)(?:["″”]|'')|×/gu;
/** Factors that are written together, as in `3x330ml`. */
const FACTORS = /^\d[\d.,]*(?:[a-z]{1,2})?x\d/i;
const FACTOR = /\d[\d.,]*(?:[a-wyz]{1,2}(?=x\d))?|x|[^\dx].*/giu;
/** An aperture with the letter of the lens's grade, as in `f/2.8L`. */
const GRADED = /^(f?\d{1,2}(?:\.\d)?)[a-z]$/i;
const MARK = /[,;:|()[\]{}【】<>]|\s[-–—/+&*•]|[-–—/*•]\s|[–—]/u;
const ASCII = /^[\x20-\x7e]*$/;
const MARKS = /\p{M}/gu;

/** Folds a token: lower case, compatibility forms decomposed, without accents. */
export const foldToken = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase().replace("'", '').replace('(s)', '')
    : text
        .normalize('NFKD')
        .replace(MARKS, '')
        .toLowerCase()
        .replace(/['’]/u, '')
        .replace('(s)', '')
        .replace(/^[″”]$/u, '"')
        .replace('×', 'x')
        .replaceAll('ß', 'ss');

/** Splits the beginning of a text into tokens. It takes time in proportion to the length of the text. */
export function readTokens(source: string) {
  const tokens = {
    source,
    /** The folded text of the token: lower case, without accents. */
    text: [] as string[],
    /** Where the token begins and ends in the source, in UTF-16 code units; the end is exclusive. */
    from: [] as number[],
    to: [] as number[],
    /** The gap before it (`GAP`): none, a sign without blanks as in `TP-Link`, blanks, or a mark that ends a part of the name. */
    gap: [] as number[],
    /** The number of brackets that are open at the token. */
    bracket: [] as number[],
    /** The characters before the token, back to the one before it. */
    between: [] as string[],
  };
  const read = source.slice(0, MAX_TEXT);
  let end = 0;
  let depth = 0;
  const add = (text: string, from: number) => {
    const between = read.slice(end, from);
    for (const sign of between) {
      if ('([{【'.includes(sign)) depth += 1;
      else if (')]}】'.includes(sign)) depth = Math.max(0, depth - 1);
    }
    tokens.text.push(foldToken(text));
    tokens.from.push(from);
    end = from + text.length;
    tokens.to.push(end);
    tokens.gap.push(gapOf(between));
    tokens.bracket.push(depth);
    tokens.between.push(between);
  };
  for (const { 0: text, index } of read.matchAll(TOKEN)) {
    if (tokens.text.length >= MAX_TOKENS) break;
    const grade = GRADED.exec(text)?.[1];
    if (grade !== undefined && (text.startsWith('f') || /(?:^|[^\p{L}])f\/$/iu.test(read.slice(0, index)))) {
      add(grade, index);
      add(text.slice(grade.length), index + grade.length);
    } else if (!FACTORS.test(text)) add(text, index);
    else for (const part of text.matchAll(FACTOR)) add(part[0], index + part.index);
  }
  return tokens;
}

function gapOf(between: string): number {
  if (between === '') return GAP.none;
  if (between === ' ') return GAP.blank;
  if (MARK.test(between)) return GAP.mark;
  return /\s/.test(between) ? GAP.blank : GAP.joint;
}

/** The letters and digits of tokens, by which phrases, makers and models are found. */
export const compactKey = ({ text }: Pick<Tokens, 'text'>): string => text.join('');
