/**
 * What a word of a name means. `maker`: who makes the product. `line`: its series. `model`: what identifies it within the
 * line. `variant`: a feature without a role of its own. `tier`: a step of a range. `edition`: for whom or how it is sold.
 * `generation`: a version or year. `kind`: what it is. `size`: a measure of one piece. `count`: how many pieces are sold.
 * `shop_talk`: praise and offers. `noise`: words without a meaning of their own. lab/names/marking.md has examples of each.
 */
export const ROLES = [
  ...(['maker', 'line', 'model', 'variant', 'tier', 'edition', 'generation'] as const),
  ...(['kind', 'size', 'count'] as const),
  ...(['colour', 'material', 'condition', 'platform', 'language', 'shop_talk', 'noise'] as const),
] as const;
export type Role = (typeof ROLES)[number];

/** Which thing a word is about: what is sold, what it is made for, or what comes with it. */
export const SCOPES = ['item', 'target', 'included'] as const;
export type Scope = (typeof SCOPES)[number];
