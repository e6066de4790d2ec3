import { foldValue } from '../../text/fold.js';

/** Where the values of each attribute are, under its name. */
const VALUES = 'internal.attribute_values';
/** Where its values stand as feeds write them. */
const WRITTEN = 'internal.attribute_spellings';

const BRITISH = /(?<!\p{L})colour(?=s?(?!\p{L}))/gu;
const AMERICAN = /(?<!\p{L})color(?=s?(?!\p{L}))/gu;

/** The one name of an attribute: folded, and in British spelling, so that `color` and `colour` are one attribute. */
export const attributeName = (name: string): string => foldValue(name).replaceAll(AMERICAN, 'colour');

/** The names under which listings state an attribute. */
export const statedNames = (attribute: string): string[] => [
  ...new Set([attribute, attribute.replaceAll(BRITISH, 'color')]),
];

/** The fields of an attribute's values, one for each name that listings state it under. */
export const attributeFields = (attribute: string): { field: string; written: string }[] =>
  statedNames(attribute).map((name) => ({ field: `${VALUES}.${name}`, written: `${WRITTEN}.${name}` }));
