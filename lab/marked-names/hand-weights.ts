import { ROLES as ROLE_NAMES } from '../../src/schemas/roles.js';
import { readWeights, type Weights } from '../../src/naming/weights.js';

/** What the evidence for a token itself says about its role, set by hand. Fitting starts from these weights and is drawn to them. */
const ROLES: Readonly<Record<string, Record<string, number>>> = {
  kind: {
    'lexicon kind': 3,
    'stated kind': 1.5,
    'used mostly as a category': 1,
    'lexicon service': 1,
    'used mostly at the end': 0.7,
  },
  variant: {
    'lexicon variant': 3,
    'lexicon standard': 2,
    'lexicon service': 1,
    'stated value': 0.5,
    'used for many makers': 0.5,
  },
  colour: { 'lexicon colour': 3.5, 'stated colour': 2.5, 'lexicon shade': 1 },
  material: { 'lexicon material': 3 },
  tier: { 'lexicon tier': 3, 'amount grade': 5 },
  edition: { 'lexicon edition': 3 },
  generation: {
    'lexicon generation': 3,
    'shape year': 3,
    'amount ordinal': 1.5,
    'shape version': 3,
    'shape decimal': 1,
  },
  condition: { 'lexicon condition': 3.5, 'stated type': 0.5 },
  platform: { 'lexicon platform': 3 },
  language: { 'lexicon language': 3.5 },
  shop_talk: { 'lexicon shoptalk': 3 },
  noise: {
    ...{
      'lexicon target': 5,
      'lexicon with': 5,
      'lexicon and': 4,
      'lexicon article': 3.5,
      'lexicon preposition': 3.5,
    },
  },
  size: {
    ...{ 'amount number': 4, 'amount unit': 4, 'amount in one': 4, 'amount aperture': 4, 'amount word': 2.5 },
    ...{
      'amount short unit': 2.5,
      'amount in one, short': 2,
      'amount factor': 2.5,
      'lexicon paper': 3.5,
      'shape sign': 4,
    },
  },
  count: {
    'amount count number': 7,
    'amount count word': 7,
    'amount count in one': 3,
    'lexicon multiple': 3,
  },
  line: {
    'catalogue line': 3,
    'lexicon series': 2.5,
    'lexicon chip': 3,
    'lexicon unknown': 0.5,
    'used mostly for one maker': 1,
    'used often for one maker': 0.5,
  },
  maker: {
    'catalogue maker': 4,
    'catalogue likely maker': 1.5,
    'stated maker': 4,
    'lexicon makerword': 1,
    'used mostly as a maker': 1,
  },
  model: {
    ...{
      'stated model': 4,
      'shape barcode': 4,
      'shape many digits': 3,
      'shape long code': 3,
      'shape code': 2.5,
      'joined code': 1,
    },
    ...{
      'shape short code, letters first': 2,
      'shape short code, digits first': 1.5,
      'shape four digits': 2,
    },
    ...{ 'shape three digits': 1.5, 'shape two digits': 1, 'shape one digit': 1 },
    'surroundings number between word and amount': 3,
  },
  item: { 'position always': 2 },
  target: { 'lexicon target': 3, 'position after for': 4 },
  included: { 'lexicon chip': 2, 'position after with': 1 },
};
/** How much likelier two neighbours have the same role than two different ones, by the border between them. */
const SAME = { joined: 2, blank: 1, mark: 0 };
const SAME_SCOPE = 1.5;

const scaled = (weights: Record<string, number>, factor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(weights).map(([role, weight]) => [role, weight * factor]));

/** The weights that are set by hand. Evidence of all classifiers must be known already. */
export function handWeights(): Weights {
  const own: Record<string, Record<string, number>> = {};
  for (const [column, kinds] of Object.entries(ROLES))
    for (const [kind, weight] of Object.entries(kinds)) {
      (own[kind] ??= {})[column] = weight;
      if (/^(?:lexicon|catalogue|stated)/.test(kind)) (own[`${kind} (continued)`] ??= {})[column] = weight;
    }
  for (const [kind, weights] of Object.entries(own)) {
    const list = /^lexicon (\w+)$/.exec(kind)?.[1];
    if (list !== undefined) {
      own[`lexicon only ${list}`] = scaled(weights, 0.5);
      own[`lexicon phrase ${list}`] = scaled(weights, 0.5);
    }
  }
  for (const role of ROLE_NAMES) own[`read mostly as ${role}`] = { [role]: 1.5 };
  const roles = Object.keys(ROLES);
  const steps = (same: number) =>
    Object.fromEntries(
      roles.map((role) => [
        `${role} > ${role}`,
        ['item', 'target', 'included'].includes(role) ? SAME_SCOPE : same,
      ]),
    );
  return readWeights({
    evidence: { '0': own, '1': { 'lexicon platform': { item: 2 } } },
    scoped: {},
    steps: { joined: steps(SAME.joined), blank: steps(SAME.blank), mark: steps(SAME.mark) },
  });
}
