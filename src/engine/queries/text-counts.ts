import type { estypes } from '@elastic/elasticsearch';
import { isKnownKind } from '../../naming/kinds.js';
import { suggestionFor } from './spelling.js';
import { withAllWords } from './text-selections.js';
import { type KindsNamed, kindsNamed, type NamedKind } from './kinds-named.js';
import { withEachWord, withWords } from './contained-words.js';
import { SEARCH_TUNING } from './tuning.js';
import type { QueryText } from './query-text.js';
import { type AggregationRequests, COUNTS, type MatchMode, type QueryClause } from './selection.js';

type FilterCounts = Record<string, estypes.AggregationsFilterAggregate> | undefined;

/** A noun names a kind, and no brand or feature, if more than this share of the listings with the noun are of the kind. */
const MOSTLY_KIND = 0.15;

/** The maximum number of words of a text for which the listings with most of the words are counted. */
const MAX_WORDS_FOR_MOST = 8;

/** What is known of a query text from counting its words in the whole catalogue. */
interface TextCounts {
  /** The number of listings that contain all significant words of the query text. */
  all: number;
  /** The kind of thing that the query text names, if the catalogue has listings of that kind. */
  kind: NamedKind | null;
  /** Whether listings must contain all words or any: `all` if there are such listings of the named kind. */
  mode: MatchMode;
  /** Clauses for the listings of the named kind and, in the mode `any`, for those with the largest number of the words. */
  filter: QueryClause[];
}

/** The words of a query text that are counted. Those of a long text are not, because each count costs as much as a search. */
function countedWords({ text, ...options }: QueryText) {
  const words = withEachWord(text, options);
  return words.length > SEARCH_TUNING.maxLookupWords ? [] : words;
}

/**
 * A request that counts for each word of a query text how many listings of the catalogue contain it, and that asks for
 * corrections of words that no listing has, and the function that reads which words no listing contains.
 */
export function unknownWordsRequest(wording: QueryText) {
  const words = countedWords(wording);
  const filters = Object.fromEntries(words.map(({ query }, at) => [at, query]));
  return {
    request: {
      ...COUNTS,
      ...suggestionFor(wording.correctable),
      ...(words.length > 0 && { aggs: { words: { filters: { filters } } } }),
    },
    read(aggregations: estypes.SearchResponse['aggregations']): string[] {
      const counted = aggregations?.['words'] as
        { buckets: Record<string, { doc_count: number }> } | undefined;
      return words.flatMap(({ word }, at) => (counted?.buckets[at]?.doc_count === 0 ? [word] : []));
    },
  };
}

/** A request that counts the listings of the catalogue that match a query. */
export const allWordsCount = (query: QueryClause) => ({ ...COUNTS, track_total_hits: true, query });

/** A request that counts, for each of these filter aggregations, the listings of the catalogue that match its filter. */
const countRequest = <T extends AggregationRequests>(aggs: T) => ({
  ...COUNTS,
  // The query finds the listings that match any of the filters. Without it, Elasticsearch would visit every
  // listing of the catalogue.
  query: {
    bool: { filter: [{ bool: { should: Object.values(aggs).flatMap(({ filter = [] }) => filter) } }] },
  },
  aggs,
});

/**
 * A request that counts the listings of the whole catalogue that have the words of a query text, and those of the kind of thing
 * that it names. Elasticsearch caches the answer.
 * @param unknown words that no listing contains.
 */
export function textCounts(wording: QueryText, unknown: readonly string[]) {
  const words = countedWords(wording);
  const named = kindsMeant(wording, without(wording.text, unknown));
  const tried = [...named.head, ...named.others, ...named.brand];
  const ofKinds: AggregationRequests = Object.fromEntries(
    tried.map(({ query }, at) => [`kind${at}`, { filter: query }]),
  );
  const heads: AggregationRequests = Object.fromEntries(
    named.head.map(({ kind }) => ['head', { filter: withWords(kind, { schema: wording.schema }) }]),
  );
  // How many of the words a listing must have at least, for each set that is counted: from all words but one down to two.
  const sizes =
    words.length <= MAX_WORDS_FOR_MOST ? words.slice(2).map((_, at) => words.length - 1 - at) : [];
  const withMost = (size: number): QueryClause => ({
    bool: { should: words.map(({ query }) => query), minimum_should_match: size },
  });
  const request = countRequest({
    all: { filter: withAllWords(wording, unknown), aggs: ofKinds },
    ...ofKinds,
    ...heads,
    ...Object.fromEntries(sizes.map((size) => [`most${size}`, { filter: withMost(size), aggs: ofKinds }])),
  });
  return {
    request,
    read(aggregations: estypes.SearchResponse['aggregations']): TextCounts {
      const counts = aggregations as FilterCounts;
      const count = (name: string, among = counts) => among?.[name]?.doc_count ?? 0;
      const within = (name: string) => counts?.[name] as unknown as FilterCounts;
      const withAll = count('all');
      const nameOf = (kind: NamedKind) => `kind${tried.indexOf(kind)}`;
      const isKind = named.head.some((head) => count(nameOf(head)) > MOSTLY_KIND * count('head'));
      const among = withAll > 0 ? within('all') : counts;
      const kind = kindAmong(named, isKind, (one) => count(nameOf(one), among));
      const mode = (kind === null ? withAll : count(nameOf(kind), within('all'))) > 0 ? 'all' : 'any';
      const most = sizes.find((size) =>
        kind === null ? count(`most${size}`) > 0 : count(nameOf(kind), within(`most${size}`)) > 0,
      );
      return {
        all: withAll,
        kind,
        mode,
        filter: [
          ...(kind === null ? [] : [kind.query]),
          ...(mode === 'all' || most === undefined ? [] : [withMost(most)]),
        ],
      };
    },
  };
}

/** The kinds of thing that a text names; a listing of the kind that a text with synonyms names is of the kind, too. */
function kindsMeant({ plain, synonyms }: QueryText, text: string): KindsNamed {
  const named = kindsNamed(text);
  if (synonyms.length === 0) return named;
  const others = synonyms.flatMap(({ from, to, others: texts }) =>
    texts.map((other) => kindsNamed(`${plain.slice(0, from)} ${other} ${plain.slice(to)}`)),
  );
  const withOthers = ([kind]: NamedKind[], of: 'head' | 'brand'): NamedKind[] =>
    kind === undefined
      ? []
      : [
          {
            ...kind,
            query: {
              bool: { should: [kind, ...others.flatMap((other) => other[of])].map(({ query }) => query) },
            },
          },
        ];
  return { ...named, head: withOthers(named.head, 'head'), brand: withOthers(named.brand, 'brand') };
}

const without = (text: string, unknown: readonly string[]): string =>
  text
    .split(/\s+/)
    .filter((word) => !unknown.includes(word))
    .join(' ');

/**
 * The kind of product to which a query text is narrowed: the first possible kind that has listings with all
 * the words. A noun that is more often a brand is used only if no other noun names a kind.
 * @param isKind whether the head noun certainly names a kind, which is then used even without such listings:
 * "red laptop" finds laptops of other colours, and no red sleeves.
 * @param countOf returns how many of the listings with the words are of a kind.
 */
function kindAmong(
  { head: [head], others, brand: [brand] }: KindsNamed,
  isKind: boolean,
  countOf: (kind: NamedKind) => number,
): NamedKind | null {
  if (head === undefined || brand === undefined) return null;
  const [ofHead, ofBrand] = [countOf(head), countOf(brand)];
  // In "laptop rono", the last word is a name, and not what the listings are.
  const known = isKnownKind(head.kind)
    ? undefined
    : others.find((one) => isKnownKind(one.kind) && countOf(one) > ofHead);
  if (known !== undefined) return known;
  if (ofHead > 0 && ofHead >= ofBrand) return head;
  const other = others.find((one) => countOf(one) > 0) ?? (ofBrand > 0 ? brand : null);
  return other ?? (isKind ? head : null);
}
