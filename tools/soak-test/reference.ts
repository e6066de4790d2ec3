import { isDeepStrictEqual } from 'node:util';
import { type Check, type Kind, pickAny, type Question, questionOf } from './traffic.js';

const QUESTIONS_PER_WEIGHT = 6;

const keyOf = ({ method, path, body }: Question) => `${method} ${path} ${body ?? ''}`;

/** Lets each kind choose from a fixed list of requests, so that responses can be compared. */
export function withFixedQuestions(kinds: readonly Kind[]): { kinds: Kind[]; questions: Question[] } {
  const questions: Question[] = [];
  const fixed = kinds.map((kind): Kind => {
    const made = Array.from({ length: kind.weight * QUESTIONS_PER_WEIGHT }, () => kind.make(pickAny));
    if (kind.status === 200 && kind.leaves !== true) questions.push(...made.map(questionOf));
    return { ...kind, make: (pick) => pick(made) };
  });
  return { kinds: fixed, questions };
}

export interface Reference {
  check: Check;
  compared: number;
  /** The requests that are not compared, because their responses change with time. */
  varying: string[];
}

/** Records the responses of each instance. A request whose responses differ depends on time and is not compared. */
export async function recordReference(
  questions: readonly Question[],
  instances: readonly string[],
  fetchText: (url: string, question: Question) => Promise<string>,
): Promise<Reference> {
  const answers = new Map<string, unknown>();
  const varying: string[] = [];
  for (const question of questions) {
    const key = keyOf(question);
    if (answers.has(key)) continue;
    const given = await Promise.all(instances.map(async (url) => readable(await fetchText(url, question))));
    if (given.every((answer) => isDeepStrictEqual(answer, given[0]))) answers.set(key, given[0]);
    else varying.push(key);
  }
  const check: Check = (question, text) => {
    const key = keyOf(question);
    if (!answers.has(key)) return null;
    const expected = answers.get(key);
    const found = readable(text);
    return isDeepStrictEqual(found, expected) ? null : `a wrong response: ${difference(expected, found)}`;
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
