import { Type } from 'typebox';
import { flagParameter } from '../schemas/types.js';
import type { ValidationIssue } from '../platform/errors.js';
import type { Described } from './endpoint.js';
import { patternsOf } from './validation.js';

/** The parameter that every path below `/v1` has besides its own. */
export const STRICT = Type.Object({
  strict: flagParameter(
    'Answers a query parameter, or a top-level member of the body, that this path does not have with 422 (`extra_forbidden`). ' +
      'By default they are ignored',
  ),
});

/** Whether an endpoint has the parameter `strict`. */
export const isVersioned = ({ path }: Pick<Described, 'path'>): boolean => /^\/v1(?:\/|$)/.test(path);

/** The maximum number of findings, because a large body may have very many members. */
const MAX_FINDINGS = 100;

export function unknownMembers(
  { query, body }: Pick<Described, 'query' | 'body'>,
  input: { query?: object; body?: unknown },
): ValidationIssue[] {
  const patterns = patternsOf(query).map(([pattern]) => new RegExp(pattern));
  const isKnown = (name: string) =>
    Object.hasOwn(query.properties, name) ||
    Object.hasOwn(STRICT.properties, name) ||
    patterns.some((pattern) => pattern.test(name));
  const unknown = Object.keys(input.query ?? {}).filter((name) => !isKnown(name));
  const given = input.body;
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const members =
    body === null || !isObject
      ? []
      : Object.keys(given).filter((name) => !Object.hasOwn(body.properties, name));
  return [
    ...unknown.map((name) => forbidden('query', name)),
    ...members.map((name) => forbidden('body', name)),
  ].slice(0, MAX_FINDINGS);
}

const forbidden = (where: string, name: string): ValidationIssue => ({
  loc: [where, name],
  msg: 'Extra inputs are not permitted',
  type: 'extra_forbidden',
});
