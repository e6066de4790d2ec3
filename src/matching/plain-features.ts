import { compareAttributes } from './attributes.js';
import { haveOtherChips } from './chips.js';
import { weighMeasures } from './measures.js';
import { arePartAndWhole } from './parts.js';
import type { Profile } from './profile.js';
import { compareSets } from './sets.js';

/** Evidence that costs little to compare, most of which tells variants of a product apart; as `Features` are. */
export interface PlainFeatures {
  gtinAgree: number;
  gtinConflict: number;
  storageConflict: number;
  measureAgree: number;
  measureConflict: number;
  lengthConflict: number;
  measureVague: number;
  optionConflict: number;
  attributesDiffer: number;
  countConflict: number;
  countMissing: number;
  packMissing: number;
  colourAgree: number;
  colourConflict: number;
  brandAgree: number;
  brandConflict: number;
  tierConflict: number;
  codeTierConflict: number;
  modelTierConflict: number;
  partConflict: number;
}

/** Of the evidence what costs little; the same whichever listing comes first. */
export function comparePlainly(a: Profile, b: Profile): PlainFeatures {
  const gtins = compareSets(a.gtins, b.gtins);
  const measures = weighMeasures(a.measures, b.measures);
  const attributes = compareAttributes(a.attributes, b.attributes);
  const colours = compareColours(a, b);
  const brand = compareBrands(a, b);
  return {
    gtinAgree: gtins.shared > 0 ? 1 : 0,
    gtinConflict: a.gtins.size > 0 && b.gtins.size > 0 && gtins.shared === 0 ? 1 : 0,
    storageConflict: measures.storage,
    measureAgree: Math.min(1, measures.agree / 2),
    measureConflict: measures.size,
    lengthConflict: measures.length,
    measureVague: measures.vague,
    optionConflict: attributes.option,
    attributesDiffer: attributes.differing,
    countConflict:
      a.measures.count !== null && b.measures.count !== null && a.measures.count !== b.measures.count ? 1 : 0,
    countMissing: countMissing(a.measures.count, b.measures.count),
    packMissing: lacksPack(a, b) || lacksPack(b, a) ? 1 : 0,
    colourAgree: colours === 'agree' ? 1 : 0,
    colourConflict: colours === 'conflict' ? 1 : 0,
    brandAgree: brand === 'agree' ? 1 : 0,
    brandConflict: brand === 'conflict' ? 1 : 0,
    tierConflict: haveOtherChips(a.chips, b.chips) ? 1 : tierConflict(a.tiers, b.tiers, a, b),
    codeTierConflict: tierConflict(a.codeTiers, b.codeTiers, a, b),
    modelTierConflict: hasModelTier(a, b) || hasModelTier(b, a) ? 1 : 0,
    partConflict: arePartAndWhole(a, b) ? 1 : 0,
  };
}

/** What is stated counts before what a name says, where a word like "golden" may be of the product's name. */
function compareColours(a: Profile, b: Profile): 'agree' | 'conflict' | 'unknown' {
  const both = a.statedColours.size > 0 && b.statedColours.size > 0;
  const ofA = a.statedColours.size > 0 ? a.statedColours : a.colours;
  const ofB = b.statedColours.size > 0 ? b.statedColours : b.colours;
  if (ofA.size === 0 || ofB.size === 0) return 'unknown';
  const { shared } = compareSets(ofA, ofB);
  if (shared > 0) return 'agree';
  if (both) return 'conflict';
  // A colour word that both names have is none where another colour is stated.
  const left = (some: ReadonlySet<string>, names: ReadonlySet<string>) =>
    [...some].some((one) => !names.has(one));
  return left(ofA, b.colours) && left(ofB, a.colours) ? 'conflict' : 'unknown';
}

/** The same number with another tier after it, where neither name has the tiers elsewhere. */
function tierConflict(tiersOfA: Profile['tiers'], tiersOfB: Profile['tiers'], a: Profile, b: Profile): 0 | 1 {
  for (const [number, tier] of tiersOfA) {
    const other = tiersOfB.get(number);
    if (other === undefined || other === tier) continue;
    const lacks = (row: string, of: Profile) =>
      row !== '' && row.split(' ').some((word) => !of.variants.has(word));
    if (lacks(tier, b) || lacks(other, a)) return 1;
  }
  return 0;
}

/** Whether one is a model and the other the same with a tier. */
const hasModelTier = ({ modelTiers }: Profile, { forms, codes, variants }: Profile): boolean =>
  modelTiers.some(
    ([model, tier]) => !forms.has(tier) && !variants.has(tier) && (forms.has(model) || codes.has(model)),
  );

/** Smaller numbers are in many names. */
const TELLING_COUNT = 10;

/** A pack is stated; a listing that states none, and has no such number even in its model, is of a single piece. */
function lacksPack({ measures }: Profile, other: Profile): boolean {
  const { pack, count } = measures;
  if (!pack || count === null || count < 2 || other.measures.count !== null) return false;
  const isInNumbers = count >= TELLING_COUNT && other.forms.has(String(count));
  return !isInNumbers && other.described().count() !== count;
}

function countMissing(a: number | null, b: number | null): number {
  const stated = a ?? b;
  return (a === null) !== (b === null) && stated !== null && stated > 1 ? 1 : 0;
}

/**
 * Brands agree when they share a word, or when a name has the other's brand and not as what it is for; they conflict only
 * when both are stated. What a shop states and does not name ("OEM", its own name) is no brand beside one that it names.
 */
function compareBrands(a: Profile, b: Profile): 'agree' | 'conflict' | 'unknown' {
  if (a.brand.length === 0 && b.brand.length === 0) return 'unknown';
  const isNamed = (brand: readonly string[], { forms, target }: Profile) =>
    brand.some((word) => word.length > 1 && forms.has(word) && !target.has(word));
  const aInB = isNamed(a.brand, b);
  const bInA = isNamed(b.brand, a);
  if (a.brand.length === 0 || b.brand.length === 0) return aInB || bInA ? 'agree' : 'unknown';
  if (a.brand.some((word) => word.length > 1 && b.brand.includes(word))) return 'agree';
  const isOneOfTwo = (aInB && !isNamed(b.brand, b)) || (bInA && !isNamed(a.brand, a));
  return (aInB && bInA) || isOneOfTwo ? 'agree' : 'conflict';
}
