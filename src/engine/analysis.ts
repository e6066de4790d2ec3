import type { estypes } from '@elastic/elasticsearch';
import { LAST_PARTS, UNSTEMMED } from '../naming/inflections.js';

/** The character after each word in the filter `last_parts`, so that its entries match only the end of a word. */
const WORD_END = '#';

/** Returns the settings of the product index with the words of the markets in the filters of its analyzers. */
export function withMarketWords(settings: estypes.IndicesIndexSettings): estypes.IndicesIndexSettings {
  const { index = {} } = settings;
  const { analysis = {} } = index;
  const filter = {
    ...analysis.filter,
    unstemmed: { type: 'keyword_marker', keywords: [...UNSTEMMED] },
    last_parts: {
      ...(analysis.filter?.['last_parts'] as estypes.AnalysisDictionaryDecompounderTokenFilter),
      word_list: [...LAST_PARTS].map((part) => part + WORD_END),
    },
  } satisfies Record<string, estypes.AnalysisTokenFilter>;
  return { ...settings, index: { ...index, analysis: { ...analysis, filter } } };
}
