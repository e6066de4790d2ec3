import { isDeepStrictEqual } from 'node:util';
import type { Check, Kind, Pick, Question } from './traffic.js';

/** The number of fixed requests of each kind, per unit of the kind's weight. */
const QUESTIONS_PER_WEIGHT = 6;

const keyOf = ({ method, path, body }: Question) => `${method} ${path} ${body ?? ''}`;

/**
 * Returns the same kinds of requests, but each with a fixed list of requests from which one is drawn each
 * time. The responses to the same request can then be compared.
 */
export function withFixedQuestions(kinds: readonly Kind[]): { kinds: Kind[]; questions: Question[] } {
  const pick: Pick = (list) => list[Math.floor(Math.random() * list.length)] as (typeof list)[number];
  const questions: Question[] = [];
  const fixed = kinds.map((kind): Kind => {
    const made = Array.from({ length: kind.weight * QUESTIONS_PER_WEIGHT }, () => kind.make(pick));
    if (kind.status === 200 && kind.leaves !== true)
      questions.push(...made.map(({ method = 'GET', path, body = null }) => ({ method, path, body })));
    return { ...kind, make: (choose) => choose(made) };
  });
  return { kinds: fixed, questions };
}

/** The responses that the service gives while there is no fault. */
export interface Reference {
  /** Compares a response with the recorded response to the same request. */
  check: Check;
  /** The number of requests whose responses can be compared with a recorded one. */
  compared: number;
  /** The requests that are not compared, because their responses change with time. */
  varying: string[];
}

/**
 * Records the responses to the requests, from each instance of the service. If the instances give different
 * responses to a request, the response depends on the time and is not compared later.
 * @param ask returns the body of a response with status 200.
 * @throws if a response has another status.
 */
export async function recordReference(
  questions: readonly Question[],
  instances: readonly string[],
  ask: (url: string, question: Question) => Promise<string>,
): Promise<Reference> {
  const answers = new Map<string, unknown>();
  const varying: string[] = [];
  for (const question of questions) {
    const key = keyOf(question);
    if (answers.has(key)) continue;
    const given = await Promise.all(instances.map(async (url) => readable(await ask(url, question))));
    if (given.every((answer) => isDeepStrictEqual(answer, given[0]))) answers.set(key, given[0]);
    else varying.push(key);
  }
  const check: Check = (question, text) => {
    const key = keyOf(question);
    if (!answers.has(key)) return null;
    const expected = answers.get(key);
    const found = readable(text);
    return isDeepStrictEqual(found, expected) ? null : `a wrong answer: ${difference(expected, found)}`;
  };
  return { check, compared: answers.size, varying };
}

const readable = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Describes the first difference between two response bodies. */
function difference(expected: unknown, found: unknown, path = ''): string {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  if (isObject(expected) && isObject(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)]))
      if (!isDeepStrictEqual(expected[name], found[name]))
        return difference(expected[name], found[name], `${path}/${name}`);
  }
  const short = (value: unknown) => String(JSON.stringify(value)).slice(0, 200);
  return `${path} should be ${short(expected)} and is ${short(found)}`;
}
