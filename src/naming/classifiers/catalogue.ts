import { evidence, type Proposals, spanEvidence } from '../evidence.js';
import { GAP, type Tokens } from '../tokens.js';

/** What the listings of a catalogue teach about words of names. */
export interface CatalogueWords {
  /** What words name, by the letters and digits of the words (`compactKey`). */
  names: ReadonlyMap<string, 'maker' | 'likely maker' | 'line'>;
  /** For each folded word, the numbers of the kinds of evidence that its uses in the catalogue give. */
  uses: ReadonlyMap<string, readonly number[]>;
}

/** A catalogue without listings. */
export const NO_WORDS: CatalogueWords = { names: new Map(), uses: new Map() };

const NAMES = {
  maker: spanEvidence('catalogue maker'),
  'likely maker': spanEvidence('catalogue likely maker'),
  line: spanEvidence('catalogue line'),
};
const MAKER_AT_FIRST = evidence('catalogue maker at first');
/** The maximum number of tokens of a maker or a line. */
const MAX_TOKENS = 4;

/** Proposes what the listings of the catalogue teach: makers, lines, and how words are used. */
export function classifyByCatalogue(tokens: Tokens, proposals: Proposals, catalogue: CatalogueWords): void {
  const { text, gap } = tokens;
  for (let from = 0; from < text.length;) {
    let key = '';
    let end = from + 1;
    let name: keyof typeof NAMES | undefined;
    for (let to = from; to < Math.min(text.length, from + MAX_TOKENS); to += 1) {
      if (to > from && gap[to] === GAP.mark) break;
      key += text[to] ?? '';
      const found = catalogue.names.get(key);
      if (found !== undefined) [name, end] = [found, to + 1];
    }
    if (name !== undefined) proposals.addSpan(from, end, ...NAMES[name]);
    if (name === 'maker' && from === 0) proposals.add(0, MAKER_AT_FIRST);
    from = end;
  }
  text.forEach((word, at) => {
    for (const kind of catalogue.uses.get(word) ?? []) proposals.add(at, kind);
  });
}
