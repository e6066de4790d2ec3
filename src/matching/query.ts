import { normaliseIdentifier, toGtin } from '../listing/identify.js';
import type { Candidate } from './evidence.js';
import { readProfile, type Profile } from './profile.js';
import { NOISE, STOP_WORDS } from './vocabulary.js';
import { fold, words } from './words.js';

/** What a shopper who names a product says. */
export interface ProductQuery {
  /** The words that say which product, as typed; all words where none does. */
  text: string;
  /** The words of `text`, read as a listing's name is. */
  profile: Profile;
  /** The query as it is, normalised, and where it is a GTIN also as 14 digits: what it may identify. */
  identifiers: readonly string[];
}

/** Words of asking, not of the thing asked for. */
const ASKING = new Set(
  (
    'buy buying purchase order get find search looking look show me i we want need please where which who has sells ' +
    'price prices pricing priced cheap cheaper cheapest lowest low best good great top deal deals discount discounted ' +
    'bargain offers online shop shops shopping store stores near compare comparison today now exactly about around ' +
    'approximately'
  ).split(' '),
);
/** Names of what a size or colour after or before them is one of. */
const DIMENSIONS = new Set('length width height depth size colour color weight capacity diagonal'.split(' '));

/** @param q any text. */
export function readQuery(q: string): ProductQuery {
  const typed = q.split(/\s+/).filter((word) => word !== '');
  // After a number, "w" and "in" are units.
  const telling = typed.filter((word, at) => /\d$/.test(typed[at - 1] ?? '') || isTelling(word));
  const text = (telling.length > 0 ? telling : typed).join(' ');
  const normal = normaliseIdentifier(q);
  return {
    text,
    profile: readProfile(asCandidate(text)),
    identifiers: [...new Set([normal, toGtin(normal) ?? normal])].filter((one) => one !== ''),
  };
}

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

function isTelling(typed: string): boolean {
  const parts = words(fold(typed)).map(({ text }) => text);
  const raw = fold(typed).replace(/[^\p{L}\p{N}]/gu, '');
  return (
    parts.length > 0 &&
    !ASKING.has(raw) &&
    !DIMENSIONS.has(raw) &&
    !NOISE.has(raw) &&
    !parts.every((part) => STOP_WORDS.has(part))
  );
}
