import { gtinOf } from '../listing/gtin.js';
import { normaliseIdentifier } from '../listing/identify.js';
import { visibleText } from '../text/clean.js';
import { normaliseUrl } from '../listing/url.js';
import type { Candidate } from './evidence.js';
import { readProfile, withWords, type Profile } from './profile.js';
import { NOISE, STOP_WORDS } from '../text/vocabulary.js';
import { fold, words as wordsOf, type Word } from '../text/words.js';

/** What a shopper who names a product says. */
export interface ProductQuery {
  /** The words that say which product, as typed; all words where none does. */
  text: string;
  /** The query read as a listing's name is, its words those that tell. */
  profile: Profile;
  /** Of those, the ones before a "from", "with" or "for": what is asked for is the last of them. */
  phrase: readonly Word[];
  /** As typed. */
  typed: string;
  /** The parts of a kit that it names. */
  kit: Kit | null;
  /** The query as it is, normalised, and where it is a GTIN also as 14 digits: what it may identify. */
  identifiers: readonly string[];
  /** The text with each bare number as the size that it may be: `monitor 27` as `monitor 27in` and `monitor 27gb`. */
  otherTexts: readonly string[];
  /** The page that it is the address of, in one spelling; null: it is none. */
  url: string | null;
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

/** What stands in quotes. After a number the mark is an inch. */
const QUOTED = /(?<=^|\s)(["“”'])([^"“”]{1,200}?)["“”'](?=$|[\s,.;!?])/gu;
const INCH_MARK = /(?<=\d)\s?(?:["“”″]|'')/gu;

/** The text without marks of inches, which may be quotes that were left over; null: it has none. */
export function withoutInchMarks(q: string): string | null {
  const without = q.replace(INCH_MARK, ' ');
  return without === q ? null : without.trim();
}

/** @param typed any text. */
export function readQuery(typed: string): ProductQuery {
  const q = visibleText(typed).replace(QUOTED, '$2');
  const kit = readKit(q);
  const named = q.replace(SIZE_NAMES, ' ');
  const whole = kit === null ? named : named.replace(new RegExp(KIT, 'i'), ' ').replace(KIT_WORDS, ' ');
  const parts = whole.split(/\s+/).filter((word) => word !== '');
  const isTelling = (word: string, at: number) =>
    !(ASKING.has(bare(word)) || isSmallWord(word)) ||
    (UNITS.has(bare(word)) && /\d$/.test(parts[at - 1] ?? ''));
  const some = (chosen: string[]) => (chosen.length > 0 ? chosen : parts).join(' ');
  const profile = readProfile(asCandidate(some(parts.filter((word) => !ASKING.has(bare(word))))));
  const words = profile.words.filter(({ text }) => !SMALL.some((set) => set.has(text)));
  const normal = normaliseIdentifier(q);
  const text = some(parts.filter(isTelling));
  return {
    text,
    otherTexts: otherTextsOf(text),
    url: normaliseUrl(q.trim()),
    profile: words.length > 0 ? withWords(profile, words) : profile,
    phrase: phraseOf(q, words),
    typed,
    kit,
    identifiers: [...new Set([normal, gtinOf(q) ?? normal])].filter((one) => one !== ''),
  };
}

const BESIDE = /\b(?:from|by|with|for)\b/;

function phraseOf(q: string, telling: readonly Word[]): readonly Word[] {
  const before = new Set(wordsOf(fold(q).split(BESIDE)[0] ?? '').map(({ text }) => text));
  const some = telling.filter(({ text }) => before.has(text));
  return some.length > 0 ? some : telling;
}

/** A number that may be a size, and units that people leave out. */
const BARE_NUMBER = /(?<!\S)(\d{2,4}(?:\.\d)?)(?!\S)/;
const LEFT_OUT = ['in', 'gb'];
/** Of a number of four digits. */
const LEFT_OUT_LONG = ['mhz', 'mah', 'gb'];

function otherTextsOf(text: string): string[] {
  const number = BARE_NUMBER.exec(text)?.[1];
  if (number === undefined) return [];
  const units = /^\d{4}/.test(number) ? LEFT_OUT_LONG : LEFT_OUT;
  return units.map((unit) => text.replace(BARE_NUMBER, `$1${unit}`));
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
