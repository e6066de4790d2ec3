import { haveOtherAlternatives } from './alternatives.js';
import { compareAttributes } from './attributes.js';
import { haveOtherChips } from './chips.js';
import { haveOtherDimensions } from './dimensions.js';
import { weighMeasures } from './measures.js';
import { arePartAndWhole } from './parts.js';
import type { Profile } from './profile.js';

/** The features of a pair that cost little. Most tell variants apart. Swapping the two listings does not change them. */
export type CheapFeatures = Record<keyof ReturnType<typeof cheapFeatures>, number>;

export function cheapFeatures(a: Profile, b: Profile) {
  const gtins = compareSets(a.gtins, b.gtins);
  const measures = weighMeasures(a.measures, b.measures);
  const attributes = compareAttributes(a.attributes, b.attributes);
  const colours = compareColours(a, b);
  const brand = compareBrands(a, b);
  const [countA, countB] = [a.measures.count, b.measures.count];
  return {
    gtinAgree: gtins.shared > 0 ? 1 : 0,
    gtinConflict: a.hasGlobalGtin && b.hasGlobalGtin && gtins.shared === 0 ? 1 : 0,
    storageConflict: measures.storage,
    measureAgree: Math.min(1, measures.agree / 2),
    measureConflict: haveOtherDimensions(a.dimensions, b.dimensions) ? 1 : measures.size,
    lengthConflict: measures.length,
    measureVague: measures.vague,
    optionConflict: attributes.option,
    attributesDiffer: attributes.differing,
    countConflict: countA !== null && countB !== null && countA !== countB ? 1 : 0,
    countMissing: (countA === null) !== (countB === null) && (countA ?? countB ?? 0) > 1 ? 1 : 0,
    packMissing: lacksPack(a, b) || lacksPack(b, a) ? 1 : 0,
    colourAgree: colours === 'agree' ? 1 : 0,
    colourConflict: colours === 'conflict' ? 1 : 0,
    brandAgree: brand === 'agree' ? 1 : 0,
    brandConflict: brand === 'conflict' ? 1 : 0,
    tierConflict: haveOtherChips(a.chips, b.chips) ? 1 : tierConflict(a.tiers, b.tiers, a, b),
    codeTierConflict: tierConflict(a.codeTiers, b.codeTiers, a, b),
    alternativeConflict: haveOtherAlternatives(a.alternatives, b.alternatives) ? 1 : 0,
    modelTierConflict: hasModelTier(a, b) || hasModelTier(b, a) ? 1 : 0,
    partConflict: arePartAndWhole(a, b) ? 1 : 0,
  };
}

/** Compares colours. Those of the metadata take precedence over the name, where "golden" may be part of a product's name. */
function compareColours(a: Profile, b: Profile): 'agree' | 'conflict' | 'unknown' {
  const both = a.statedColours.size > 0 && b.statedColours.size > 0;
  const ofA = a.statedColours.size > 0 ? a.statedColours : a.colours;
  const ofB = b.statedColours.size > 0 ? b.statedColours : b.colours;
  if (ofA.size === 0 || ofB.size === 0) return 'unknown';
  const { shared } = compareSets(ofA, ofB);
  if (shared > 0) return 'agree';
  if (both) return 'conflict';
  // A colour word that both names contain does not count as a colour if the metadata states another one:
  // it may be part of the product's name.
  const left = (some: ReadonlySet<string>, names: ReadonlySet<string>) =>
    [...some].some((one) => !names.has(one));
  return left(ofA, b.colours) && left(ofB, a.colours) ? 'conflict' : 'unknown';
}

/** Whether the names have different tier words after a common number ("13 Pro", "13 Mini"), of which one name lacks some. */
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

/** Whether the first listing has a model number with a tier word such as "plus", and the second has it without. */
const hasModelTier = ({ modelTiers }: Profile, { forms, codes, variants }: Profile): boolean =>
  modelTiers.some(
    ([model, tier]) => !forms.has(tier) && !variants.has(tier) && (forms.has(model) || codes.has(model)),
  );

/** From this number on, a bare number in a name can be that of the pieces in a pack. Smaller ones occur in many names. */
const MIN_DISTINCTIVE_COUNT = 10;

/** Whether the first listing is a pack, and neither name nor description of the second contains its number of pieces. */
function lacksPack({ measures }: Profile, other: Profile): boolean {
  const { pack, count } = measures;
  if (!pack || count === null || count < 2 || other.measures.count !== null) return false;
  const isInNumbers = count >= MIN_DISTINCTIVE_COUNT && other.forms.has(String(count));
  return !isInNumbers && other.described().measures().count !== count;
}

/** Compares brands. One that its own name lacks ("OEM", or the name of the shop) does not conflict with a brand in the name. */
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

/** Whether two sets have an item in common. */
export const shareAny = (some: Iterable<string>, others: ReadonlySet<string>): boolean =>
  [...some].some((one) => others.has(one));

/** Counts the shared and unshared items of two sets. @returns `conflict` 1 if each set has an item that the other lacks. */
export function compareSets(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
): { shared: number; unshared: number; conflict: 0 | 1 } {
  let shared = 0;
  for (const item of a) if (b.has(item)) shared += 1;
  const conflict = a.size > shared && b.size > shared ? 1 : 0;
  return { shared, unshared: a.size + b.size - 2 * shared, conflict };
}
