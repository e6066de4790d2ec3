import type { UiState } from 'instantsearch.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Hit } from '../../../clients/instantsearch/src/index.js';
import { ApiFailure, askForKey, messageOf } from '../api.js';
import { ApiRequests, Failure, Loading } from '../components.js';
import { count, labelOf, plural } from '../format.js';
import { navigate } from '../router.js';
import { onSearch, searchClient } from '../search-client.js';
import { PriceRange, type PriceBuckets } from './price-range.js';
import { ResultCard } from './result-card.js';
import { INDEX, isSearch, queryOf, stateOfAddress, toUrl } from './search-url.js';
import type { Widgets } from './search-widgets.js';
import { SearchBox } from './suggestions.js';

/** The members of the API's page that InstantSearch does not know. */
export interface Extras {
  total?: number;
  total_groups?: number;
  prices?: PriceBuckets[];
  empty?: { reason: string; without: { parameter: string; total: number }[]; did_you_mean: string | null };
}

/** A step of the filter by rating: listings with at least this rating. */
interface RatingStep {
  value: string;
  name: string;
  count: number | null;
  isRefined: boolean;
}

/** What the components of the search show. */
export interface SearchState {
  query: string;
  hits: Hit[];
  extras: Extras;
  hasSearched: boolean;
  failure: Error | null;
  ratings: RatingStep[];
  refineRating(value: string): void;
  priceLimits: [number | undefined, number | undefined];
}

/** The words, filters, order and page of a search. */
type State = UiState[string];

/** Resolves when the browser has painted what the document shows now. */
const painted = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });

/**
 * The search: InstantSearch with its widgets for filters, and components of this explorer for the rest. The first products are shown before
 * InstantSearch is started, which takes longer than the search.
 */
export function SearchView() {
  const places = useRef<Record<string, HTMLDivElement | null>>({});
  const widgets = useRef<Widgets | null>(null);
  const [request, setRequest] = useState('');
  /** How often the first search was sent. */
  const [attempt, setAttempt] = useState(1);
  const startAgain = () => setAttempt((before) => before + 1);
  /** Searches in another state: with the widgets, or by sending the first search again while there are none. */
  const change = (changed: (before: State) => State) => {
    const next = (before: UiState): UiState => ({ [INDEX]: changed(before[INDEX] ?? {}) });
    if (widgets.current !== null) return widgets.current.setUiState(next);
    navigate(toUrl(next(stateOfAddress())), { replace: true });
    startAgain();
  };
  const [state, setState] = useState<SearchState>(() => ({
    query: stateOfAddress()[INDEX]?.query ?? '',
    hits: [],
    extras: {},
    hasSearched: false,
    failure: null,
    ratings: [],
    refineRating: () => undefined,
    priceLimits: [undefined, undefined],
  }));

  // Effects of the layout run before the first paint, so that the first search does not wait for it.
  useLayoutEffect(() => {
    document.title = 'Search · Catalogue';
    let isShown = true;
    const show = (part: Partial<SearchState>) => setState((before) => ({ ...before, ...part }));
    const fail = (error: Error & { status?: number; error?: { status?: number } }) => {
      const status = error.status ?? error.error?.status;
      if (status === 401) askForKey();
      show({
        failure: status === undefined ? error : new ApiFailure(status, messageOf(status, error.message)),
      });
    };
    onSearch(setRequest);
    // The widgets follow the address themselves.
    const follow = () => {
      if (widgets.current === null && isSearch()) startAgain();
    };
    addEventListener('popstate', follow);
    addEventListener('viewlink', follow);
    const begin = async () => {
      const { results } = await searchClient.search([queryOf(stateOfAddress())]);
      if (!isShown) return;
      const { hits, catalogue: extras } = results[0] as { hits: Hit[]; catalogue: Extras };
      show({ failure: null, hits, extras, hasSearched: true });
      const [{ startWidgets }] = await Promise.all([import('./search-widgets.js'), painted()]).catch(() => {
        throw new ApiFailure(0, messageOf(0, null));
      });
      if (!isShown) return;
      const place = (name: string) => places.current[name] ?? document.createElement('div');
      widgets.current = startWidgets({ place, show, fail });
    };
    begin().catch((error: Error) => isShown && fail(error));
    return () => {
      isShown = false;
      removeEventListener('popstate', follow);
      removeEventListener('viewlink', follow);
      widgets.current?.dispose();
      widgets.current = null;
    };
  }, [attempt]);

  const at = (name: string) => (
    <div
      class={`place place-${name}`}
      ref={(element) => {
        if (element !== null) places.current[name] = element;
      }}
    />
  );
  const { extras, hits, hasSearched, failure } = state;
  return (
    <>
      <h1 class="hidden">Search the catalogue</h1>
      <SearchBox
        query={state.query}
        search={(query) => change((before) => ({ ...before, query, page: 1 }))}
        select={({ search: given }) => {
          const { q = '', brand, category } = given;
          change(({ sortBy }) => ({
            ...(sortBy !== undefined && { sortBy }),
            query: q || (category ?? ''),
            ...(brand !== undefined && { refinementList: { brand: [brand] } }),
          }));
        }}
      />
      <div class="search">
        <Filters>
          <section>
            <h3>Category</h3>
            {at('category')}
          </section>
          <section>
            <h3>Price</h3>
            <PriceRange
              prices={extras.prices ?? []}
              limits={state.priceLimits}
              refine={([min = '', max = '']) =>
                change((before) => ({ ...before, page: 1, range: { price: `${min}:${max}` } }))
              }
            />
          </section>
          {at('stock')}
          <section>
            <h3>Condition</h3>
            {at('condition')}
          </section>
          <section>
            <h3>Brand</h3>
            {at('brand')}
          </section>
          <section>
            <h3>Shop</h3>
            {at('source')}
          </section>
          <section>
            <h3>Rating</h3>
            <Ratings items={state.ratings} refine={state.refineRating} />
          </section>
          {at('attributes')}
        </Filters>
        <div class="results">
          <div class="toolbar" hidden={!hasSearched}>
            <div role="status" class="place-stats">
              {plural(extras.total_groups ?? 0, 'product')}
            </div>
            {extras.total !== undefined && <span class="note">{plural(extras.total, 'listing')}</span>}
            <label class="sort-label">
              <span>Sort by</span>
              {at('sort')}
            </label>
          </div>
          <div class="chosen">
            {at('current')}
            {at('clear')}
          </div>
          {failure !== null && <Failure error={failure} />}
          {failure instanceof ApiFailure && failure.status === 422 && (
            <p>
              <a href="/explore">Show all products</a>
            </p>
          )}
          {!hasSearched && failure === null && <Loading what="products" />}
          {hasSearched && hits.length === 0 && failure === null && <Nothing extras={extras} />}
          <ol class="cards">
            {hits.map((hit) => (
              <ResultCard key={hit.objectID} hit={hit} query={state.query} request={request} />
            ))}
          </ol>
          {at('pages')}
          <ApiRequests calls={request === '' ? [] : [{ path: request }]} />
        </div>
      </div>
    </>
  );
}

/** The filter by rating. A step that is selected is pressed again to remove the filter. */
const Ratings = ({ items, refine }: { items: readonly RatingStep[]; refine(value: string): void }) => (
  <ul class="ratings">
    {items.map(({ value, name, count: listings, isRefined }) => (
      <li key={name}>
        <button type="button" aria-pressed={isRefined} onClick={() => refine(value)}>
          <span class="stars" aria-hidden="true">
            {'★'.repeat(Number(name))}
            <span>{'★'.repeat(5 - Number(name))}</span>
          </span>
          <span>{name} and more</span>
          <span class="step-count">{count(listings ?? 0)}</span>
        </button>
      </li>
    ))}
  </ul>
);

/** The filters: a column on wide screens, and a list that unfolds on phones. */
function Filters({ children }: { children: preact.ComponentChildren }) {
  const isWide = matchMedia('(min-width: 60rem)');
  const [isOpen, setOpen] = useState(isWide.matches);
  useEffect(() => {
    const changed = () => setOpen(isWide.matches);
    isWide.addEventListener('change', changed);
    return () => isWide.removeEventListener('change', changed);
  }, []);
  return (
    <aside class="filters" aria-label="Filters">
      <button type="button" class="button unfold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters
      </button>
      <div hidden={!isOpen}>
        <h2 class="hidden">Filters</h2>
        {children}
      </div>
    </aside>
  );
}

/** The address of this search without one of its filters. */
function addressWithout(parameter: string): string {
  const parameters = new URLSearchParams(location.search);
  for (const name of [parameter, 'page']) parameters.delete(name);
  return `/explore?${parameters}`;
}

/** Why nothing was found, and what would find something. */
function Nothing({ extras: { empty } }: { extras: Extras }) {
  const reasons: Record<string, string> = {
    filters: 'Products match, but none passes all filters.',
    unknown_words: 'No product has any of these words.',
    nothing: 'No product has all of these words.',
  };
  const suggestion = empty?.did_you_mean;
  const without = (empty?.without ?? []).filter(({ total }) => total > 0);
  return (
    <div class="nothing">
      <h2>No products</h2>
      <p>{reasons[empty?.reason ?? 'nothing']}</p>
      {suggestion && (
        <p>
          Did you mean <a href={`/explore?${new URLSearchParams({ q: suggestion })}`}>{suggestion}</a>?
        </p>
      )}
      {!suggestion && without.length === 0 && (
        <p>
          <a href="/explore">Show all products</a>
        </p>
      )}
      {without.length > 0 && (
        <ul>
          {without.map(({ parameter, total }) => (
            <li key={parameter}>
              <a href={addressWithout(parameter)}>Without the filter {labelOf(parameter)}</a>:{' '}
              {plural(total, 'listing')}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
