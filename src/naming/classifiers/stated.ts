import { evidenceOf, type Proposals, spanEvidence } from '../evidence.js';
import { readTokens, type Tokens } from '../tokens.js';

/** What a feed states about a listing in separate fields, such as the brand, and not only in the name. */
export interface StatedFields {
  brand?: string | null;
  /** Model and part numbers. */
  models?: readonly string[];
  categories?: readonly string[];
  /** Texts of attributes by name. */
  attributes?: ReadonlyMap<string, string>;
}

const MAKER = spanEvidence('stated maker');
const MODEL = spanEvidence('stated model');
const E = evidenceOf('stated', ['kind', 'colour', 'type', 'value']);
const MAX_TOKENS = 8;

/** The kind of evidence that the values of an attribute with this name give. */
const evidenceOfAttribute = (name: string): number =>
  /colou?r/.test(name) ? E.colour : name === 'type' ? E.type : E.value;

/** Proposes the words of a name that the feed states in a field of its own as well. */
export function classifyStated(tokens: Tokens, proposals: Proposals, stated: StatedFields): void {
  const { brand = null, models = [], categories = [], attributes = new Map<string, string>() } = stated;
  if (brand !== null) propose(brand, MAKER);
  for (const model of models) propose(model, MODEL);
  proposeWords(categories, E.kind);
  for (const kind of [E.colour, E.type, E.value])
    proposeWords(
      [...attributes].flatMap(([name, text]) => (evidenceOfAttribute(name) === kind ? [text] : [])),
      kind,
    );

  function proposeWords(texts: readonly string[], kind: number): void {
    const found = new Set(texts.flatMap((text) => readTokens(text).text.map(stem)));
    tokens.text.forEach((word, at) => {
      if (word.length > 2 && found.has(stem(word))) proposals.add(at, kind);
    });
  }

  function propose(field: string, [first, inside]: readonly [number, number]): void {
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
