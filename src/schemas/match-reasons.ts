import { Type } from 'typebox';

/** What two listings of the same product may agree in, strongest first. */
const MATCH_REASONS = ['gtin', 'model', 'brand', 'name', 'size', 'version', 'colour', 'price'] as const;

export type MatchReason = (typeof MATCH_REASONS)[number];

/** What two listings of different products may differ in. `decision`: people decided that they differ. */
export const CONTRADICTIONS = [
  ...(['decision', 'identifier', 'maker', 'line', 'model', 'variant'] as const),
  ...(['kind', 'size', 'colour', 'edition'] as const),
] as const;

export type Contradiction = (typeof CONTRADICTIONS)[number];

export const matchReasons = (description: string) =>
  Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...MATCH_REASONS] }), {
    description,
    examples: [['model', 'brand', 'name', 'colour']],
  });
