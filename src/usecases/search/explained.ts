import type { Client, estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import type { Found } from '../../engine/pages.js';
import { gtinOf } from '../../listing/gtin.js';
import { asWritten } from '../../engine/queries/as-written.js';
import { textSelections, withAllWords } from '../../engine/queries/by-text.js';
import { WORD } from '../../engine/queries/explain.js';
import { withWord, wordQueries } from '../../engine/queries/search.js';
import { SEARCH_TUNING } from '../../engine/queries/tuning.js';
import { readWording } from '../../engine/queries/wording.js';
import type { PageAnswer } from './additions.js';
import type { Hit } from '../../engine/pages.js';
import type { ExplanationSchema, WhySchema } from '../../schemas/explain.js';

type Query = estypes.QueryDslQueryContainer;

/** The words that were searched for in the end. */
export function searchedFor(typed: string, { corrected }: Pick<Found<unknown>, 'corrected'>): string {
  const { text, phrases } = readWording(typed);
  return corrected === undefined ? text : [corrected, ...phrases].join(' ');
}

/**
 * What was made of a text: which of its words the catalogue has, how many listings match, and the analysis of the text.
 * @param answer with the first of what was found, by which corrected words are shown as listings write them.
 */
export async function explanationOf(
  { es, products }: { es: Client; products: string },
  typed: string,
  { corrected }: Pick<Found<unknown>, 'corrected'>,
  {
    filter,
    count,
    hits = [],
  }: {
    /** All filters of the request. */
    filter: Query[];
    count: PageAnswer['count'];
    hits?: Parameters<typeof asWritten>[2];
  },
): Promise<Static<typeof ExplanationSchema>> {
  const wording = readWording(typed);
  const { text, plain, phrases } = wording;
  // To count each word of a longer text would cost the engine more than the search.
  const countedWords = (all: string) => wordQueries(all).slice(0, SEARCH_TUNING.maxLookupWords);
  const words = countedWords(text);
  const searched = searchedFor(typed, { corrected });
  const shown = corrected === undefined ? null : asWritten(searched, text, hits);
  const meant = shown === null ? [] : countedWords(shown);
  const readAs = (at: number) => {
    const other = meant.length === words.length ? meant[at] : undefined;
    return other === undefined || other === words[at] ? null : other;
  };
  const meaning = { corrected: corrected ?? null, unknown: [] };
  const any = textSelections(corrected === undefined ? typed : searched, { filter }).typed.query;
  const [counts, { tokens = [] }] = await Promise.all([
    // A word is known if any listing of the catalogue has it, whatever the filters leave.
    count({
      catalogue: {
        global: {},
        aggs: {
          ...Object.fromEntries(words.map((word, at) => [`${at}`, { filter: withWord(word) }])),
          all: { filter: { bool: { filter: [...withAllWords(wording, meaning), ...filter] } } },
          any: { filter: any },
        },
      },
    }),
    // Marks alone are no word, and the engine wants one.
    words.length === 0
      ? { tokens: [] }
      : es.indices.analyze({ index: products, analyzer: 'product_query', text: words }),
  ]);
  const counted = counts?.['catalogue'] as Record<string, { doc_count?: number } | undefined> | undefined;
  const countOf = (name: string) => counted?.[name]?.doc_count ?? 0;
  const starts = words.map((_, at) => words.slice(0, at).reduce((sum, word) => sum + word.length + 1, 0));
  const synonymsOf = (at: number) =>
    tokens
      .filter(({ type, start_offset: start }) => {
        const from = starts[at] ?? 0;
        return type === 'SYNONYM' && start >= from && start < from + (words[at]?.length ?? 0);
      })
      .map(({ token }) => token);
  return {
    words: words.map((word, at) => ({
      word,
      known: countOf(`${at}`) > 0,
      read_as: readAs(at),
      synonyms: synonymsOf(at),
    })),
    identifiers: wordQueries(plain).flatMap((word) => gtinOf(word) ?? []),
    phrases,
    corrected_query: shown,
    found_all: countOf('all'),
    found_any: countOf('any'),
  };
}

/** Why a hit stands where it does, by the names of what found it. */
export function whyOf(
  { matched_queries: matched, _score: score }: Hit,
  searched: string,
): Static<typeof WhySchema> {
  const scores = new Map(Object.entries((matched ?? {}) as unknown as Record<string, number>));
  const has = (word: string) => scores.has('joined') || scores.has(`${WORD}${word}`);
  const missing = wordQueries(searched).filter((word) => !has(word));
  const others = [...scores].filter(([name]) => !name.startsWith(WORD) && name !== 'joined');
  const rest = (score ?? 0) - others.reduce((sum, [, one]) => sum + one, 0);
  const all = missing.length === 0 ? SEARCH_TUNING.allWords : 0;
  return {
    clauses: {
      ...(all === 0 ? {} : { all_words: all }),
      words: round(rest - all),
      ...Object.fromEntries(others.map(([name, one]) => [name, round(one)])),
    },
    missing,
  };
}

const round = (score: number): number => Math.round(score * 1000) / 1000;
