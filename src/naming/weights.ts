import { evidence, evidenceNames } from './evidence.js';
import { ROLES, SCOPES } from '../schemas/roles.js';

export const [ROLE_COUNT, SCOPE_COUNT] = [ROLES.length, SCOPES.length];
/** The numbers of a row of weights: one for each role, then one for each scope. */
export const ROW = ROLE_COUNT + SCOPE_COUNT;
/** How many neighbours' evidence counts for a token: its own, that of the token before it and that of the token after it. */
export const OFFSETS = [0, -1, 1] as const;
/** The kinds of borders between two tokens, each of which has its own weights of neighbouring roles. */
export const BORDERS = ['joined', 'blank', 'mark'] as const;

/** What the solver adds up, in one table each. */
export type Weights = ReturnType<typeof noWeights>;

/** The number of weights of one kind of evidence: a row for each offset. */
export const ROWS = OFFSETS.length * ROW;
/** The index in the table at which the row of a kind of evidence for an offset (an index of `OFFSETS`) begins. */
export const evidenceRow = (kind: number, offset: number): number => kind * ROWS + offset * ROW;

/** Weights by name, without those that are zero, as they are stored. */
export interface WeightFile {
  /** For each offset (`0`, `-1`, `1`) the weights of roles and scopes by kind of evidence. */
  evidence: Record<string, Record<string, Record<string, number>>>;
  /** The weight of each label, by its name `role/scope`. */
  scoped: Record<string, number>;
  /** For each kind of border, the weights of `role > role` and `scope > scope`. */
  steps: Record<string, Record<string, number>>;
}

/** The names of the numbers of a row. */
export const COLUMNS: readonly string[] = [...ROLES, ...SCOPES];
/** The names of the weights of roles in scopes. */
export const SCOPED_NAMES = ROLES.flatMap((role) => SCOPES.map((scope) => `${role}/${scope}`));
/** The names of the weights for two neighbouring roles, then of those for two neighbouring scopes. */
export const STEP_NAMES = [ROLES, SCOPES].flatMap((list: readonly string[]) =>
  list.flatMap((before) => list.map((after) => `${before} > ${after}`)),
);
/** The number of weights of neighbouring roles and scopes for one kind of border. */
export const STEP = STEP_NAMES.length;

/** Weights of zero, for all kinds of evidence that the classifiers know. */
export function noWeights() {
  const kinds = evidenceNames().length;
  return {
    /** The weights of evidence: for each kind of evidence and offset, one for each role and scope, at the index `evidenceRow`. */
    evidence: new Float64Array(kinds * ROWS),
    /** How many kinds of evidence the table has. */
    kinds,
    /** The weight of each pair of role and scope. */
    scoped: new Float64Array(SCOPED_NAMES.length),
    /** The weights of transitions, for each kind of border: those of all pairs of roles, then those of all pairs of scopes. */
    steps: new Float64Array(BORDERS.length * STEP),
  };
}

/** Reads stored weights. Kinds of evidence that no classifier knows any more are ignored. */
export function readWeights(file: WeightFile): Weights {
  for (const rows of Object.values(file.evidence)) Object.keys(rows).forEach(evidence);
  const weights = noWeights();
  OFFSETS.forEach((offset, table) => {
    for (const [name, row] of Object.entries(file.evidence[offset] ?? {}))
      COLUMNS.forEach((column, at) => {
        weights.evidence[evidenceRow(evidence(name), table) + at] = row[column] ?? 0;
      });
  });
  weights.scoped.set(SCOPED_NAMES.map((name) => file.scoped[name] ?? 0));
  weights.steps.set(BORDERS.flatMap((border) => STEP_NAMES.map((name) => file.steps[border]?.[name] ?? 0)));
  return weights;
}
