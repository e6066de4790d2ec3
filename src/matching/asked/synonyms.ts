import { shippedJson } from '../../platform/shipped-files.js';
import { words } from '../../text/words.js';

interface Mapping {
  settings: { index: { analysis: { filter: { synonyms: { synonyms: string[] } } } } };
}

/** The words that a search takes for one another, so that what it finds by them is read alike. */
const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (shippedJson('mappings/products.json') as Mapping).settings.index.analysis.filter.synonyms.synonyms.flatMap(
    (line) => {
      const group = new Set(words(line).map(({ text }) => text));
      return [...group].map((text): [string, ReadonlySet<string>] => [text, group]);
    },
  ),
);

/** A word and those that mean the same, two words written as one. */
export const synonymsOf = (text: string): ReadonlySet<string> => GROUPS.get(text) ?? new Set([text]);
