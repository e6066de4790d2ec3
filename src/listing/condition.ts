import type { Condition, ListingCondition } from '../schemas/condition.js';
import type { Product } from '../schemas/product.js';
import {
  CONDITION_ATTRIBUTES,
  conditionInName,
  conditionInText,
  readCondition,
  withoutCondition,
} from '../naming/condition.js';
import { type AttributePair, attributePairs } from './attributes.js';
import type { ListingInternals, StoredCondition } from './listing.js';

type Stated = Pick<ListingInternals, 'condition'>;

/** The first of: the condition in the field (`stated`) or else in an attribute, unless it is new; that in the name; new. */
export function conditionOf(
  { name, metadata }: Pick<Product, 'name' | 'metadata'>,
  stated: Condition | null,
  pairs: readonly AttributePair[] = attributePairs(metadata),
): StoredCondition {
  const known = stated ?? conditionInAttributes(pairs);
  if (known !== null && known !== 'new') return { value: known, basis: 'stated', stated };
  const named = conditionInName(name);
  if (named !== null) return { value: named, basis: 'name', stated };
  return { value: 'new', basis: known === null ? 'assumed' : 'stated', stated };
}

/** The condition that the field `condition` of a record states, in the form that is stored until the whole listing is read. */
export const statedCondition = (stated: Condition | null): StoredCondition => ({
  value: stated ?? 'new',
  basis: stated === null ? 'assumed' : 'stated',
  stated,
});

function conditionInAttributes(pairs: readonly AttributePair[]): Condition | null {
  const texts = pairs.filter(({ name }) => CONDITION_ATTRIBUTES.has(name)).map(({ written }) => written);
  const found = texts.map(readCondition);
  return found.find((one) => one !== null && one !== 'new') ?? found.find((one) => one !== null) ?? null;
}

/** Explains that the name of a listing contradicts the stated condition; null if it does not. */
export function conditionConflict(
  { name, metadata }: Pick<Product, 'name' | 'metadata'>,
  { condition }: Stated,
): string | null {
  const named = conditionInName(name);
  if (named === null) return null;
  const stated = condition?.stated ?? conditionInAttributes(attributePairs(metadata));
  return stated === 'new' ? `the feed states new, the name says ${named}` : null;
}

/** The member that `include=condition` adds to a listing. */
export const conditionMember = ({ condition }: Partial<Stated> = {}): { condition: ListingCondition } => ({
  condition: { value: condition?.value ?? 'new', basis: condition?.basis ?? 'assumed' },
});

/** The conditions of the goods of which a best offer is chosen: those that a request filters by, else the one that its text names, else new. */
export const conditionsOfBest = (query: {
  q?: string | undefined;
  condition?: readonly Condition[] | undefined;
}): readonly Condition[] =>
  query.condition?.length ? query.condition : [conditionInSearch(query.q ?? '') ?? 'new'];

/** The condition that a search text of several words names. An identifier or an address names none. */
export const conditionInSearch = (q: string): 'refurbished' | 'used' | null =>
  /^\s*\S+:\/\//u.test(q) || withoutCondition(q).length < 2 || !SEVERAL_WORDS.test(q.trim())
    ? null
    : conditionInText(q);

const SEVERAL_WORDS = /\s|[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Whether a listing is in one of the given conditions. True for a listing of an earlier version, which states no condition. */
export const isInCondition = (
  { internal: { condition } }: { internal: Stated },
  wanted: readonly Condition[],
): boolean => condition === undefined || wanted.includes(condition.value);
