import { FOR } from '../naming/target-words.js';
import { singular } from '../text/singular.js';
import { COLOURS } from '../naming/lexicon.js';
import { MARKETING_WORDS } from '../text/vocabulary.js';

export type Parts = ReturnType<typeof readParts>;

const ONLY = /(?<![\p{L}\d])(\p{L}{3,}) only(?![\p{L}\d])/gu;
/** Matches "body" at the end of a phrase: a camera without a lens. Elsewhere it may belong to "body lotion". */
const BODY = /\bbody(?=\s*(?:$|[,;|()[\]/-]))/u;
const JOINED = /(?<![\p{L}\d])(\p{L}{3,})\s?(?:and|&|\+)\s?(\p{L}{3,})/gu;
const MAY_JOIN = /and|[&+]/;
const KIT = /\bkit\b|\blens\b|\b\d{2}\s?-\s?\d{2,3}\s?mm\b/u;
const SPARES = new Set(['filter', 'battery', 'remote', 'brushhead']);
/** Matches the mark or word that ends the first phrase of a name, which says what the product is. */
const PHRASE_END = new RegExp(
  String.raw`[,;:|()]|\]|\s[-–/]\s|\s\d+\s?(?:x|pcs?|pieces?|pack)\b|\bwith\b|${FOR}`,
  'u',
);

/** Reads which parts of a product a folded name offers. */
export function readParts(folded: string) {
  const alone = new Set<string>();
  // A substring test precedes each slower regular expression, because few names contain the words that it matches.
  if (folded.includes(' only')) for (const [, part = ''] of folded.matchAll(ONLY)) alone.add(part);
  if (folded.includes('body') && BODY.test(folded)) alone.add('body');
  const joined = new Set<string>();
  if (MAY_JOIN.test(folded))
    for (const [, one = '', other = ''] of folded.matchAll(JOINED)) joined.add(one).add(other);
  const headNoun = headNounOf(folded);
  return {
    /** Parts that are sold without the rest: `front` in "Front Only", `body` in "Body Only". */
    alone,
    /** Parts that the name joins by "and": `front` and `rear` in "Front and Rear". */
    joined,
    /** Whether the name says that the box contains a lens or is a kit. */
    isKit: KIT.test(folded),
    headNoun,
    /** The head noun of the name, if it is the name of a spare part, as `filter` in "Air Purifier Filter" is; otherwise null. */
    spare: SPARES.has(headNoun ?? '') ? headNoun : null,
  };
}

/** The last word of a name's first phrase that is neither a colour nor marketing words. */
function headNounOf(folded: string): string | null {
  const phrase = folded.replace(/^\s*[[(][^\])]*[\])]/, '').split(PHRASE_END)[0] ?? '';
  const last = (phrase.match(/[\p{L}\d.-]+/gu) ?? []).findLast(
    (word) => !MARKETING_WORDS.has(word) && !COLOURS.has(word),
  );
  return last === undefined || !/^\p{L}{3,}$/u.test(last) ? null : singular(last);
}

/** Whether one listing is a part or a spare of the product that the other listing offers. */
export const arePartAndWhole = (a: PartFields, b: PartFields): boolean => isPartOf(a, b) || isPartOf(b, a);

/** The fields of a profile by which one product is a part of the other. */
type PartFields = { parts: Parts; allAccessories: ReadonlySet<string>; isFor: boolean };

function isPartOf({ parts: part }: PartFields, { parts: whole, allAccessories, isFor }: PartFields): boolean {
  if (part.spare !== null && whole.headNoun !== null && !isFor && !allAccessories.has(part.spare))
    return true;
  if (part.alone.size === 0) return false;
  return [...part.alone].some(
    (one) =>
      !whole.alone.has(one) && (whole.joined.has(one) || (one === 'body' && whole.isKit && !part.isKit)),
  );
}
