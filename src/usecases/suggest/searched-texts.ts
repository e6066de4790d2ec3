import type { Client } from '@elastic/elasticsearch';
import { totalOf } from '../../engine/deep-offset.js';
import { searchAll } from '../../engine/multi-search.js';
import { parseQueryText } from '../../engine/queries/query-text.js';
import { textSelection } from '../../engine/queries/search.js';
import { foldWords } from '../../text/fold.js';
import { cleanText, isLongerThan } from '../../text/clean.js';
import { redactForms, REDACTED } from '../../telemetry/redact.js';
import { MAX_TYPED } from '../../schemas/suggestion.js';
import { statesContact } from './contacts.js';
import { chunksOf } from '../../platform/chunks.js';

/** A text that fewer developers searched for may be private. API keys are not counted, because one developer can have many. */
const MIN_DEVELOPERS = 3;
const MAX_TEXTS = 1_000;
const TEXTS_PER_REQUEST = 50;

/** Returns texts of several developers that had results, with the number of listings that contain all of their words today. */
export async function searchedTexts(
  es: Client,
  { requests, products }: { requests: string; products: string },
): Promise<{ text: string; count: number }[]> {
  const answer = await es.search<
    unknown,
    { texts: { buckets: { key: string; developers: { value: number } }[] } }
  >({
    index: requests,
    ignore_unavailable: true,
    allow_no_indices: true,
    size: 0,
    track_total_hits: false,
    query: { term: { 'catalog.zero_results': false } },
    aggs: {
      texts: {
        terms: {
          field: 'catalog.query',
          size: MAX_TEXTS,
          min_doc_count: MIN_DEVELOPERS,
          order: [{ developers: 'desc' }, { _key: 'asc' }],
        },
        aggs: { developers: { cardinality: { field: 'catalog.key.developer' } } },
      },
    },
  });
  const texts = (answer.aggregations?.texts.buckets ?? [])
    .filter(({ key, developers }) => developers.value >= MIN_DEVELOPERS && isPublic(key))
    .map(({ key }) => key.replaceAll(/\s+/g, ' '));
  const counted: { text: string; count: number }[] = [];
  for (const chunk of chunksOf(texts, TEXTS_PER_REQUEST)) {
    const searches = chunk.map((text) => ({
      query: textSelection(parseQueryText(text), { filter: [], match: 'all' }).query,
      size: 0,
      track_total_hits: true,
    }));
    const answers = await searchAll(es, products, searches);
    counted.push(...answers.map((answer, i) => ({ text: chunk[i] ?? '', count: totalOf(answer) })));
  }
  return counted.filter(({ count }) => count > 0);
}

/** The maximum length of a word with letters and digits in a suggested text; a longer one may be a key or password. */
const MAX_CODE_LENGTH = 24;

/** Whether a text may be suggested to other people: it has no e-mail address, phone or card number, and no secret. */
export function isPublic(text: string): boolean {
  if (foldWords(text) === '' || isLongerThan(text, MAX_TYPED) || cleanText(text) !== text) return false;
  if (text.includes('@') || text.endsWith('…') || statesContact(text)) return false;
  if (text.includes(REDACTED) || redactForms(text) !== text) return false;
  if (text.replaceAll(/\P{Nd}/gu, '').length >= 10) return false;
  return !text
    .split(/\s+/)
    .some((word) => word.length > MAX_CODE_LENGTH && /\p{Nd}/u.test(word) && /\p{L}/u.test(word));
}
