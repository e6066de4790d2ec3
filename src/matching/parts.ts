import { COLOURS, NOISE } from '../text/vocabulary.js';

/** What a name says it sells of a thing: one part alone, or the thing with more. */
export interface Parts {
  /** Parts that are sold alone: `front` of "Front Only", `body` of "Body Only". */
  alone: ReadonlySet<string>;
  /** Parts that the name joins others to: `front` of "Front and Rear". */
  joined: ReadonlySet<string>;
  /** Whether a lens, or a kit, is in the box. */
  isKit: boolean;
  /** The word that says what it is, at the end of what is for sale: `purifier` of "Air Purifier, White"; null: a number is there. */
  head: string | null;
  /** That word, where it is of a spare: `filter` of "Air Purifier Filter". */
  spare: string | null;
}

const ONLY = /(?<![\p{L}\d])(\p{L}{3,}) only(?![\p{L}\d])/gu;
/** "Body" at the end of a phrase; in its middle it is of a body lotion. */
const BODY = /\bbody(?=\s*(?:$|[,;|()[\]/-]))/u;
const JOINED = /(?<![\p{L}\d])(\p{L}{3,})\s?(?:and|&|\+)\s?(\p{L}{3,})/gu;
const MAY_JOIN = /and|[&+]/;
const KIT = /\bkit\b|\blens\b|\b\d{2}\s?-\s?\d{2,3}\s?mm\b/u;
const SPARES = new Set(['filter', 'battery', 'remote', 'brushhead']);
/** What ends the phrase that says what is for sale. */
const PHRASE_END =
  /[,;:|()]|\]|\s[-–/]\s|\s\d+\s?(?:x|pcs?|pieces?|pack)\b|\b(?:for|with|fits|compatible|untuk)\b/u;

/** @param folded a name as `fold` gives it. */
export function readParts(folded: string): Parts {
  const alone = new Set<string>();
  // Few names have any of it, which is cheaper to see than to look for.
  if (folded.includes(' only')) for (const [, part = ''] of folded.matchAll(ONLY)) alone.add(part);
  if (folded.includes('body') && BODY.test(folded)) alone.add('body');
  const joined = new Set<string>();
  if (MAY_JOIN.test(folded))
    for (const [, one = '', other = ''] of folded.matchAll(JOINED)) joined.add(one).add(other);
  const head = headOf(folded);
  return { alone, joined, isKit: KIT.test(folded), head, spare: SPARES.has(head ?? '') ? head : null };
}

/** The last word of the first phrase, without what shops add. */
function headOf(folded: string): string | null {
  const phrase = folded.replace(/^\s*[[(][^\])]*[\])]/, '').split(PHRASE_END)[0] ?? '';
  const last = (phrase.match(/[\p{L}\d.-]+/gu) ?? []).findLast(
    (word) => !NOISE.has(word) && !COLOURS.has(word),
  );
  return last === undefined || !/^\p{L}{3,}$/u.test(last) ? null : singular(last);
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');

/** Whether one sells a part alone of what the other sells more of, or a spare of it. */
export const arePartAndWhole = (a: Listed, b: Listed): boolean => isPartOf(a, b) || isPartOf(b, a);

/** @property isFor what says what it is for goes with a thing itself. */
type Listed = { parts: Parts; allAccessories: ReadonlySet<string>; isFor: boolean };

function isPartOf({ parts: part }: Listed, { parts: whole, allAccessories, isFor }: Listed): boolean {
  if (part.spare !== null && whole.head !== null && !isFor && !allAccessories.has(part.spare)) return true;
  if (part.alone.size === 0) return false;
  return [...part.alone].some(
    (one) =>
      !whole.alone.has(one) && (whole.joined.has(one) || (one === 'body' && whole.isKit && !part.isKit)),
  );
}
