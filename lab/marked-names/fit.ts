import { LABELS, borderAt, scoresOf } from '../../src/naming/solver.js';
import type { Proposals } from '../../src/naming/evidence.js';
import type { Tokens } from '../../src/naming/tokens.js';
import { handWeights } from './hand-weights.js';
import {
  BORDERS,
  evidenceRow,
  noWeights,
  OFFSETS,
  ROLE_COUNT,
  ROW,
  SCOPE_COUNT,
  STEP,
  type Weights,
} from '../../src/naming/weights.js';

export interface Example {
  tokens: Tokens;
  proposals: Proposals;
  labels: readonly number[];
}

/** The penalty of the squares of changed weights, the step width, and the number of passes over all names. */
const FITTING = { l2: 0.004, rate: 0.05, passes: 15 };
const BATCH = 10;
const [DECAY, SQUARE_DECAY, EPSILON] = [0.9, 0.999, 1e-8];

const roleOf = (label: number): number => Math.floor(label / SCOPE_COUNT);
const scopeOf = (label: number): number => label % SCOPE_COUNT;
const tables = (weights: Weights) => [weights.evidence, weights.scoped, weights.steps] as const;

/** Fits weights so that the right labels of all names become as probable as possible (a conditional random field, by Adam). */
export function fitWeights(examples: readonly Example[]): Weights {
  const { l2, rate, passes } = FITTING;
  const [weights, prior] = [handWeights(), handWeights()];
  const [gradient, mean, square] = [noWeights(), noWeights(), noWeights()];
  let step = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    const width = rate * (1 - pass / passes);
    for (let part = 0; part < BATCH; part += 1) {
      const batch = examples.filter((_, at) => (at + pass) % BATCH === part);
      if (batch.length === 0) continue;
      for (const table of tables(gradient)) table.fill(0);
      const potentials = stepPotentials(weights);
      for (const example of batch) addGradient(example, weights, potentials, gradient);
      step += 1;
      tables(weights).forEach((table, index) => {
        const [g, m, v, start] = [gradient, mean, square, prior].map((one) => tables(one)[index]) as [
          Float64Array,
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        for (let at = 0; at < table.length; at += 1) {
          const slope = (g[at] ?? 0) / batch.length - l2 * ((table[at] ?? 0) - (start[at] ?? 0));
          if (slope === 0) continue;
          m[at] = DECAY * (m[at] ?? 0) + (1 - DECAY) * slope;
          v[at] = SQUARE_DECAY * (v[at] ?? 0) + (1 - SQUARE_DECAY) * slope * slope;
          const unbiased = (m[at] ?? 0) / (1 - DECAY ** step);
          table[at] =
            (table[at] ?? 0) +
            (width * unbiased) / (Math.sqrt((v[at] ?? 0) / (1 - SQUARE_DECAY ** step)) + EPSILON);
        }
      });
    }
  }
  return weights;
}

/** The exponentials of the weights of neighbours, by border: of roles, and of scopes. */
interface Potentials {
  roles: Float64Array;
  scopes: Float64Array;
}

function stepPotentials({ steps }: Weights): Potentials[] {
  const exponentials = (from: number, count: number) =>
    Float64Array.from(steps.subarray(from, from + count * count), Math.exp);
  return BORDERS.map((_, border) => ({
    roles: exponentials(border * STEP, ROLE_COUNT),
    scopes: exponentials(border * STEP + ROLE_COUNT * ROLE_COUNT, SCOPE_COUNT),
  }));
}

/** One step of the forward or backward algorithm. The potentials of roles do not depend on scopes, so they are multiplied in turn. */
function stepRow(
  row: Float64Array,
  { roles, scopes }: Potentials,
  isBackwards: boolean,
): { roles: Float64Array; labels: Float64Array } {
  const byRole = new Float64Array(LABELS);
  for (let role = 0; role < ROLE_COUNT; role += 1)
    for (let other = 0; other < ROLE_COUNT; other += 1) {
      const potential =
        (isBackwards ? roles[role * ROLE_COUNT + other] : roles[other * ROLE_COUNT + role]) ?? 0;
      for (let scope = 0; scope < SCOPE_COUNT; scope += 1)
        byRole[role * SCOPE_COUNT + scope] =
          (byRole[role * SCOPE_COUNT + scope] ?? 0) + potential * (row[other * SCOPE_COUNT + scope] ?? 0);
    }
  return { roles: byRole, labels: stepScopes(byRole, scopes, isBackwards) };
}

function stepScopes(row: Float64Array, scopes: Float64Array, isBackwards: boolean): Float64Array {
  const result = new Float64Array(LABELS);
  for (let label = 0; label < LABELS; label += 1) {
    const [role, scope] = [roleOf(label), scopeOf(label)];
    for (let other = 0; other < SCOPE_COUNT; other += 1)
      result[label] =
        (result[label] ?? 0) +
        ((isBackwards ? scopes[scope * SCOPE_COUNT + other] : scopes[other * SCOPE_COUNT + scope]) ?? 0) *
          (row[role * SCOPE_COUNT + other] ?? 0);
  }
  return result;
}

const product = (a: Float64Array, b: Float64Array): Float64Array =>
  a.map((value, at) => value * (b[at] ?? 0));
function normalized(row: Float64Array): Float64Array {
  const sum = row.reduce((a, b) => a + b, 0);
  return row.map((value) => value / sum);
}

/** The exponentials of the scores of each label of a token, relative to the best one. */
function ownRow(scores: Float64Array, token: number, { scoped }: Weights): Float64Array {
  const row = Float64Array.from(
    { length: LABELS },
    (_, label) =>
      (scores[token * ROW + roleOf(label)] ?? 0) +
      (scores[token * ROW + ROLE_COUNT + scopeOf(label)] ?? 0) +
      (scoped[label] ?? 0),
  );
  const most = row.reduce((a, b) => Math.max(a, b), -Infinity);
  return row.map((score) => Math.exp(score - most));
}

const add = (table: Float64Array, at: number, value: number): void => {
  table[at] = (table[at] ?? 0) + value;
};

/** Adds what is right minus what is expected, for each weight (forward-backward algorithm). */
function addGradient(
  { tokens, proposals, labels }: Example,
  weights: Weights,
  potentials: readonly Potentials[],
  gradient: Weights,
): void {
  const length = labels.length;
  const scores = scoresOf(proposals, weights);
  const step = (token: number) => potentials[borderAt(tokens, token)] as Potentials;
  const own = Array.from({ length }, (_, token) => ownRow(scores, token, weights));
  const forward: Float64Array[] = [];
  const before: Float64Array[] = [];
  own.forEach((row, token) => {
    if (token === 0) forward.push(normalized(row));
    else {
      const stepped = stepRow(forward[token - 1] as Float64Array, step(token), false);
      before[token] = stepped.roles;
      forward.push(normalized(product(stepped.labels, row)));
    }
  });
  const backward = new Array<Float64Array>(length);
  backward[length - 1] = new Float64Array(LABELS).fill(1);
  for (let token = length - 2; token >= 0; token -= 1)
    backward[token] = normalized(
      stepRow(
        product(own[token + 1] as Float64Array, backward[token + 1] as Float64Array),
        step(token + 1),
        true,
      ).labels,
    );
  for (let token = 0; token < length; token += 1) {
    const expected = normalized(product(forward[token] as Float64Array, backward[token] as Float64Array));
    const right = labels[token] ?? 0;
    const change = new Float64Array(ROW);
    expected.forEach((share, label) => {
      const rest = (label === right ? 1 : 0) - share;
      add(gradient.scoped, label, rest);
      change[roleOf(label)] = (change[roleOf(label)] ?? 0) + rest;
      change[ROLE_COUNT + scopeOf(label)] = (change[ROLE_COUNT + scopeOf(label)] ?? 0) + rest;
    });
    OFFSETS.forEach((offset, index) => {
      for (const kind of proposals.of(token + offset))
        for (let at = 0; at < ROW; at += 1)
          add(gradient.evidence, evidenceRow(kind, index) + at, change[at] ?? 0);
    });
    if (token > 0) addSteps(token, right);
  }

  function addSteps(token: number, right: number): void {
    const { roles, scopes } = step(token);
    const base = borderAt(tokens, token) * STEP;
    const here = product(own[token] as Float64Array, backward[token] as Float64Array);
    const previous = forward[token - 1] as Float64Array;
    const after = stepScopes(here, scopes, true);
    const pairs = new Float64Array(ROLE_COUNT * ROLE_COUNT);
    for (let one = 0; one < ROLE_COUNT; one += 1)
      for (let other = 0; other < ROLE_COUNT; other += 1) {
        let sum = 0;
        for (let scope = 0; scope < SCOPE_COUNT; scope += 1)
          sum += (previous[one * SCOPE_COUNT + scope] ?? 0) * (after[other * SCOPE_COUNT + scope] ?? 0);
        pairs[one * ROLE_COUNT + other] = sum * (roles[one * ROLE_COUNT + other] ?? 0);
      }
    const scopePairs = new Float64Array(SCOPE_COUNT * SCOPE_COUNT);
    for (let label = 0; label < LABELS; label += 1)
      for (let scope = 0; scope < SCOPE_COUNT; scope += 1) {
        const at = scopeOf(label) * SCOPE_COUNT + scope;
        scopePairs[at] =
          (scopePairs[at] ?? 0) +
          ((before[token] as Float64Array)[label] ?? 0) *
            (scopes[at] ?? 0) *
            (here[roleOf(label) * SCOPE_COUNT + scope] ?? 0);
      }
    normalized(pairs).forEach((share, at) => {
      add(gradient.steps, base + at, -share);
    });
    normalized(scopePairs).forEach((share, at) => {
      add(gradient.steps, base + ROLE_COUNT * ROLE_COUNT + at, -share);
    });
    const last = labels[token - 1] ?? 0;
    add(gradient.steps, base + roleOf(last) * ROLE_COUNT + roleOf(right), 1);
    add(gradient.steps, base + ROLE_COUNT * ROLE_COUNT + scopeOf(last) * SCOPE_COUNT + scopeOf(right), 1);
  }
}
