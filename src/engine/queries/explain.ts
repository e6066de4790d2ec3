import { wordQueries } from './search.js';

/** What the names of the clauses of words begin with. */
export const WORD = 'word:';

/** What a clause is called, by the field that it looks in. */
const CALLED: Readonly<Record<string, string>> = {
  name: 'neighbours',
  'name.codes': 'model_number',
  'internal.identifiers.codes': 'identifier_part',
  'internal.identifiers': 'identifier',
};

type Node = Record<string, unknown>;

/** The same search with a name for each clause that scores, so that hits tell which of them found them. */
export function withNames<T>(query: T): T {
  return walk(query) as T;
}

function walk(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(walk);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([kind, body]) => [kind, named(kind, body as Node)]));
}

function named(kind: string, body: Node): unknown {
  if (kind === 'function_score' && textIn(body) !== null) return { ...body, _name: `${WORD}${textIn(body)}` };
  if (kind === 'constant_score') return { ...body, _name: nameOf(body) };
  // What narrows scores nothing.
  if (kind === 'filter') return body;
  if (kind === 'terms') return { ...body, _name: 'identifier' };
  if (kind !== 'match' && kind !== 'term') return walk(body);
  return Object.fromEntries(
    Object.entries(body).map(([field, one]) => [field, { ...(one as object), _name: CALLED[field] }]),
  );
}

/** What stands for being of a kind, for one word of several parts, or for neighbours that are one word. */
function nameOf(constant: Node): string {
  const text = textIn(constant);
  if (text === null) return 'kind';
  return wordQueries(text).length === 1 ? `${WORD}${text}` : 'joined';
}

/** The text of the first clause of words within. */
function textIn(node: unknown): string | null {
  if (typeof node !== 'object' || node === null) return null;
  for (const [kind, body] of Object.entries(node)) {
    const text = kind === 'combined_fields' ? String((body as Node)['query']) : textIn(body);
    if (text !== null) return text;
  }
  return null;
}
