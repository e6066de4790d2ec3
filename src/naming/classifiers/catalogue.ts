import type { CatalogueWords } from '../catalogue-words.js';
import { evidenceOf, type Proposals } from '../evidence.js';
import { GAP, type Tokens } from '../tokens.js';

const E = evidenceOf('catalogue', [
  ...([
    'maker',
    'maker (continued)',
    'maker at first',
    'likely maker',
    'likely maker (continued)',
    'line',
    'line (continued)',
  ] as const),
]);
/** The maximum number of tokens of a maker or a line. */
const MAX_TOKENS = 4;

/** Proposes what the listings of the catalogue teach: makers, lines, and how words are used. */
export function classifyByCatalogue(tokens: Tokens, proposals: Proposals, catalogue: CatalogueWords): void {
  const { text, gap } = tokens;
  for (let from = 0; from < text.length;) {
    let key = '';
    let end = from + 1;
    let name = catalogue.names.get('');
    for (let to = from; to < Math.min(text.length, from + MAX_TOKENS); to += 1) {
      if (to > from && gap[to] === GAP.mark) break;
      key += text[to] ?? '';
      const found = catalogue.names.get(key);
      if (found !== undefined) [name, end] = [found, to + 1];
    }
    if (name === 'maker') {
      proposals.addSpan(from, end, E.maker, E['maker (continued)']);
      if (from === 0) proposals.add(0, E['maker at first']);
    } else if (name === 'likely maker')
      proposals.addSpan(from, end, E['likely maker'], E['likely maker (continued)']);
    else if (name === 'line') proposals.addSpan(from, end, E.line, E['line (continued)']);
    from = end;
  }
  text.forEach((word, at) => {
    for (const kind of catalogue.uses.get(word) ?? []) proposals.add(at, kind);
  });
}
