import type { estypes } from '@elastic/elasticsearch';
import { BY_RELEVANCE } from './sorts.js';
import { type LinkedOffers, withLinkedOffers } from './linked-offers.js';
import { hasAllWords, searchesOneField, withEachWord } from './contained-words.js';
import { WORD } from './explain.js';
import { coarseText, searchText, withAnyWord, withOtherShops, withPhrase, wordClauses } from './search.js';
import { boosted, listingsById, pinnedFirst, withoutHidden } from './rule-clauses.js';
import { type ActingRules, NO_ACTING_RULES } from './rules.js';
import { wordQueries } from './query-words.js';
import {
  combined,
  CROWD,
  type MatchMode,
  type PhasedSelection,
  type QueryClause,
  type Selection,
} from './selection.js';
import { correctedQuery, spellingSuggestion } from './spelling.js';
import { SEARCH_TUNING } from './tuning.js';
import { blankedStopWords } from '../../text/stop-words.js';
import { parseQueryText, type QueryText } from './query-text.js';

/** How the words of a query text are understood, given the words that occur in the catalogue. */
export interface Meaning {
  /** The words outside of quotes with corrected spelling; null if they are used as typed. */
  corrected: string | null;
  /**
   * Words of the query text that no listing contains. A listing need not contain them, even if it must
   * contain all other words.
   */
  unknown: readonly string[];
}

export const AS_TYPED: Meaning = { corrected: null, unknown: [] };

/** Options that determine which listings with words of a query text are selected, and in which order. */
export interface TextFilter {
  filter: QueryClause[];
  /** Whether a listing must contain any or all words of the query text; `any` by default. */
  match?: MatchMode;
  /** The sort order of the selected listings; by relevance by default. */
  sort?: estypes.Sort;
  unknown?: readonly string[];
  /** Whether the query names the words that each listing contains. */
  namesWords?: boolean;
  /** If the text is an identifier, the linked offers of the listings that it finds. */
  linked?: LinkedOffers | null;
  /** The merchandising rules that act on the search; none by default. */
  rules?: ActingRules;
}

/**
 * The three possible selections for a query text: as typed, as the exact name of a listing, and with
 * corrected spelling. A phrase in quotes must occur exactly.
 */
export function textSelections(
  typed: string,
  {
    filter,
    match = 'any',
    sort = BY_RELEVANCE,
    unknown = [],
    namesWords = false,
    linked = null,
    rules = NO_ACTING_RULES,
  }: TextFilter,
  wording = parseQueryText(typed),
) {
  const { text, phrases, alternatives, within } = wording;
  /** The texts with synonyms of the words. */
  const others = alternatives.map((other) => [other, ...phrases].join(' '));
  const pinned = listingsById(rules.pins);
  const isPhased = searchesOneField(within) && sort === BY_RELEVANCE;
  const ranked = (asTyped: QueryClause, corrected: string | null): Selection | PhasedSelection => {
    /** Ranks linked offers, boosted and pinned listings among those that a clause scores by their words. */
    const withOthers = (words: QueryClause): QueryClause => {
      const relevance = boosted(words, rules.boosts, wordQueries(text).length);
      return pinnedFirst(linked === null ? relevance : withLinkedOffers(relevance, linked), rules.pins);
    };
    const must = withOthers(
      crowdLower(
        bestOf(
          asTyped,
          others.map((other) => ({ bool: { should: wordClauses(other, within) } })),
        ),
      ),
    );
    const words = match === 'all' ? withAllWords(wording, { corrected, unknown }) : phrases.map(withPhrase);
    const further = [linked?.offers ?? [], pinned ?? []].flat();
    const found: QueryClause[] =
      further.length === 0 ? words : [{ bool: { should: [{ bool: { filter: words } }, ...further] } }];
    const all = [...filter, ...found, ...withoutHidden(rules.hidden)];
    const asCorrected = corrected === null ? null : [corrected, ...phrases].join(' ');
    const scored = namesWords ? withWordNames(must, [text, asCorrected ?? text, ...others], within) : must;
    const withAny = (): QueryClause[] => [
      withAnyWord(text, asCorrected, { typed, within }),
      ...others.map((other) => withAnyWord(other, null, { typed: other, within })),
      ...(linked === null ? [] : [linked.identified]),
      ...further,
    ];
    const isOneField = searchesOneField(within);
    const matching = match === 'all' || !isOneField ? [] : [{ bool: { should: withAny() } }];
    // In an index of an earlier schema, the scoring clause determines which listings have any of the words.
    const query: QueryClause =
      match === 'any' && !isOneField
        ? { bool: { must: [scored], filter: all } }
        : { bool: { should: [scored], filter: [...all, ...matching] } };
    const selection = { query, sort };
    if (!isPhased) return selection;
    const coarse = () =>
      bestOf(
        coarseText(text, asCorrected, { typed, match, within }),
        others.map((other) => coarseText(other, null, { typed: other, match, within })),
      );
    const phases = {
      match,
      coarse: () => withOthers(coarse()),
      full: scored,
      matching: { bool: { filter: [...all, ...matching] } },
      filter: all,
    };
    return { ...selection, phases };
  };
  return {
    typed: ranked(searchText(text, typed, within), null),
    named: (listing: { id: number; source: string }): Selection | PhasedSelection =>
      ranked(withOtherShops(searchText(text, typed, within), listing), null),
    /** The selection for corrected spelling. @param words the corrected words outside of quotes. */
    corrected: (words: string): Selection | PhasedSelection =>
      ranked(correctedQuery(text, [words, ...phrases].join(' '), within), words),
  };
}

/** Lowers the score of listings that are near-identical to a better one of their owner. */
const crowdLower = (words: QueryClause): QueryClause => ({
  boosting: { positive: words, negative: { bool: { filter: [CROWD] } }, negative_boost: SEARCH_TUNING.crowd },
});

/** Adds clauses that score nothing, whose names tell which words of some texts a listing contains. */
function withWordNames(
  scored: QueryClause,
  texts: readonly string[],
  within: readonly string[],
): QueryClause {
  const words = [...new Set(texts)].flatMap((text) => withEachWord(text, within));
  const should = words.map(({ word, query }) => ({
    constant_score: { filter: query, boost: 0, _name: `${WORD}${word}` },
  }));
  return { bool: { must: [scored], should } };
}

/** Scores listings by the clause that fits them best. */
const bestOf = (first: QueryClause, others: QueryClause[]): QueryClause =>
  others.length === 0 ? first : { dis_max: { queries: [first, ...others] } };

/**
 * Clauses for the listings with all words of a text, corrected, as typed or with synonyms, and with all of its
 * phrases.
 */
export function withAllWords(
  { text, phrases, alternatives, within }: QueryText,
  { corrected, unknown }: Meaning,
): QueryClause[] {
  const texts = [
    ...(corrected === null ? [] : [[corrected, ...phrases].join(' ')]),
    text,
    ...alternatives.map((other) => [other, ...phrases].join(' ')),
  ];
  const all = combined(
    'should',
    texts.map((one) => hasAllWords(one, unknown, within)),
  );
  return [all, ...phrases.map(withPhrase)];
}

/**
 * Asks Elasticsearch for spelling suggestions for those words of a text that no listing has. Stop words are
 * left out, because a stop word is never a typo.
 */
export function suggestionFor(plain: string): { suggest?: estypes.SearchSuggester } {
  const text = blankedStopWords(plain);
  return text.trim() === '' ? {} : { suggest: spellingSuggestion(text) };
}
