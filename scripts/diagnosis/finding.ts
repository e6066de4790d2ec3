import type { CommandEngine } from '../shared/engine.js';

/** `WARN`: something needs work, but nothing is lost or refused. `FAIL`: something is, or soon will be. */
export type State = 'OK' | 'WARN' | 'FAIL';

/** The result of one check of `npm run doctor`. */
export interface Finding {
  state: State;
  /** A short sentence; several lines for a list. */
  text: string;
  /** The command that solves the problem, or the page that explains it; null if there is nothing to do. */
  next: string | null;
}

/** What checks may use. */
export interface Patient {
  engine: CommandEngine;
  env: NodeJS.ProcessEnv;
  now: Date;
}

export type Check = (patient: Patient) => Promise<Finding[]>;

export const ok = (text: string): Finding => ({ state: 'OK', text, next: null });
export const warn = (text: string, next: string): Finding => ({ state: 'WARN', text, next });
export const fail = (text: string, next: string): Finding => ({ state: 'FAIL', text, next });

/** Returns the findings of a check; if it has found nothing, a single finding that all is well, with the text `otherwise`. */
export const unlessEmpty = (findings: readonly Finding[], otherwise: string): Finding[] =>
  findings.length === 0 ? [ok(otherwise)] : [...findings];
