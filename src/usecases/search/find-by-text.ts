import type { estypes } from '@elastic/elasticsearch';
import { isCalled, mayBeName } from '../../matching/query.js';
import {
  AS_TYPED,
  type MatchMode,
  type Meaning,
  suggestionFor,
  type TextFilter,
  textSelections,
} from '../../engine/queries/by-text.js';
import type { Selection } from '../../engine/queries/selection.js';
import { correctedText } from '../../engine/queries/spelling.js';
import { kindCount, textCounts, wordCounts } from '../../engine/queries/text-counts.js';
import { readWording, type Wording } from '../../engine/queries/wording.js';
import type { Found } from '../../engine/pages.js';

type Query = estypes.QueryDslQueryContainer;

/** With `match=auto`, this many listings with all the words are enough to leave out those with only some of them. */
const ENOUGH = 20;

/** What is read of the first listing, to see whether the text is its name. */
export interface FirstListing {
  id: number;
  source: string;
  name: string;
}

/** How the first listing of the result is read: from the page, if the page begins there, or by a request of its own. */
export type First<T> =
  | { ofPage: (found: Found<T>) => FirstListing | null }
  | { look: (selection: Selection) => Promise<FirstListing | null> };

/** How listings are read and counted. */
export interface Engine<T, Page> {
  /** Sends a selection to the engine and returns the wanted part of the answer. */
  read(selection: Selection): Promise<Page>;
  /** Sends a request without hits. */
  count(request: estypes.SearchRequest): Promise<Pick<estypes.SearchResponse, 'aggregations' | 'suggest'>>;
  /** Absent: a text that is a listing's name is searched like any other. */
  first?: First<T> | undefined;
}

/** Which listings to search for, and in which order. */
export interface TextSearch {
  /** Filters that the request sends to the engine as part of the query. */
  filter: Query[];
  /** Whether the request narrows the listings in any way besides the text. */
  isFiltered: boolean;
  match: MatchMode | 'auto';
  /** null: by relevance. */
  sort: estypes.Sort | null;
  /** Whether the answer says which set of listings it lists; counting may take another request. */
  tellsMatch: boolean;
}

/** How the service searches for a text alone. */
export const TEXT_ALONE: TextSearch = {
  filter: [],
  isFiltered: false,
  match: 'auto',
  sort: null,
  tellsMatch: false,
};

/** Which set of listings a search lists. */
export interface Matched {
  mode: MatchMode;
  /** Listings of the catalogue with all the words that count, whatever the filters. */
  all_words: number;
  /** The kind of thing that the listings are narrowed to. */
  kind: string | null;
}

/** What a page of a text search says besides its listings. */
export interface FoundByText {
  /** What the text was corrected to. */
  corrected?: string;
  matched?: Matched;
  /** Whether all or any of the words were asked for in the end. */
  mode: MatchMode;
  /** The same listings without the filters of the request. */
  unfiltered: Query;
}

/**
 * Listings by text. By relevance this takes one request, a second one where a word is misspelt or the text is the name of
 * the first listing, and up to three more where few listings have all the words, or none of the kind that they name. Any other order says nothing about how
 * well a listing fits, so that the catalogue is counted first: one request, a second one where words are misspelt, and a
 * third one where no listing has some of them.
 */
export async function findByText<T, Page extends Found<T> = Found<T>>(
  text: string,
  search: TextSearch,
  engine: Engine<T, Page>,
): Promise<Page & FoundByText> {
  return search.sort === null || search.match !== 'auto'
    ? findByWords(text, search, engine)
    : findOfKind(text, search, engine);
}

/**
 * The listings with all the words, and among them the kind of thing that the words name; where none of that kind has all of
 * them, those of the kind with most of them. Filters decide nothing of this.
 */
async function findOfKind<T, Page extends Found<T>>(
  text: string,
  { filter, sort, tellsMatch }: TextSearch,
  { read, count }: Engine<T, Page>,
): Promise<Page & FoundByText> {
  const wording = readWording(text);
  const first = await countsOf(wording, AS_TYPED, count, { kinds: true });
  const corrected = correctedText(wording.plain, first.suggest);
  const { meaning, counts } =
    corrected === null ? first : await countsOf(wording, { corrected, unknown: [] }, count, { kinds: true });
  const { mode } = counts;
  const select = (filters: Query[]) =>
    selectionOf({ text, wording }, meaning, { filter: [...filters, ...counts.filter], match: mode, sort });
  return {
    suggest: first.suggest,
    ...(await read(select(filter))),
    ...(corrected !== null && { corrected }),
    mode,
    unfiltered: select([]).query,
    ...(tellsMatch && { matched: { mode, all_words: counts.all, kind: counts.kind } }),
  };
}

/** The listings with all, or any, of the words; with `auto` all where there are enough of those. */
async function findByWords<T, Page extends Found<T>>(
  text: string,
  { filter, isFiltered, match, sort, tellsMatch }: TextSearch,
  { read, count, first }: Engine<T, Page>,
): Promise<Page & FoundByText> {
  const sought = first !== undefined && mayBeName(text) ? first : null;
  const wording = readWording(text);
  const named = (listing: FirstListing | null) =>
    listing !== null && isCalled(listing, text) ? listing : null;
  let name =
    sought !== null && 'look' in sought
      ? named(await sought.look(textSelections(text, { filter }, wording).typed))
      : null;
  let mode: MatchMode = match === 'any' ? 'any' : 'all';
  let meaning = AS_TYPED;
  const select = (filters = filter) =>
    selectionOf({ text, wording }, meaning, { filter: filters, match: mode, sort }, name);

  const countOfKind = () => (match === 'auto' ? kindCount(wording, meaning) : null);
  let ofKind = countOfKind();
  const counted = (selection: Selection): Selection =>
    ofKind === null ? selection : { ...selection, aggs: ofKind.aggs };
  let found = await read(counted({ ...select(), ...(name === null && suggestionFor(wording.plain)) }));
  const { suggest } = found;
  const corrected = name === null ? correctedText(wording.plain, suggest) : null;
  if (corrected !== null) {
    meaning = { corrected, unknown: [] };
    ofKind = countOfKind();
    found = await read(counted(select()));
  }

  // Phones that come with a charger have all the words of "phone charger" and are not chargers.
  const isOtherKind = ofKind !== null && ofKind.read(found.aggregations) === 0;
  const tooFew = mode === 'all' && found.total < (match === 'auto' ? ENOUGH : 1);
  let matched: Matched | undefined;
  if (match === 'auto' && tooFew && !isFiltered && !tellsMatch) {
    // Without filters, the page has counted the listings with all the words. If there are none, a word may be unknown.
    const words = found.total === 0 ? wordCounts(wording, meaning) : null;
    mode = 'any';
    found = await read({ ...select(), ...(words && { aggs: words.aggs }) });
    const unknown = words?.unknown(found.aggregations) ?? [];
    if (unknown.length > 0) {
      meaning = { ...meaning, unknown };
      mode = 'all';
      const known = await read(counted(select()));
      const hasKind = async () =>
        ofKind === null ||
        ofKind.read(known.aggregations) > 0 ||
        (await countsOf(wording, meaning, count, { kinds: true })).counts.mode === 'all';
      if (known.total >= ENOUGH && (await hasKind())) found = known;
      else mode = 'any';
    }
  } else if (tooFew || isOtherKind || tellsMatch) {
    // Without filters the page has counted them, and if there are any, they have every word.
    const isCounted = mode === 'all' && !isFiltered && !(isOtherKind && !tooFew) && found.total > 0;
    const whole = isCounted ? null : await countsOf(wording, meaning, count, { kinds: ofKind !== null });
    const all = whole?.counts.all ?? found.total;
    meaning = whole?.meaning ?? meaning;
    if (match === 'auto' && (all < ENOUGH || whole?.counts.mode === 'any')) mode = 'any';
    matched = { mode, all_words: all, kind: null };
    const isOtherSet = match === 'auto' && mode === 'any';
    if (isOtherSet || (tooFew && meaning.unknown.length > 0)) found = await read(select());
  }
  if (sought !== null && 'ofPage' in sought && corrected === null) {
    name = named(sought.ofPage(found));
    if (name !== null) found = await read(select());
  }
  return {
    suggest,
    ...found,
    ...(corrected !== null && { corrected }),
    mode,
    unfiltered: select([]).query,
    ...(tellsMatch && matched && { matched }),
  };
}

/** The selection of a text as it is meant, or as the name of a listing. */
function selectionOf(
  { text, wording }: { text: string; wording: Wording },
  { corrected, unknown }: Meaning,
  { sort, ...filter }: Omit<TextFilter, 'sort'> & { sort: estypes.Sort | null },
  name: FirstListing | null = null,
): Selection {
  const selections = textSelections(text, { ...filter, unknown, ...(sort && { sort }) }, wording);
  if (corrected !== null) return selections.corrected(corrected);
  return name === null ? selections.typed : selections.named(name);
}

/** Counts a text in the whole catalogue; where no listing has some of its words, without these. */
async function countsOf(
  wording: Wording,
  meaning: Meaning,
  count: Engine<unknown, unknown>['count'],
  { kinds }: { kinds: boolean } = { kinds: false },
) {
  const ask = async (meant: Meaning) => {
    const { request, read } = textCounts(wording, meant, { kinds });
    const { aggregations, suggest } = await count(request);
    return { suggest, meaning: meant, counts: read(aggregations) };
  };
  const asked = await ask(meaning);
  const { all, unknown, anyKnown } = asked.counts;
  if (all > 0 || unknown.length === 0 || !anyKnown || meaning.unknown.length > 0) return asked;
  return { ...(await ask({ ...meaning, unknown })), suggest: asked.suggest };
}
