import type { Client, estypes } from '@elastic/elasticsearch';
import { textSelections } from '../../engine/queries/by-text.js';
import { foldedText } from '../../text/folding.js';
import { cleanText, isLongerThan } from '../../text/clean.js';
import { redactForms, REDACTED } from '../../telemetry/redact.js';
import { MAX_TYPED } from '../../schemas/suggestion.js';
import { EngineUnavailableError } from '../../engine/unavailable.js';

/** What one or two developers search for may be theirs alone; how many keys each of them has says nothing. */
const FEWEST_DEVELOPERS = 3;
/** The most searched, each of which is searched again to see what it finds today. */
const MOST = 1_000;
const AT_ONCE = 50;

/**
 * What people search for: texts that several developers have searched for with results, and that has every word found in
 * some listing today.
 * @param requests where requests are recorded.
 */
export async function searchedTexts(
  es: Client,
  { requests, products }: { requests: string; products: string },
): Promise<{ text: string; count: number }[]> {
  const answer = await es.search<unknown, { texts: { buckets: TextBucket[] } }>({
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
          size: MOST,
          min_doc_count: FEWEST_DEVELOPERS,
          order: [{ developers: 'desc' }, { _key: 'asc' }],
        },
        aggs: { developers: { cardinality: { field: 'catalog.key.developer' } } },
      },
    },
  });
  const texts = (answer.aggregations?.texts.buckets ?? [])
    .filter(({ key, developers }) => developers.value >= FEWEST_DEVELOPERS && isPublic(key))
    .map(({ key }) => key.replaceAll(/\s+/g, ' '));
  const counted: { text: string; count: number }[] = [];
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    counted.push(...(await countFound(es, products, texts.slice(at, at + AT_ONCE))));
  }
  return counted.filter(({ count }) => count > 0);
}

interface TextBucket {
  key: string;
  developers: { value: number };
}

/** Of words that letters and digits share, none is longer; keys and passwords are. */
const LONGEST_CODE = 24;

/** Whether others may see a text that was searched for: no address, no phone or card number, no secret. */
export function isPublic(text: string): boolean {
  if (foldedText(text) === '' || isLongerThan(text, MAX_TYPED) || cleanText(text) !== text) return false;
  if (text.includes('@') || text.endsWith('…')) return false;
  if (text.includes(REDACTED) || redactForms(text) !== text) return false;
  if (text.replaceAll(/\P{Nd}/gu, '').length >= 10) return false;
  return !text
    .split(/\s+/)
    .some((word) => word.length > LONGEST_CODE && /\p{Nd}/u.test(word) && /\p{L}/u.test(word));
}

/** How many listings have every word of each text. */
async function countFound(
  es: Client,
  products: string,
  texts: readonly string[],
): Promise<{ text: string; count: number }[]> {
  const { responses } = await es.msearch({
    index: products,
    searches: texts.flatMap((text): estypes.MsearchRequestItem[] => [
      { allow_partial_search_results: false },
      {
        query: textSelections(text, { filter: [], match: 'all' }).typed.query,
        size: 0,
        track_total_hits: true,
      },
    ]),
    max_concurrent_searches: 1,
  });
  return responses.map((answer, at) => {
    if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
    const { total } = answer.hits;
    return { text: texts[at] ?? '', count: typeof total === 'number' ? total : (total?.value ?? 0) };
  });
}
