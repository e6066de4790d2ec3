import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ROLES as ROLE_NAMES } from '../../src/schemas/roles.js';
import { readWeights, type Weights } from '../../src/naming/weights.js';

/** The weights of hand-weights.yaml: by role or scope, the kinds of evidence for it. */
const ROLES = parse(readFileSync(new URL('hand-weights.yaml', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, number>
>;
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
