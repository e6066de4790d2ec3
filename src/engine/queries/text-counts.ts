import type { estypes } from '@elastic/elasticsearch';
import { type MatchMode, type Meaning, suggestionFor, withAllWords } from './by-text.js';
import { type KindsNamed, kindsNamed, type NamedKind } from './kinds-named.js';
import { withEachWord, withWord } from './search.js';
import { SEARCH_TUNING } from './tuning.js';
import type { Wording } from './wording.js';

type Query = estypes.QueryDslQueryContainer;
type Aggs = Record<string, estypes.AggregationsAggregationContainer>;
type Counts = Record<string, estypes.AggregationsFilterAggregate> | undefined;

/** A noun names a kind if this share of the listings with the word is of that kind; brands and features have less. */
const MOSTLY_KIND = 0.15;

/** For texts of up to so many words, the listings with most of the words are counted. */
const MOST_WORDS = 8;

/** What the whole catalogue has of a text, whatever filters a search has. */
export interface TextCounts {
  /** Listings with all the words that count. */
  all: number;
  /** Words that no listing has. */
  unknown: string[];
  /** Whether a listing has any of the words, as far as they were counted. */
  anyKnown: boolean;
  /** The kind of thing that the words name, if the catalogue has it. */
  kind: string | null;
  /** `all` if listings, of that kind if there is one, have all the words that count. */
  mode: MatchMode;
  /** Narrows to that kind, and with the mode `any` to the listings with as many of the words as any of the kind has. */
  filter: Query[];
}

/** The words of a text that are counted one by one: every word of a long text would be a search of its own. */
function countedWords(wording: Wording, meaning: Meaning) {
  const words = withEachWord(meantText(wording, meaning));
  return words.length > SEARCH_TUNING.maxLookupWords ? [] : words;
}

const wordAggs = (words: readonly { query: Query }[]): Aggs =>
  Object.fromEntries(words.map(({ query }, at) => [`word${at}`, { filter: query }]));

const unknownWords = (words: readonly { word: string }[], counts: Counts): string[] =>
  words.flatMap(({ word }, at) => ((counts?.[`word${at}`]?.doc_count ?? 0) === 0 ? [word] : []));

/** Counts the words of a text among the listings with any of them, beside the page of these. */
export function wordCounts(wording: Wording, meaning: Meaning) {
  const words = countedWords(wording, meaning);
  return {
    aggs: wordAggs(words),
    /** The words that no listing has; none if no listing has any of them. */
    unknown(aggregations: estypes.SearchResponse['aggregations']): string[] {
      const unknown = unknownWords(words, aggregations as Counts);
      return unknown.length < words.length ? unknown : [];
    },
  };
}

const OF_KIND = 'of_kind';

/** Aggregations to send with a search, and how to read them from its answer. */
interface KindCount {
  aggs: Aggs;
  read(aggregations: estypes.SearchResponse['aggregations']): number;
}

/**
 * Counts how many of the listings that a search finds are of the kind that its words name, beside its page.
 * @returns null where the words name no kind.
 */
export function kindCount(wording: Wording, meaning: Meaning): KindCount | null {
  const { head, brand } = kindsNamed(meantText(wording, meaning));
  const kinds = [...head, ...brand].map(({ query }) => query);
  if (kinds.length === 0) return null;
  return {
    aggs: { [OF_KIND]: { filter: { bool: { should: kinds } } } },
    read: (aggregations) => (aggregations as Counts)?.[OF_KIND]?.doc_count ?? 0,
  };
}

/**
 * One request without hits, which the engine caches until the catalogue changes.
 * @param kinds whether to find out which kind of thing the text names.
 */
export function textCounts(wording: Wording, meaning: Meaning, { kinds }: { kinds: boolean }) {
  const text = meantText(wording, meaning);
  const words = countedWords(wording, meaning);
  const named = kinds ? kindsNamed(without(text, meaning.unknown)) : { head: [], others: [], brand: [] };
  const tried = [...named.head, ...named.others, ...named.brand];
  const ofKinds: Aggs = Object.fromEntries(tried.map(({ query }, at) => [`kind${at}`, { filter: query }]));
  const heads: Aggs = Object.fromEntries(named.head.map(({ kind }) => ['head', { filter: withWord(kind) }]));
  // From all but one to two of the words.
  const sizes =
    kinds && words.length <= MOST_WORDS ? words.slice(2).map((_, at) => words.length - 1 - at) : [];
  const withMost = (size: number): Query => ({
    bool: { should: words.map(({ query }) => query), minimum_should_match: size },
  });
  const all: Query = { bool: { filter: withAllWords(wording, meaning) } };
  const request = {
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
    ...(meaning.corrected === null && suggestionFor(wording.plain)),
    aggs: {
      all: { filter: all, aggs: ofKinds },
      ...ofKinds,
      ...heads,
      ...wordAggs(words),
      ...Object.fromEntries(sizes.map((size) => [`most${size}`, { filter: withMost(size), aggs: ofKinds }])),
    },
  } satisfies estypes.SearchRequest;
  return {
    request,
    read(aggregations: estypes.SearchResponse['aggregations']): TextCounts {
      const counts = aggregations as Counts;
      const count = (name: string, among = counts) => among?.[name]?.doc_count ?? 0;
      const within = (name: string) => counts?.[name] as unknown as Counts;
      const withAll = count('all');
      const nameOf = (kind: NamedKind) => `kind${tried.indexOf(kind)}`;
      const isKind = named.head.some((head) => count(nameOf(head)) > MOSTLY_KIND * count('head'));
      const among = withAll > 0 ? within('all') : counts;
      const kind = kindAmong(named, isKind, (one) => count(nameOf(one), among));
      const mode = (kind === null ? withAll : count(nameOf(kind), within('all'))) > 0 ? 'all' : 'any';
      const most = sizes.find((size) =>
        kind === null ? count(`most${size}`) > 0 : count(nameOf(kind), within(`most${size}`)) > 0,
      );
      const unknown = unknownWords(words, counts);
      return {
        all: withAll,
        unknown,
        anyKnown: unknown.length < words.length,
        kind: kind?.kind ?? null,
        mode,
        filter: [
          ...(kind === null ? [] : [kind.query]),
          ...(mode === 'all' || most === undefined ? [] : [withMost(most)]),
        ],
      };
    },
  };
}

const meantText = ({ plain, phrases }: Wording, { corrected }: Meaning): string =>
  [corrected ?? plain, ...phrases].join(' ').trim();

const without = (text: string, unknown: readonly string[]): string =>
  text
    .split(/\s+/)
    .filter((word) => !unknown.includes(word))
    .join(' ');

/**
 * The first kind that listings are of.
 * @param isKind whether the head is surely a kind: then it is that kind even if no listing of it has all the words: for "red
 * laptop" laptops of other colours are listed, and no red sleeves. A noun that is more often a brand names the kind only where no other noun does.
 * @param countOf how many of the listings with the words are of a kind.
 */
function kindAmong(
  { head: [head], others, brand: [brand] }: KindsNamed,
  isKind: boolean,
  countOf: (kind: NamedKind) => number,
): NamedKind | null {
  if (head === undefined || brand === undefined) return null;
  const [ofHead, ofBrand] = [countOf(head), countOf(brand)];
  if (ofHead > 0 && ofHead >= ofBrand) return head;
  const other = others.find((one) => countOf(one) > 0) ?? (ofBrand > 0 ? brand : null);
  return other ?? (isKind ? head : null);
}
