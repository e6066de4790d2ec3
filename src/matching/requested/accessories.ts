import { FOR } from '../../naming/target-words.js';
import { foldProse } from '../../text/fold.js';
import { ACCESSORIES, conceptsOf, ONLY_ACCESSORIES, PLATFORMS } from '../../text/vocabulary.js';
import { hasSpecifications } from '../head-comparison.js';
import { presence } from '../overlap.js';
import { type Profile, readProfile } from '../profile.js';
import { shareOwnCode } from '../codes.js';
import { areOfAccessory, kindsOf } from '../../naming/kinds.js';
import type { CandidateListing } from './candidate-listing.js';
import { isModifier } from './head-noun.js';
import { isLongCode, isOfOtherBrand } from './model-conflicts.js';
import { asCandidate, type RequestedProduct } from './requested-product.js';

/** Whether a listing is an accessory, as the index states it, or for an index of an earlier schema, as its name shows. */
export const isItselfAccessory = ({ listing: { internal, ...listing } }: CandidateListing): boolean =>
  internal.accessory ?? areOfAccessory(kindsOf(listing.name, listing.category, listing.brand));

/** Whether a listing is an accessory for the requested product. */
export const isAccessory = (candidate: CandidateListing): boolean =>
  ((goesWithRequested(candidate) && soundsLikeAccessory(candidate) && !isNamedItself(candidate)) ||
    isForProduct(candidate)) &&
  (isOfOtherBrand(candidate) || !isProductItself(candidate));

/** Whether the listing names an accessory that the request does not, and so may be one. A lens may also come with the product. */
export const mayBeAccessory = (candidate: CandidateListing): boolean =>
  unrequestedAccessories(candidate).length > 0 && !isProductItself(candidate);

/** The accessories that the listing names and the request does not; none if both name the same accessory. */
function unrequestedAccessories({ query, profile }: CandidateListing): string[] {
  if (isWatch(profile)) return [];
  const ofHead = conceptsOf(
    ACCESSORIES,
    profile.head.map(({ text }) => text),
  );
  // Specifications name parts of the product: "DDR4, HDMI, Low Profile (Bracket)".
  const isSold = (one: string) => ofHead.has(one) || ONLY_ACCESSORIES.has(one) || !hasSpecifications(profile);
  const accessories = [...profile.accessories].filter(isSold);
  if (accessories.some((one) => query.accessories.has(one))) return [];
  return accessories.filter((one) => !query.allAccessories.has(one));
}

const WATCH_PARTS = ['case', 'strap'];

/** Whether a name is that of a watch, which states its case and its band: "Watch Series 8 41mm Aluminium Case with Sport Band". */
const isWatch = ({ allAccessories, forms, isFor }: Profile): boolean =>
  !isFor && forms.has('watch') && WATCH_PARTS.every((part) => allAccessories.has(part));

/** Whether the listing names an accessory that the request does not name, and states what it is for. */
function goesWithRequested(candidate: CandidateListing): boolean {
  const { query, profile } = candidate;
  if (profile.isFor && query.isFor) return false;
  const accessories = unrequestedAccessories(candidate);
  return profile.isFor ? accessories.length > 0 : accessories.some((one) => ONLY_ACCESSORIES.has(one));
}

/** Whether only the listing states what it goes with ("手机壳 适用于 …": case for …), and both name no common accessory. */
export const goesWithSomething = ({ query, profile }: CandidateListing): boolean =>
  profile.isFor && !query.isFor && ![...profile.accessories].some((one) => query.accessories.has(one));

/** Words for bags, which do not show that a listing is an accessory, because most bags are made for no certain product. */
const BAGS = new Set(['bag', 'backpack']);
const soundsLikeAccessory = ({ profile: { head } }: CandidateListing): boolean =>
  head.some(({ text }) => ACCESSORIES.has(text) && !BAGS.has(text));

/**
 * Whether a listing is the requested product itself: it states the requested model number, or it has the number and a brand of
 * the request. If it states what it goes with, its inferred maker counts instead of its brand.
 */
function isProductItself({ query, profile, listing, brands }: CandidateListing): boolean {
  const text = query.words.map((word) => word.text).join('');
  if (listing.internal.models.some((model) => isLongCode(model) && text.includes(model))) return true;
  const maker = profile.isFor ? profile.maker : profile.brand;
  return shareOwnCode(query, profile) && maker.some((word) => brands.has(word));
}

const BEFORE_TARGET = new RegExp(FOR, 'u');

/** Matches the marks between parts of a name. What an accessory goes with may precede "compatible": "PS5 compatible". */
const PARTS = /([,;|()[\]]|\s[-–]\s)/;
/** "Bluetooth-compatible" is how some shops write Bluetooth, and does not mean that something goes with Bluetooth. */
const COMPATIBLE_BEHIND = /(?<!\bbluetooth)[\s-]compatible\b(?! with)/;

/** A name before and after its first "for", for which "… compatible" and the name of a platform also count; null without. */
function splitAtFor(name: string): [before: Profile, behind: Profile] | null {
  const [before = '', ...behind] = foldProse(name)
    .split(PARTS)
    .map((part) => (COMPATIBLE_BEHIND.test(part) || PLATFORMS.has(part.trim()) ? ` for ${part}` : part))
    .join('')
    .split(BEFORE_TARGET);
  const read = (text: string) => readProfile(asCandidate(text));
  return behind.length === 0 ? null : [read(before), read(behind.join(' '))];
}

/** Whether the words of the request follow "for" in a name: "LG 360 VR Headset for LG G5", for a request for an LG G5. */
function isForProduct({ query, profile, listing, brands }: CandidateListing): boolean {
  const split = splitAtFor(listing.name);
  if (split === null) return false;
  const [before] = split;
  const others = query.words.filter(({ text }) => !brands.has(text));
  const isBeforeFor = (others.length > 0 ? others : query.words).some((word) => presence(word, before) > 0);
  return !isBeforeFor && query.words.some((word) => presence(word, profile) > 0);
}

/** Whether the request names the line of an accessory: "OtterBox Defender iPhone 7" for "OtterBox Defender Case for iPhone 7". */
function isNamedItself({ query, listing, brands }: CandidateListing): boolean {
  const split = splitAtFor(listing.name);
  if (split === null) return false;
  const [before, behind] = split;
  return query.words.some(
    (word) =>
      word.kind === 'word' &&
      !brands.has(word.text) &&
      !isModifier(word.text) &&
      presence(word, before) === 1 &&
      presence(word, behind) === 0,
  );
}

/** Accessory words that also describe a function: a "fast charging power bank" is a power bank. */
const FUNCTIONS = new Set(['charging']);

/** Returns the words for all accessories that the request does not name; none if it asks for an accessory itself. */
export function unrequestedAccessoryWords({
  asksForAccessory,
  profile: { allAccessories },
}: Pick<RequestedProduct, 'asksForAccessory' | 'profile'>): string[] {
  if (asksForAccessory) return [];
  return [...ACCESSORIES].flatMap(([spelling, concept]) =>
    allAccessories.has(concept) || FUNCTIONS.has(spelling) ? [] : [spelling],
  );
}
