/** The prefix of the names of query clauses that search for a single word. */
export const WORD = 'word:';

const CLAUSE_NAMES: Readonly<Record<string, string>> = {
  name: 'neighbours',
  'name.codes': 'model_number',
  'internal.identifiers.codes': 'identifier_part',
  'internal.identifiers': 'identifier',
};

type QueryNode = Record<string, unknown>;

/** Adds a name to each scoring clause of a query, so that each hit reports which clauses it matched. */
export function withClauseNames<T>(query: T): T {
  return withNamesWithin(query) as T;
}

function withNamesWithin(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNamesWithin);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([kind, body]) => [kind, named(kind, body as QueryNode)]),
  );
}

function named(kind: string, body: QueryNode): unknown {
  if (kind === 'constant_score') return { _name: nameOf(body), ...body };
  // Clauses in a filter get no name, because they do not contribute to the score that is explained.
  if (kind === 'filter') return body;
  if (kind === 'terms') return { ...body, _name: 'identifier' };
  if (kind !== 'match' && kind !== 'term') return withNamesWithin(body);
  return Object.fromEntries(
    Object.entries(body).map(([field, one]) => [field, { ...(one as object), _name: CLAUSE_NAMES[field] }]),
  );
}

/** The name that an explained query gives to a clause with a constant score: `kind` for a clause about the kind of product. */
const nameOf = (constant: QueryNode): string | undefined => (textIn(constant) === null ? 'kind' : undefined);

function textIn(node: unknown): string | null {
  if (typeof node !== 'object' || node === null) return null;
  for (const [kind, body] of Object.entries(node)) {
    const text = kind === 'combined_fields' ? String((body as QueryNode)['query']) : textIn(body);
    if (text !== null) return text;
  }
  return null;
}
