import type { Proposals } from './evidence.js';
import { GAP, type Tokens } from './tokens.js';
import { OFFSETS, ROLE_COUNT, ROW, ROWS, SCOPE_COUNT, STEP, type Weights } from './weights.js';

/** A role in a scope, as `role * SCOPE_COUNT + scope`. */
export type Label = number;
export const LABELS = ROLE_COUNT * SCOPE_COUNT;
/** The number of roles of a token that are compared. Roles with lower scores are hardly ever the best. */
const MAX_ROLES = 5;

/** The kind of border (`BORDERS`) before a token. */
export const borderAt = ({ gap }: Tokens, token: number): number =>
  gap[token] === GAP.mark ? 2 : gap[token] === GAP.blank ? 1 : 0;

/** The sum of the weights of the evidence for each role and each scope of each token, as `ROW` numbers for a token. */
export function scoresOf(proposals: Proposals, { evidence, kinds }: Weights): Float64Array {
  const { length } = proposals;
  const scores = new Float64Array(length * ROW);
  const sums = new Float64Array(ROWS);
  for (let source = 0; source < length; source += 1) {
    sums.fill(0);
    for (const kind of proposals.of(source)) {
      // A kind of evidence that is newer than the weights has no weights.
      if (kind >= kinds) continue;
      const row = kind * ROWS;
      for (let at = 0; at < ROWS; at += 1) sums[at] = (sums[at] as number) + (evidence[row + at] as number);
    }
    for (let offset = 0; offset < OFFSETS.length; offset += 1) {
      const token = source - (OFFSETS[offset] as number);
      if (token < 0 || token >= length) continue;
      for (let at = 0; at < ROW; at += 1)
        scores[token * ROW + at] = (scores[token * ROW + at] as number) + (sums[offset * ROW + at] as number);
    }
  }
  return scores;
}

/** The number of labels (pairs of role and scope) of a token that are compared. */
const WIDTH = MAX_ROLES * SCOPE_COUNT;
const SCOPE_STEPS = ROLE_COUNT * ROLE_COUNT;

/** Finds the labels with the largest sum of weights (Viterbi), in time in proportion to the number of tokens. */
export function solve(tokens: Tokens, proposals: Proposals, weights: Weights): Label[] {
  const { length } = proposals;
  if (length === 0) return [];
  const { steps, scoped } = weights;
  const scores = scoresOf(proposals, weights);
  const roles = new Uint8Array(length * MAX_ROLES);
  const sums = new Float64Array(length * WIDTH);
  const back = new Uint8Array(length * WIDTH);
  // For each role of this token and each scope of the token before it, the best sum of weights that leads there.
  const reached = new Float64Array(WIDTH);
  const from = new Uint8Array(WIDTH);
  for (let token = 0; token < length; token += 1) {
    const [row, first, here] = [token * ROW, token * MAX_ROLES, token * WIDTH];
    bestRoles(scores, row, roles, first);
    const step = borderAt(tokens, token) * STEP;
    if (token > 0) {
      for (let slot = 0; slot < MAX_ROLES; slot += 1)
        for (let scope = 0; scope < SCOPE_COUNT; scope += 1) {
          let best = -Infinity;
          for (let before = 0; before < MAX_ROLES; before += 1) {
            const sum =
              (sums[here - WIDTH + before * SCOPE_COUNT + scope] as number) +
              (steps[
                step +
                  (roles[first - MAX_ROLES + before] as number) * ROLE_COUNT +
                  (roles[first + slot] as number)
              ] as number);
            if (sum <= best) continue;
            best = sum;
            from[slot * SCOPE_COUNT + scope] = before * SCOPE_COUNT + scope;
          }
          reached[slot * SCOPE_COUNT + scope] = best;
        }
    }
    for (let slot = 0; slot < MAX_ROLES; slot += 1)
      for (let scope = 0; scope < SCOPE_COUNT; scope += 1) {
        const role = roles[first + slot] as number;
        let best = token === 0 ? 0 : -Infinity;
        for (let before = 0; token > 0 && before < SCOPE_COUNT; before += 1) {
          const way = slot * SCOPE_COUNT + before;
          const sum =
            (reached[way] as number) + (steps[step + SCOPE_STEPS + before * SCOPE_COUNT + scope] as number);
          if (sum <= best) continue;
          best = sum;
          back[here + slot * SCOPE_COUNT + scope] = from[way] as number;
        }
        sums[here + slot * SCOPE_COUNT + scope] =
          best +
          (scores[row + role] as number) +
          (scores[row + ROLE_COUNT + scope] as number) +
          (scoped[role * SCOPE_COUNT + scope] as number);
      }
  }
  return backtrack(roles, sums, back);
}

function backtrack(roles: Uint8Array, sums: Float64Array, back: Uint8Array): Label[] {
  const length = sums.length / WIDTH;
  const path = new Array<Label>(length);
  const last = (length - 1) * WIDTH;
  let state = 0;
  for (let other = 1; other < WIDTH; other += 1)
    if ((sums[last + other] as number) > (sums[last + state] as number)) state = other;
  for (let token = length - 1; token >= 0; token -= 1) {
    const role = roles[token * MAX_ROLES + Math.floor(state / SCOPE_COUNT)] as number;
    path[token] = role * SCOPE_COUNT + (state % SCOPE_COUNT);
    state = back[token * WIDTH + state] as number;
  }
  return path;
}

/** Writes the roles with the largest scores of a token, the best one first. */
function bestRoles(scores: Float64Array, row: number, roles: Uint8Array, first: number): void {
  let count = 0;
  for (let role = 0; role < ROLE_COUNT; role += 1) {
    const score = scores[row + role] as number;
    let place = count;
    while (place > 0 && (scores[row + (roles[first + place - 1] as number)] as number) < score) {
      if (place < MAX_ROLES) roles[first + place] = roles[first + place - 1] as number;
      place -= 1;
    }
    if (place < MAX_ROLES) roles[first + place] = role;
    if (count < MAX_ROLES) count += 1;
  }
}
