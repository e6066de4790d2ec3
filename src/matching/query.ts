import { gtinOf } from '../listing/gtin.js';
import { normaliseIdentifier } from '../listing/identify.js';
import type { Candidate } from './evidence.js';
import { readProfile, withWords, type Profile } from './profile.js';
import { NOISE, STOP_WORDS } from './vocabulary.js';
import { fold } from './words.js';

/** What a shopper who names a product says. */
export interface ProductQuery {
  /** The words that say which product, as typed; all words where none does. */
  text: string;
  /** The query read as a listing's name is, its words those that tell. */
  profile: Profile;
  /** As typed. */
  typed: string;
  /** The parts of a kit that it names. */
  kit: Kit | null;
  /** The query as it is, normalised, and where it is a GTIN also as 14 digits: what it may identify. */
  identifiers: readonly string[];
}

/** So many of one size in a kit, in GB. */
export interface Kit {
  count: number;
  size: number;
}

const KIT = /\(?(?<![\d.])(\d{1,2}) ?x ?(\d+(?:\.\d+)?) ?([gt])b\b\)?/;
/** Beside its parts, the word says nothing more. */
const KIT_WORDS = /\bkit\b/gi;
/** Of one size or of each. */
const SIZE_NAMES = /\b(?:storage|screen|display)[ -](?:size|capacity)\b/gi;

/** The parts that a text says a kit is made of: `2 x 8GB`. */
export function readKit(text: string): Kit | null {
  const [, count, part, unit] = KIT.exec(fold(text)) ?? [];
  return count === undefined
    ? null
    : { count: Number(count), size: Number(part) * (unit === 't' ? 1000 : 1) };
}

/** Words of asking, not of the thing asked for. */
const ASKING = new Set(
  (
    'buy buying purchase order get find search looking look show me i we want need please where which who has sells each every any all both ' +
    'price prices pricing priced cheap cheaper cheapest lowest low best good great top deal deals discount discounted ' +
    'bargain offers online shop shops shopping store stores near compare comparison today now exactly about around ' +
    'approximately'
  ).split(' '),
);
/** Names of what a size or colour after or before them is one of. */
const DIMENSIONS = new Set('length width height depth size colour color weight capacity diagonal'.split(' '));

/** Words that tell no product. */
const SMALL: readonly ReadonlySet<string>[] = [STOP_WORDS, NOISE, DIMENSIONS];

/** Small words that are units after a number. */
const UNITS = new Set(['w', 'in']);

/** @param q any text. */
export function readQuery(q: string): ProductQuery {
  const kit = readKit(q);
  const named = q.replace(SIZE_NAMES, ' ');
  const whole = kit === null ? named : named.replace(new RegExp(KIT, 'i'), ' ').replace(KIT_WORDS, ' ');
  const typed = whole.split(/\s+/).filter((word) => word !== '');
  const isTelling = (word: string, at: number) =>
    !(ASKING.has(bare(word)) || isSmallWord(word)) ||
    (UNITS.has(bare(word)) && /\d$/.test(typed[at - 1] ?? ''));
  const some = (chosen: string[]) => (chosen.length > 0 ? chosen : typed).join(' ');
  const profile = readProfile(asCandidate(some(typed.filter((word) => !ASKING.has(bare(word))))));
  const words = profile.words.filter(({ text }) => !SMALL.some((set) => set.has(text)));
  const normal = normaliseIdentifier(q);
  return {
    text: some(typed.filter(isTelling)),
    profile: words.length > 0 ? withWords(profile, words) : profile,
    typed: q,
    kit,
    identifiers: [...new Set([normal, gtinOf(q) ?? normal])].filter((one) => one !== ''),
  };
}

/** A name in the form in which equal names are equal. */
const nameOf = (name: string): string =>
  fold(name)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A name of so many words is one listing's; fewer are what many have. */
const NAME_WORDS = 5;

/** Whether a text is long enough to be the name of one listing. */
export const mayBeName = (text: string): boolean => nameOf(text).split(' ').length >= NAME_WORDS;

/** Whether a text is a listing's name, in whatever case and with whatever marks. */
export const isCalled = ({ name }: { name: string }, text: string): boolean => nameOf(name) === nameOf(text);

const bare = (typed: string): string => nameOf(typed).replaceAll(' ', '');
const isSmallWord = (typed: string): boolean =>
  bare(typed) === '' || SMALL.some((set) => set.has(bare(typed)));

/** A query as a listing that says nothing else. */
export const asCandidate = (name: string): Candidate => ({
  id: 0,
  source: '',
  merchant_id: null,
  name,
  description: null,
  brand: null,
  metadata: null,
  internal: { gtins: [], models: [] },
  comparablePrice: null,
});
