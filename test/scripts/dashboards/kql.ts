import type { estypes } from '@elastic/elasticsearch';

/** A translated query of Kibana, and how it uses each field. */
export interface Parsed {
  query: estypes.QueryDslQueryContainer;
  uses: { field: string; as: 'exists' | 'value' | 'comparison'; value: string }[];
}

const TOKEN = /\s*(>=|<=|[()<>:]|"(?:[^"\\]|\\.)*"|[^\s()<>:"]+)/y;
const BOUNDS: Record<string, string> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' };

/**
 * Translates the part of Kibana's query language that the dashboards use, as Kibana does: `field: value`,
 * `field: *`, comparisons, and, or, not, brackets. @throws Error if the text contains anything else.
 */
export function parseKql(text: string): Parsed {
  const tokens = tokensOf(text);
  const uses: Parsed['uses'] = [];
  let position = 0;
  const take = () => tokens[position++];
  const isNext = (token: string) => tokens[position]?.toLowerCase() === token;
  const unexpected = (token: string | undefined): Error =>
    new Error(`KQL that is not understood: ${token ?? 'an end'} in "${text}"`);

  function joined(word: 'or' | 'and', part: () => estypes.QueryDslQueryContainer) {
    const parts = [part()];
    while (isNext(word)) {
      take();
      parts.push(part());
    }
    if (parts.length === 1 && parts[0] !== undefined) return parts[0];
    return { bool: word === 'or' ? { should: parts, minimum_should_match: 1 } : { filter: parts } };
  }
  const any = (): estypes.QueryDslQueryContainer => joined('or', all);
  const all = (): estypes.QueryDslQueryContainer => joined('and', one);

  function one(): estypes.QueryDslQueryContainer {
    const field = take();
    if (field?.toLowerCase() === 'not') return { bool: { must_not: [one()] } };
    if (field === '(') {
      const inside = any();
      const end = take();
      if (end !== ')') throw unexpected(end);
      return inside;
    }
    if (field === undefined || !/^[@a-z]/.test(field) || /^(and|or)$/i.test(field)) throw unexpected(field);
    return clause(field);
  }

  function clause(field: string): estypes.QueryDslQueryContainer {
    const operator = take();
    const value = take();
    if (value === undefined || /^[()<>:]|^(and|or|not)$/i.test(value)) throw unexpected(value);
    if (operator === ':' && value === '*') {
      uses.push({ field, as: 'exists', value });
      return { exists: { field } };
    }
    if (value.includes('*')) throw unexpected(value);
    if (operator === ':') {
      uses.push({ field, as: 'value', value });
      return { match: { [field]: value } };
    }
    const bound = BOUNDS[operator ?? ''];
    if (bound === undefined) throw unexpected(operator);
    uses.push({ field, as: 'comparison', value });
    return { range: { [field]: { [bound]: value } } };
  }

  if (tokens.length === 0) return { query: { match_all: {} }, uses };
  const query = any();
  if (position < tokens.length) throw unexpected(tokens[position]);
  return { query, uses };
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match?.[1] === undefined) throw new Error(`KQL that is not understood: "${text.slice(at)}"`);
    tokens.push(match[1]);
  }
  return tokens;
}
