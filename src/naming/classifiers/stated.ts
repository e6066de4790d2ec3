import { evidenceOf, type Proposals } from '../evidence.js';
import { readTokens, type Tokens } from '../tokens.js';

/** What a feed states about a listing in fields of their own. */
export interface StatedFields {
  brand?: string | null;
  /** Model and part numbers. */
  models?: readonly string[];
  categories?: readonly string[];
  /** Texts of attributes by name. */
  attributes?: ReadonlyMap<string, string>;
}

const E = evidenceOf('stated', [
  ...([
    'maker',
    'maker (continued)',
    'model',
    'model (continued)',
    'kind',
    'colour',
    'type',
    'value',
  ] as const),
]);
const MAX_TOKENS = 8;
const COLOUR = /colou?r/;

/** Proposes the words of a name that the feed states in a field of its own as well. */
export function classifyStated(tokens: Tokens, proposals: Proposals, stated: StatedFields): void {
  const { brand = null, models = [], categories = [], attributes = new Map<string, string>() } = stated;
  if (brand !== null) propose(brand, E.maker, E['maker (continued)']);
  for (const model of models) propose(model, E.model, E['model (continued)']);
  const words = (texts: Iterable<string>, kind: number) => {
    const found = new Set([...texts].flatMap((text) => readTokens(text).text.map(stem)));
    if (found.size > 0)
      tokens.text.forEach((word, at) => {
        if (word.length > 2 && found.has(stem(word))) proposals.add(at, kind);
      });
  };
  words(categories, E.kind);
  const [colours, types, values]: [string[], string[], string[]] = [[], [], []];
  for (const [name, text] of attributes)
    (COLOUR.test(name) ? colours : name === 'type' ? types : values).push(text);
  words(colours, E.colour);
  words(types, E.type);
  words(values, E.value);

  function propose(field: string, first: number, inside: number): void {
    const key = readTokens(field).text.join('');
    if (key.length < 2) return;
    for (let from = 0; from < tokens.text.length; from += 1) {
      let joined = '';
      for (
        let to = from;
        to < Math.min(tokens.text.length, from + MAX_TOKENS) && joined.length < key.length;
        to += 1
      ) {
        joined += tokens.text[to] ?? '';
        if (joined === key) proposals.addSpan(from, to + 1, first, inside);
      }
    }
  }
}

const stem = (word: string): string => word.replace(/(?<=...)s$/, '');
