import type { estypes } from '@elastic/elasticsearch';
import { isKnownKind, kindsInQuery } from '../../naming/kinds.js';
import { suggestionFor } from './spelling.js';
import { withAllWords } from './search.js';
import { type KindsNamed, kindsNamed, type NamedKind } from './kinds-named.js';
import { type ContainedWord, IDENTIFYING_FIELDS, withEachWord, withWords } from './contained-words.js';
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
  /**
   * Clauses for the listings of the named kind; for an accessory, those that have the words outside of their descriptions, if
   * there are any; and in the mode `any`, those with the largest number of the words.
   */
  filter: QueryClause[];
}

/** The words of a query text that are counted. Those of a long text are not, because each count costs as much as a search. */
function countedWords({ text, ...options }: QueryText): ContainedWord[] {
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
 */
export function textCounts(wording: QueryText) {
  const words = countedWords(wording);
  const named = kindsMeant(wording);
  const tried = named === null ? [] : [named.head, ...named.others, named.brand];
  const ofKinds: AggregationRequests = Object.fromEntries(
    tried.map(({ query }, at) => [`kind${at}`, { filter: query }]),
  );
  // How many of the words a listing must have at least, for each set that is counted: from all words but one down to two.
  const sizes =
    words.length <= MAX_WORDS_FOR_MOST ? words.slice(2).map((_, at) => words.length - 1 - at) : [];
  const withMost = (size: number): QueryClause => ({
    bool: { should: words.map(({ query }) => query), minimum_should_match: size },
  });
  // Descriptions are not searched, because they mention things that the accessory is not for: the description of a phone case
  // has "a raised rim around the camera".
  const { isAccessory } = kindsInQuery(wording.text);
  const stated = isAccessory ? withWords(wording.text, { within: IDENTIFYING_FIELDS }) : undefined;
  const request = countRequest({
    ...(stated && { stated: { filter: stated, aggs: ofKinds } }),
    all: { filter: withAllWords(wording), aggs: ofKinds },
    ...ofKinds,
    ...(named !== null && { head: { filter: withWords(named.head.kind, { schema: wording.schema }) } }),
    ...Object.fromEntries(sizes.map((size) => [`most${size}`, { filter: withMost(size), aggs: ofKinds }])),
  });
  return {
    request,
    read(aggregations: estypes.SearchResponse['aggregations']): TextCounts {
      const counts = aggregations as FilterCounts;
      const totalOf = (set: string) => counts?.[set]?.doc_count ?? 0;
      // The listings of a kind are counted in each set, and in the whole catalogue.
      const countOf = (kind: NamedKind, set?: string) => {
        const among = set === undefined ? counts : (counts?.[set] as unknown as FilterCounts);
        return among?.[`kind${tried.indexOf(kind)}`]?.doc_count ?? 0;
      };
      const all = totalOf('all');
      const isKind = named !== null && countOf(named.head) > MOSTLY_KIND * totalOf('head');
      const kind = named && kindAmong(named, isKind, (one) => countOf(one, all > 0 ? 'all' : undefined));
      const hasListings = (set: string) => (kind === null ? totalOf(set) : countOf(kind, set)) > 0;
      const mode = hasListings('all') ? 'all' : 'any';
      const most = mode === 'all' ? undefined : sizes.find((size) => hasListings(`most${size}`));
      const filter = [
        kind?.query ?? [],
        stated !== undefined && mode === 'all' && hasListings('stated') ? stated : [],
        most === undefined ? [] : withMost(most),
      ].flat();
      return { all, kind, mode, filter };
    },
  };
}

/** The kinds of thing that a text names. With synonyms, the kinds that the text names with them count as the same kinds. */
function kindsMeant({ text, plain, unknown, synonyms }: QueryText): KindsNamed | null {
  const known = text.split(/\s+/).filter((word) => !unknown.includes(word));
  const named = kindsNamed(known.join(' '));
  if (named === null || synonyms.length === 0) return named;
  const others = synonyms.flatMap(({ from, to, others: texts }) =>
    texts.flatMap((other) => kindsNamed(`${plain.slice(0, from)} ${other} ${plain.slice(to)}`) ?? []),
  );
  const withOthers = (of: 'head' | 'brand'): NamedKind => ({
    ...named[of],
    query: { bool: { should: [named, ...others].map((one) => one[of].query) } },
  });
  return { ...named, head: withOthers('head'), brand: withOthers('brand') };
}

/**
 * The kind of product to which a query text is narrowed: the first possible kind that has listings with all
 * the words. A noun that is more often a brand is used only if no other noun names a kind.
 * @param isKind whether the head noun certainly names a kind, which is then used even without such listings:
 * "red laptop" finds laptops of other colours, and no red sleeves.
 * @param countOf returns how many of the listings with the words are of a kind.
 */
function kindAmong(
  { head, others, brand }: KindsNamed,
  isKind: boolean,
  countOf: (kind: NamedKind) => number,
): NamedKind | null {
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
