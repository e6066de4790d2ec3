import { NOT, NOT_CHINESE } from './words.js';

/** A blank between words, and one that may be there. Bounded, so that no text makes the expressions slow. */
const GAP = '\\s{1,2}';
export const MAY_GAP = '\\s{0,2}';

/** One of these. */
export const oneOf = (pieces: readonly string[]): string =>
  `(?:${pieces.map((piece) => piece.replaceAll(' ?', MAY_GAP).replaceAll(/(?<!\[) /g, GAP)).join('|')})`;

/** Neither a letter nor a digit of Latin on this side: Chinese is written without blanks. */
export const BEGINS = '(?<![a-z0-9\\u00c0-\\u024f])';
export const ENDS = '(?![a-z0-9\\u00c0-\\u024f])';

/** Words that stand by themselves and are not denied. */
export const alone = (pieces: readonly string[]): string => `${NOT_DENIED}${BEGINS}${oneOf(pieces)}${ENDS}`;

export const NOT_DENIED = `(?<!(?:${NOT.join('|')})${GAP})(?<![${NOT_CHINESE}])`;

export const pattern = (source: string): RegExp => new RegExp(source, 'giu');

/** What stands in quotes means itself. After a number the mark is an inch, and no quotation begins within a word. */
export const QUOTED = /(?<=^|\s)["“”]([^"“”]{1,200})["“”](?=$|[\s,.;!?])/gu;

/** A place in a text, end exclusive, in UTF-16 code units. */
export interface Span {
  from: number;
  to: number;
}

/** What was read takes the place of its words, so that it is not read again and does not end a phrase wrongly. */
export const READ = '\u0000';
